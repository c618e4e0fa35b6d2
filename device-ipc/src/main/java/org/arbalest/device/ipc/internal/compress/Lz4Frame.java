// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The constants of LZ4 frames, and their decoder. Its source is one frame or several, which follow each other. */
final class Lz4Frame {
  static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  static final int MAGIC = 0x184D2204;
  static final int VERSION = 1 << 6;
  static final int INDEPENDENT = 1 << 5;
  static final int BLOCK_CHECKSUMS = 1 << 4;
  static final int CONTENT_SIZE = 1 << 3;
  static final int CONTENT_CHECKSUM = 1 << 2;
  static final int DICTIONARY = 1;

  /** The flag of a block's size that says: the block is stored, not compressed. */
  static final int STORED = 1 << 31;

  private static final int RESERVED = 1 << 1;
  private static final int SKIPPED_MAGIC = 0x184D2A50;

  private final MemorySegment source;
  private final MemorySegment target;
  private final long size;
  private long in;
  private long out;

  private Lz4Frame(MemorySegment source, MemorySegment target) {
    this.source = source;
    this.target = target;
    this.size = source.byteSize();
  }

  /** Decompresses all frames of the source into the target, which is then full. */
  static void decompress(MemorySegment source, MemorySegment target) {
    new Lz4Frame(source, target).decompress();
  }

  /** Returns the content of the largest block with a code from 4 to 7: 64 KiB, 256 KiB, 1 MiB or 4 MiB. */
  static int blockSize(int code) {
    return 1 << (8 + 2 * code);
  }

  private void decompress() {
    boolean frames = false;
    while (in < size) {
      need(4, "the magic number of a frame");
      int magic = source.get(INT, in);
      if (magic == MAGIC) {
        frame();
        frames = true;
      } else if ((magic & ~0xF) == SKIPPED_MAGIC) {
        skip();
      } else {
        throw fault("an LZ4 frame begins with 0x184d2204, not 0x" + Integer.toHexString(magic));
      }
    }
    if (!frames) throw fault("the source of " + size + " bytes has no LZ4 frame");
    if (out != target.byteSize()) {
      throw fault("the frames have " + out + " bytes, but " + target.byteSize() + " are expected");
    }
  }

  private void skip() {
    need(8, "the header of a skippable frame");
    long skipped = source.get(INT, in + 4) & 0xFFFF_FFFFL;
    in += 8;
    need(skipped, "a skippable frame");
    in += skipped;
  }

  private void frame() {
    long header = in;
    long start = out;
    long room = target.byteSize() - start;
    need(7, "the header of a frame");
    int flags = source.get(JAVA_BYTE, in + 4) & 0xFF;
    int descriptor = source.get(JAVA_BYTE, in + 5) & 0xFF;
    checkFlags(flags, descriptor);
    boolean sized = (flags & CONTENT_SIZE) != 0;
    int length = sized ? 10 : 2;
    need(4 + length + 1, "the header of a frame");
    int hash = source.get(JAVA_BYTE, in + 4 + length) & 0xFF;
    int computed = (XxHash32.of(source, in + 4, length) >>> 8) & 0xFF;
    if (hash != computed) throw fault("the checksum of the frame's header is " + hash + ", not " + computed);
    long declared = sized ? source.get(LONG, in + 6) : 0;
    if (sized && (declared < 0 || declared > room)) {
      throw fault("the frame declares " + Long.toUnsignedString(declared) + " bytes, but there is room for " + room);
    }
    in += 4 + length + 1;

    blocks(flags, blockSize(descriptor >>> 4), start, sized ? start + declared : target.byteSize());

    if (sized && out - start != declared) {
      throw new MalformedCompression(header, "the frame declares " + declared + " bytes, but has " + (out - start));
    }
    if ((flags & CONTENT_CHECKSUM) != 0) checksum("the frame's content", target, start, out - start);
  }

  private void checkFlags(int flags, int descriptor) {
    if (flags >>> 6 != 1) throw fault("the frame's version is " + (flags >>> 6) + ", but 1 is the only one");
    if ((flags & DICTIONARY) != 0) throw fault("the frame needs a dictionary, which Arrow does not have");
    if ((flags & RESERVED) != 0 || (descriptor & 0x8F) != 0) {
      throw fault("the frame's flags 0x" + Integer.toHexString(flags << 8 | descriptor) + " have reserved bits");
    }
    if (descriptor >>> 4 < 4) throw fault("the frame's block size has the code " + (descriptor >>> 4) + ", not 4 to 7");
  }

  private void blocks(int flags, int blockSize, long start, long limit) {
    while (true) {
      need(4, "the size of a block");
      int field = source.get(INT, in);
      if (field == 0) {
        in += 4;
        return;
      }
      int stored = field & ~STORED;
      if (stored > blockSize)
        throw fault("a block has " + stored + " bytes, but the frame's have at most " + blockSize);
      in += 4;
      boolean summed = (flags & BLOCK_CHECKSUMS) != 0;
      need(stored + (summed ? 4L : 0L), "a block");
      long end = in + stored;
      long most = Math.min(limit, out + blockSize);
      if (field >= 0) {
        long history = (flags & INDEPENDENT) != 0 ? out : start;
        out = Lz4Block.decode(source, in, end, target, history, out, most);
      } else {
        if (stored > most - out) throw fault("a block has " + stored + " bytes, but there is room for " + (most - out));
        MemorySegment.copy(source, in, target, out, stored);
        out += stored;
      }
      if (summed) {
        long block = in;
        in = end;
        checksum("a block", source, block, stored);
      } else {
        in = end;
      }
    }
  }

  private void checksum(String what, MemorySegment data, long from, long length) {
    need(4, "the checksum of " + what);
    int expected = source.get(INT, in);
    int computed = XxHash32.of(data, from, length);
    if (expected != computed) {
      throw fault("the checksum of " + what + " is 0x" + Integer.toHexString(computed) + ", but the frame says 0x"
          + Integer.toHexString(expected));
    }
    in += 4;
  }

  private void need(long bytes, String what) {
    if (bytes > size - in) {
      throw fault("the data ends within " + what + ", which needs " + bytes + " bytes, and " + (size - in)
          + " are left");
    }
  }

  private MalformedCompression fault(String what) {
    return new MalformedCompression(in, what);
  }
}
