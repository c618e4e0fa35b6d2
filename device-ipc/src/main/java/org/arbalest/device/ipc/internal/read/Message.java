// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.flatbuf.Verifier;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.ipc.internal.schema.SchemaReader;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/** One message: its verified header, and its body. Reused for the next message. Not thread-safe. */
final class Message {
  /** The key of the custom metadata in which Arrow 0.17 wrote the codec of a batch. */
  private static final String OLD_COMPRESSION = "ARROW:experimental_compression";

  /** The bytes of a larger header are not kept for the next one. */
  private static final int MOST_KEPT = 1 << 16;

  private final org.apache.arrow.flatbuf.Message header = new org.apache.arrow.flatbuf.Message();
  private final RecordBatch recordBatch = new RecordBatch();
  private final DictionaryBatch dictionaryBatch = new DictionaryBatch();
  private final Schema schema = new Schema();
  private final FieldNode node = new FieldNode();
  private long position;
  private int size;
  private Body body = Body.NONE;
  private @Nullable ByteBuffer lastPart;

  /**
   * Verifies and reads a header.
   *
   * @param bytes the FlatBuffer, from its position to its limit
   * @param at the position of the bytes in the file or stream, for errors
   */
  void read(ByteBuffer bytes, long at) {
    Verifier.message(bytes, at);
    org.apache.arrow.flatbuf.Message.getRootAsMessage(bytes, header);
    position = at;
    size = bytes.remaining();
    body = Body.NONE;
    SchemaReader.checkVersion(header.version(), at);
    if (header.bodyLength() < 0) throw malformed("the length of the body is negative: " + header.bodyLength());
  }

  /** Returns the bytes of a file that the last header came from, to be reused for the next one. */
  @Nullable
  ByteBuffer lastPart() {
    return lastPart;
  }

  void setLastPart(ByteBuffer bytes) {
    lastPart = bytes.capacity() <= MOST_KEPT ? bytes : null;
  }

  /** Returns the number of bytes of the header. */
  int size() {
    return size;
  }

  long bodyLength() {
    return header.bodyLength();
  }

  void setBody(Body newBody) {
    body = newBody;
  }

  Body body() {
    return body;
  }

  short version() {
    return header.version();
  }

  boolean isSchema() {
    return header.headerType() == MessageHeader.Schema;
  }

  boolean isDictionary() {
    return header.headerType() == MessageHeader.DictionaryBatch;
  }

  RecordBatch recordBatch() {
    require(MessageHeader.RecordBatch);
    header.header(recordBatch);
    return recordBatch;
  }

  DictionaryBatch dictionaryBatch() {
    require(MessageHeader.DictionaryBatch);
    header.header(dictionaryBatch);
    return dictionaryBatch;
  }

  IpcSchema schema() {
    require(MessageHeader.Schema);
    header.header(schema);
    return SchemaReader.read(schema, position);
  }

  /**
   * Returns the number of rows of the record batch, which each column has, also if it is not read.
   *
   * @throws IpcException if a column has another length: other rows would be lost, or be missing
   */
  long rows(IpcSchema schema) {
    RecordBatch batch = recordBatch();
    long rows = batch.length();
    if (rows < 0) throw malformed("the batch has a negative number of rows: " + rows);
    int array = 0;
    for (int i = 0; i < schema.columnCount(); i++) {
      IpcField column = schema.column(i);
      if (array >= batch.nodesLength()) throw malformed("the message has " + batch.nodesLength()
          + " arrays, but its schema has more");
      long length = batch.nodes(node, array).length();
      if (length != rows) throw malformed("the batch has " + rows + " rows, but its column \"" + column.field.name()
          + "\" has " + length);
      array += column.arrays;
    }
    return rows;
  }

  /** Returns the compression of a batch of this message. */
  IpcCompression compression(RecordBatch batch) {
    BodyCompression compression = batch.compression();
    if (compression == null) {
      if (version() < MetadataVersion.V5 && metadata().getBytes(OLD_COMPRESSION) != null) {
        throw malformed("the batch is compressed in the experimental way of Arrow 0.17, which is not readable");
      }
      return IpcCompression.NONE;
    }
    if (compression.method() != BodyCompressionMethod.BUFFER) {
      throw malformed("the method " + compression.method() + " of compression is unknown");
    }
    return switch (compression.codec()) {
      case CompressionType.LZ4_FRAME -> IpcCompression.LZ4_FRAME;
      case CompressionType.ZSTD -> IpcCompression.ZSTD;
      default -> throw malformed("codec " + compression.codec() + " is unknown");
    };
  }

  /** Returns the custom metadata of the message. */
  Metadata metadata() {
    return SchemaReader.metadata(header.customMetadataLength(), header::customMetadata);
  }

  private void require(byte type) {
    if (header.headerType() != type) throw malformed("there is a message of type "
        + MessageHeader.name(header.headerType()) + " instead of " + MessageHeader.name(type));
  }

  IpcException malformed(String fault) {
    return new IpcException(position, fault);
  }
}
