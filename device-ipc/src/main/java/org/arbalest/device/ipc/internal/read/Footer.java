// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.apache.arrow.flatbuf.Block;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.flatbuf.Verifier;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.ipc.internal.schema.SchemaReader;
import org.arbalest.device.types.Metadata;

/** The footer of a file: its schema, and where its messages are. Immutable. */
final class Footer {
  /** The bytes behind the footer: its size, and the magic. */
  private static final int TAIL = Integer.BYTES + Framing.MAGIC.length;

  /** The bytes at the start: the magic, padded to 8. */
  private static final int HEAD = 8;

  /** The numbers of one block. */
  private static final int WORDS = 3;

  final IpcSchema schema;
  final Metadata metadata;

  /** Whether each message begins with a mark, as since version 5 of the format. */
  private final boolean hasMarks;
  private final long[] dictionaries;
  private final long[] batches;

  private Footer(IpcSchema schema, Metadata metadata, boolean hasMarks, long[] dictionaries, long[] batches) {
    this.schema = schema;
    this.metadata = metadata;
    this.hasMarks = hasMarks;
    this.dictionaries = dictionaries;
    this.batches = batches;
  }

  /**
   * Reads and checks the footer of a file.
   *
   * @param mostMetadata the most bytes of the footer, and of the metadata of a message
   */
  static Footer read(FileInput file, int mostMetadata) throws IOException {
    long size = file.size();
    if (size < HEAD + TAIL) throw new IpcException(0, "the file has " + size + " bytes, too few for an Arrow file");
    checkStart(file.part(0, HEAD));
    long tail = size - TAIL;
    ByteBuffer end = file.part(tail, TAIL);
    if (!isMagic(end, Integer.BYTES)) throw new IpcException(tail + Integer.BYTES,
        "the file does not end with \"ARROW1\": it is incomplete, or an Arrow stream");
    int footerSize = end.getInt(0);
    if (footerSize <= 0 || footerSize > tail - HEAD) throw new IpcException(tail, "the footer has " + footerSize
        + " bytes, in a file of " + size + " bytes");
    Framing.checkLimit(footerSize, tail, mostMetadata);
    long position = tail - footerSize;
    ByteBuffer bytes = file.part(position, footerSize);
    Verifier.footer(bytes, position);
    org.apache.arrow.flatbuf.Footer footer = org.apache.arrow.flatbuf.Footer.getRootAsFooter(bytes);
    // Arrow Java wrote no version here before 1.0, which reads as V1; each message has its own
    if (footer.version() != MetadataVersion.V1) SchemaReader.checkVersion(footer.version(), position);
    org.apache.arrow.flatbuf.Schema source = footer.schema();
    if (source == null) throw new IpcException(position, "the footer has no schema");
    return new Footer(SchemaReader.read(source, position),
        SchemaReader.metadata(footer.customMetadataLength(), footer::customMetadata),
        footer.version() >= MetadataVersion.V5,
        blocks("dictionary", footer.dictionariesLength(), footer::dictionaries, position, mostMetadata),
        blocks("batch", footer.recordBatchesLength(), footer::recordBatches, position, mostMetadata));
  }

  private static void checkStart(ByteBuffer start) {
    if (isMagic(start, 0)) return;
    if (start.get(0) == 'F' && start.get(1) == 'E' && start.get(2) == 'A' && start.get(3) == '1') {
      throw new IpcException(0, "this is a Feather file of version 1, which is not the Arrow format");
    }
    if (start.getInt(0) == Framing.CONTINUATION) {
      throw new IpcException(0, "this seems to be an Arrow stream, not a file; open it with ArrowStream");
    }
    throw new IpcException(0, "the file does not begin with \"ARROW1\": it is not an Arrow file");
  }

  private static boolean isMagic(ByteBuffer bytes, int at) {
    for (int i = 0; i < Framing.MAGIC.length; i++) if (bytes.get(at + i) != Framing.MAGIC[i]) return false;
    return true;
  }

  private static long[] blocks(String what, int count, IntFunction<Block> source, long end, int most) {
    long[] words = new long[WORDS * count];
    for (int i = 0; i < count; i++) {
      Block block = source.apply(i);
      long offset = block.offset();
      int header = block.metaDataLength();
      long body = block.bodyLength();
      boolean isWithin = offset >= HEAD && header >= 2 * Integer.BYTES && body >= 0 && offset <= end - header
          && body <= end - header - offset;
      if (!isWithin) throw new IpcException(end, what + " " + i + " has " + header + " bytes of metadata and " + body
          + " bytes of body at byte " + offset + ", but the footer begins at byte " + end);
      Framing.checkLimit(header, offset, most);
      words[WORDS * i] = offset;
      words[WORDS * i + 1] = header;
      words[WORDS * i + 2] = body;
    }
    return words;
  }

  int dictionaryCount() {
    return dictionaries.length / WORDS;
  }

  int batchCount() {
    return batches.length / WORDS;
  }

  /**
   * Reads the message with the schema, in front of all others. Files are read without it, since the footer has the same
   * schema.
   *
   * @return false without such a message: Arrow JS writes none, and Polars writes it without a mark and a size
   */
  boolean schema(FileInput file, int mostMetadata, Message message) throws IOException {
    if (isAtStart(dictionaries) || isAtStart(batches)) return false;
    ByteBuffer numbers = file.part(HEAD, 2 * Integer.BYTES); // a tail with more bytes follows at least
    int length = numbers.getInt();
    if (length == Framing.CONTINUATION) length = numbers.getInt();
    else if (hasMarks) return false;
    if (length == 0) return false; // the end mark
    long start = (long) HEAD + numbers.position();
    Framing.checkSize(length, HEAD, file.size() - start);
    Framing.checkLimit(length, HEAD, mostMetadata);
    message.read(file.part(start, length), start);
    message.schema(); // fails if it is another message
    return true;
  }

  private static boolean isAtStart(long[] blocks) {
    for (int i = 0; i < blocks.length; i += WORDS) if (blocks[i] == HEAD) return true;
    return false;
  }

  /** Reads the message of a dictionary, with its body. */
  void dictionary(int index, FileInput file, Message message) throws IOException {
    read(dictionaries, index, file, message);
  }

  /** Reads the message of a batch, with its body. */
  void batch(int index, FileInput file, Message message) throws IOException {
    read(batches, index, file, message);
  }

  private static void read(long[] blocks, int index, FileInput file, Message message) throws IOException {
    long offset = blocks[WORDS * index];
    int size = (int) blocks[WORDS * index + 1];
    long body = blocks[WORDS * index + 2];
    ByteBuffer header = file.part(offset, size, message.lastPart());
    message.setLastPart(header);
    int length = header.getInt();
    if (length == Framing.CONTINUATION) length = header.getInt();
    Framing.checkSize(length, offset, header.remaining());
    long start = offset + header.position();
    // positions count from the start of the FlatBuffer
    message.read(header.limit(header.position() + length).slice().order(header.order()), start);
    if (message.bodyLength() > body) throw new IpcException(offset, "the body of the message has "
        + message.bodyLength() + " bytes, but the footer says " + body);
    message.setBody(file.body(offset + size, message.bodyLength()));
  }
}
