// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import com.google.flatbuffers.FlatBufferBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.CompressionType;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Footer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.ipc.internal.schema.SchemaWriter;
import org.arbalest.device.types.Metadata;

/** Writes messages with their bodies, and the footer of a file. */
final class MessageWriter {
  /** The numbers in front of a message: the continuation mark, and the size of the metadata. */
  private static final int PREFIX = 2 * Integer.BYTES;

  private static final byte[] MAGIC = {'A', 'R', 'R', 'O', 'W', '1'};

  /** The numbers of one place. */
  private static final int WORDS = 3;

  /** The places of messages in a file, for its footer: the position of each, and the sizes of metadata and body. */
  private static final class Places {
    private long[] words = new long[64 * WORDS];
    private int count;

    void add(long offset, long metadataSize, long bodySize) {
      int at = count++ * WORDS;
      if (at == words.length) words = Arrays.copyOf(words, 2 * at);
      words[at] = offset;
      words[at + 1] = metadataSize;
      words[at + 2] = bodySize;
    }
  }

  private final Output output;
  private final int alignment;
  private final FlatBufferBuilder builder = new FlatBufferBuilder(4096);
  private final SchemaWriter schemas = new SchemaWriter(builder);
  private final ByteBuffer prefix = ByteBuffer.allocate(PREFIX).order(ByteOrder.LITTLE_ENDIAN);

  /** Whether there is a footer, which needs the places. */
  private final boolean isFile;

  private final Places dictionaries = new Places();
  private final Places batches = new Places();

  MessageWriter(Output output, int alignment, boolean isFile) {
    this.output = output;
    this.alignment = alignment;
    this.isFile = isFile;
  }

  /** Writes the start of a file or stream: its schema. */
  void start(IpcSchema schema) throws IOException {
    builder.clear();
    int header = schemas.schema(schema); // fails before anything is written
    if (isFile) {
      output.add(ByteBuffer.wrap(MAGIC));
      output.pad(8);
    }
    begin(MessageHeader.Schema, header, 0, Metadata.empty());
    output.flush();
  }

  /** Writes a record batch. */
  void batch(long rows, EncodedBatch encoded, IpcCompression compression, Metadata metadata) throws IOException {
    builder.clear();
    long bodySize = encoded.place(alignment);
    int header = recordBatch(rows, encoded, compression);
    message(MessageHeader.RecordBatch, header, encoded, bodySize, metadata, batches);
  }

  /** Writes values of a dictionary. */
  void dictionary(long id, boolean isDelta, long length, EncodedBatch encoded, IpcCompression compression,
      Metadata metadata) throws IOException {
    builder.clear();
    long bodySize = encoded.place(alignment);
    int data = recordBatch(length, encoded, compression);
    int header = DictionaryBatch.createDictionaryBatch(builder, id, data, isDelta);
    message(MessageHeader.DictionaryBatch, header, encoded, bodySize, metadata, dictionaries);
  }

  /** Writes the mark at the end of a stream, which is also in front of a footer. */
  void end() throws IOException {
    number(-1, 0);
    output.flush();
  }

  /** Writes the footer of a file. */
  void footer(IpcSchema schema, Metadata metadata) throws IOException {
    builder.clear();
    int batchVector = blocks(batches, true);
    int dictionaryVector = blocks(dictionaries, false);
    int schemaTable = schemas.schema(schema);
    int pairs = schemas.metadata(metadata);
    builder.finish(Footer.createFooter(builder, MetadataVersion.V5, schemaTable, dictionaryVector, batchVector, pairs));
    ByteBuffer footer = builder.dataBuffer();
    int size = footer.remaining();
    output.add(footer);
    output.add(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, size));
    output.add(ByteBuffer.wrap(MAGIC));
    output.flush();
  }

  private int blocks(Places places, boolean areBatches) {
    if (areBatches) Footer.startRecordBatchesVector(builder, places.count);
    else Footer.startDictionariesVector(builder, places.count);
    long[] words = places.words;
    for (int i = (places.count - 1) * WORDS; i >= 0; i -= WORDS) {
      Block.createBlock(builder, words[i], (int) words[i + 1], words[i + 2]);
    }
    return builder.endVector();
  }

  private void message(byte type, int header, EncodedBatch encoded, long bodySize, Metadata metadata, Places places)
      throws IOException {
    long offset = output.position();
    begin(type, header, bodySize, metadata);
    long body = output.position();
    for (int i = 0; i < encoded.buffers; i++) {
      output.pad(body + encoded.starts[i]);
      output.add(encoded.addresses[i], encoded.sizes[i]);
    }
    output.pad(body + bodySize);
    output.flush();
    if (isFile) places.add(offset, body - offset, bodySize);
  }

  /** Adds the metadata of a message, padded so that the body is aligned. */
  private void begin(byte type, int header, long bodySize, Metadata metadata) {
    int pairs = schemas.metadata(metadata);
    Message.startMessage(builder);
    Message.addBodyLength(builder, bodySize);
    Message.addCustomMetadata(builder, pairs);
    Message.addHeader(builder, header);
    Message.addVersion(builder, MetadataVersion.V5);
    Message.addHeaderType(builder, type);
    builder.finish(Message.endMessage(builder));
    ByteBuffer bytes = builder.dataBuffer();
    long end = output.position() + PREFIX + bytes.remaining();
    number(-1, (int) (NativeMemory.align(end, alignment) - output.position() - PREFIX));
    output.add(bytes);
    output.pad(NativeMemory.align(end, alignment));
  }

  private void number(int first, int second) {
    output.add(prefix.clear().putInt(first).putInt(second).flip());
  }

  private int recordBatch(long rows, EncodedBatch encoded, IpcCompression compression) {
    RecordBatch.startNodesVector(builder, encoded.arrays);
    for (int i = encoded.arrays - 1; i >= 0; i--) {
      FieldNode.createFieldNode(builder, encoded.lengths[i], encoded.nullCounts[i]);
    }
    int nodes = builder.endVector();
    RecordBatch.startBuffersVector(builder, encoded.buffers);
    for (int i = encoded.buffers - 1; i >= 0; i--) Buffer.createBuffer(builder, encoded.starts[i], encoded.sizes[i]);
    int buffers = builder.endVector();
    int variadic = 0;
    if (encoded.views > 0) {
      RecordBatch.startVariadicBufferCountsVector(builder, encoded.views);
      for (int i = encoded.views - 1; i >= 0; i--) builder.addLong(encoded.variadicCounts[i]);
      variadic = builder.endVector();
    }
    int codec = switch (compression) {
      case NONE -> 0;
      case LZ4_FRAME ->
          BodyCompression.createBodyCompression(builder, CompressionType.LZ4_FRAME, BodyCompressionMethod.BUFFER);
      case ZSTD -> BodyCompression.createBodyCompression(builder, CompressionType.ZSTD, BodyCompressionMethod.BUFFER);
    };
    return RecordBatch.createRecordBatch(builder, rows, nodes, buffers, codec, variadic);
  }
}
