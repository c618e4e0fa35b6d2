// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The decoder of one LZ4 block: sequences of a token, literals, and a match, which repeats earlier bytes of the target.
 *
 * <p>It works on addresses, because the checks of a segment on each access halve the speed. Each offset and length is
 * compared with the bounds of both blocks before its use, and the caller keeps both segments alive. Copies of 8 bytes
 * may write past a sequence, never past the block's limit: later sequences overwrite these bytes.
 */
final class Lz4Block {
  private static final ValueLayout.OfShort OFFSET = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /** The nibble of a token that says: more bytes of the length follow. */
  private static final int MORE = 15;

  private static final int MIN_MATCH = 4;

  /** The most bytes that a short sequence reads or writes at once: 16 literals, then a match of 18 bytes. */
  private static final int SHORT = 34;

  /** From this length, a bulk copy is faster than a loop. */
  private static final int BULK = 128;

  private final MemorySegment source;
  private final long end;
  private final long history;
  private final long limit;

  private Lz4Block(MemorySegment source, long end, long history, long limit) {
    this.source = source;
    this.end = end;
    this.history = history;
    this.limit = limit;
  }

  /**
   * Decodes the block in {@code [from, to)} of the source to the target.
   *
   * @param history the first byte of the target that matches may repeat
   * @param start where the block's content begins in the target
   * @param limit where it ends at the latest
   * @return where it ends
   */
  static long decode(
      MemorySegment source, long from, long to, MemorySegment target, long history, long start, long limit) {
    Objects.checkFromToIndex(from, to, source.byteSize());
    Objects.checkFromToIndex(start, limit, target.byteSize());
    Objects.checkFromToIndex(history, start, target.byteSize());
    if (target.isReadOnly()) throw new IllegalArgumentException("the target is read-only");
    long in = source.address();
    long out = target.address();
    Lz4Block block = new Lz4Block(source, in + to, out + history, out + limit);
    return block.decode(in + from, out + start) - out;
  }

  private long decode(long from, long start) {
    long in = from;
    long out = start;
    long end = this.end;
    long history = this.history;
    long limit = this.limit;
    long shortIn = end - SHORT;
    long shortOut = limit - SHORT;
    while (in < end) {
      long tokenAt = in;
      long token = MEMORY.get(JAVA_BYTE, in++) & 0xFF;
      long literals = token >>> 4;
      if (literals < MORE && in <= shortIn && out <= shortOut) {
        MEMORY.set(JAVA_LONG_UNALIGNED, out, MEMORY.get(JAVA_LONG_UNALIGNED, in));
        if (literals > 8) MEMORY.set(JAVA_LONG_UNALIGNED, out + 8, MEMORY.get(JAVA_LONG_UNALIGNED, in + 8));
      } else {
        if (literals == MORE) {
          long more = in;
          in = lengthEnd(more);
          literals += lengthOf(more, in);
        }
        if (literals > end - in) throw tooLong(tokenAt, "literals", literals, end - in, "the block has");
        if (literals > limit - out) throw tooLong(tokenAt, "literals", literals, limit - out, "there is room for");
        copy(in, out, literals);
      }
      in += literals;
      out += literals;
      if (in == end) return out;

      if (end - in < 2) throw malformed(in, "the block ends within the offset of a match");
      int offset = MEMORY.get(OFFSET, in) & 0xFFFF;
      if (offset == 0 || offset > out - history) throw badOffset(in, offset, out - history);
      in += 2;
      long length = token & 0xF;
      if (length < MORE && offset >= 8 && out <= shortOut) {
        long match = out - offset;
        MEMORY.set(JAVA_LONG_UNALIGNED, out, MEMORY.get(JAVA_LONG_UNALIGNED, match));
        if (length > 8 - MIN_MATCH) {
          MEMORY.set(JAVA_LONG_UNALIGNED, out + 8, MEMORY.get(JAVA_LONG_UNALIGNED, match + 8));
          MEMORY.set(JAVA_SHORT_UNALIGNED, out + 16, MEMORY.get(JAVA_SHORT_UNALIGNED, match + 16));
        }
        out += length + MIN_MATCH;
        continue;
      }
      if (length == MORE) {
        long more = in;
        in = lengthEnd(more);
        length += lengthOf(more, in);
      }
      length += MIN_MATCH;
      if (length > limit - out) throw tooLong(tokenAt, "repeated bytes", length, limit - out, "there is room for");
      repeat(offset, out, length);
      out += length;
    }
    throw malformed(end, "the block ends with a match, without the literals after it");
  }

  /** Returns where the bytes of a long length end. */
  private long lengthEnd(long from) {
    long at = from;
    while (at < end) {
      if (MEMORY.get(JAVA_BYTE, at++) != -1) return at;
    }
    throw malformed(at, "the block ends within a length");
  }

  /** Returns what the bytes of a long length add: 255 each, and the last one its value. */
  private static long lengthOf(long from, long end) {
    return (end - 1 - from) * 255 + (MEMORY.get(JAVA_BYTE, end - 1) & 0xFF);
  }

  /** Copies bytes forwards, 8 at a time, from {@code from} to {@code to}, which is at least 8 bytes after it. */
  private static void copy(long from, long to, long length) {
    if (length >= BULK) {
      MemorySegment.copy(MEMORY, from, MEMORY, to, length);
      return;
    }
    copyWords(from, to, length);
  }

  private static void copyWords(long from, long to, long length) {
    long i = 0;
    for (; i <= length - 8; i += 8) {
      MEMORY.set(JAVA_LONG_UNALIGNED, to + i, MEMORY.get(JAVA_LONG_UNALIGNED, from + i));
    }
    for (; i < length; i++) MEMORY.set(JAVA_BYTE, to + i, MEMORY.get(JAVA_BYTE, from + i));
  }

  /** Writes {@code length} bytes to {@code out}, each the one that is {@code offset} bytes before it. */
  private static void repeat(int offset, long out, long length) {
    long match = out - offset;
    long end = out + length;
    long at = out;
    if (offset < 8) {
      // Then the bytes repeat also at a distance of 8 or more, a multiple of the offset.
      long first = Math.min(end, out + 7L / offset * offset);
      for (; at < first; at++) MEMORY.set(JAVA_BYTE, at, MEMORY.get(JAVA_BYTE, at - offset));
    }
    if (end - at < BULK) {
      copyWords(match, at, end - at);
      return;
    }
    // The repeated part doubles with each copy.
    while (at < end) {
      long n = Math.min(end - at, at - match);
      MemorySegment.copy(MEMORY, match, MEMORY, at, n);
      at += n;
    }
  }

  private MalformedCompression tooLong(long at, String what, long length, long most, String bound) {
    return malformed(at, "a sequence has " + length + " " + what + ", but " + bound + " " + most);
  }

  private MalformedCompression badOffset(long at, int offset, long most) {
    return malformed(at, "a match is " + offset + " bytes back, but 1 to " + most + " are possible");
  }

  private MalformedCompression malformed(long address, String fault) {
    return new MalformedCompression(address - source.address(), fault);
  }
}
