// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The extent of one Zstandard frame, as its header and the headers of its blocks declare it.
 *
 * @param end where the frame ends in the source
 * @param declared the declared size of the content, or -1 if the frame does not declare it
 * @param most the most bytes that the blocks can have
 * @param skippable whether the frame has no content and decoders skip it
 */
record ZstdFrame(long end, long declared, long most, boolean skippable) {
  private static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final int MAGIC = 0xFD2FB528;
  private static final int SKIPPABLE_MAGIC = 0x184D2A50;
  private static final int LARGEST_BLOCK = 1 << 17;
  private static final int RLE = 1;
  private static final int COMPRESSED = 2;

  /** Reads the headers of the frame at {@code start}. */
  static ZstdFrame read(MemorySegment source, long start) {
    need(source, start, 5, "the header of a frame");
    int magic = source.get(INT, start);
    if ((magic & ~0xF) == SKIPPABLE_MAGIC) {
      need(source, start, 8, "the header of a skippable frame");
      long length = source.get(INT, start + 4) & 0xFFFF_FFFFL;
      need(source, start + 8, length, "a skippable frame");
      return new ZstdFrame(start + 8 + length, 0, 0, true);
    }
    if (magic != MAGIC) {
      throw new MalformedCompression(
          start, "a Zstandard frame begins with 0xfd2fb528, not 0x" + Integer.toHexString(magic));
    }
    return readContent(source, start);
  }

  private static ZstdFrame readContent(MemorySegment source, long start) {
    int flags = source.get(JAVA_BYTE, start + 4) & 0xFF;
    boolean single = (flags & 0x20) != 0;
    boolean checksum = (flags & 0x04) != 0;
    if ((flags & 0x08) != 0) throw new MalformedCompression(start + 4, "the frame's header has a reserved bit");
    if ((flags & 0x03) != 0) {
      throw new MalformedCompression(start + 4, "the frame needs a dictionary, which Arrow does not have");
    }
    int sizeCode = flags >>> 6;
    int sizeBytes = sizeCode == 0 ? (single ? 1 : 0) : 1 << sizeCode;
    long sizeAt = start + 5 + (single ? 0 : 1);
    need(source, sizeAt, sizeBytes, "the header of a frame");
    long declared = switch (sizeBytes) {
      case 0 -> -1;
      case 1 -> source.get(JAVA_BYTE, sizeAt) & 0xFF;
      case 2 -> (source.get(SHORT, sizeAt) & 0xFFFF) + 256;
      case 4 -> source.get(INT, sizeAt) & 0xFFFF_FFFFL;
      default -> source.get(LONG, sizeAt);
    };
    if (declared < 0 && sizeBytes != 0) {
      throw new MalformedCompression(sizeAt, "the frame declares " + Long.toUnsignedString(declared) + " bytes");
    }
    return readBlocks(source, sizeAt + sizeBytes, declared, checksum);
  }

  private static ZstdFrame readBlocks(MemorySegment source, long first, long declared, boolean checksum) {
    long at = first;
    long most = 0;
    boolean last;
    do {
      need(source, at, 3, "the header of a block");
      int header = (source.get(SHORT, at) & 0xFFFF) | (source.get(JAVA_BYTE, at + 2) & 0xFF) << 16;
      last = (header & 1) != 0;
      int type = (header >>> 1) & 3;
      int size = header >>> 3;
      if (type > COMPRESSED) throw new MalformedCompression(at, "a block has the reserved type 3");
      if (size > LARGEST_BLOCK) {
        throw new MalformedCompression(at, "a block has " + size + " bytes, but at most " + LARGEST_BLOCK + " fit");
      }
      at += 3;
      long stored = type == RLE ? 1 : size;
      need(source, at, stored, "a block");
      at += stored;
      most += type == COMPRESSED ? LARGEST_BLOCK : size;
    } while (!last);
    if (checksum) {
      need(source, at, 4, "the checksum of a frame");
      at += 4;
    }
    return new ZstdFrame(at, declared, most, false);
  }

  private static void need(MemorySegment source, long at, long bytes, String what) {
    if (bytes > source.byteSize() - at) {
      throw new MalformedCompression(
          at,
          "the data ends within " + what + ", which needs " + bytes + " bytes, and " + (source.byteSize() - at)
              + " are left");
    }
  }
}
