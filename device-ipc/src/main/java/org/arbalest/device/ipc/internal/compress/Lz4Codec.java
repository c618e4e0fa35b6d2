// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/**
 * LZ4 frames. Written ones declare the size of their content, and have independent blocks of up to 4 MiB; a block that
 * does not shrink is stored.
 */
final class Lz4Codec implements Codec {
  private static final int HEADER = 15;
  private static final int BLOCK_HEADER = 4;
  private static final int END = 4;
  private static final int LARGEST_CODE = 7;
  private static final long LARGEST = Lz4Frame.blockSize(LARGEST_CODE);

  private @Nullable Lz4Compressor compressor;

  @Override
  public long maxCompressedSize(long size) {
    long blocks = Math.ceilDiv(size, LARGEST);
    long wantedByLast = bound(Math.min(size, LARGEST)) - Math.min(size, LARGEST);
    return HEADER + size + blocks * BLOCK_HEADER + wantedByLast + END;
  }

  @Override
  public long compress(MemorySegment source, MemorySegment target) {
    long size = source.byteSize();
    Segments.check(source, target, maxCompressedSize(size));
    Lz4Compressor block = compressor();
    int code = code(size);
    long out = header(target, code, size);
    long largest = Lz4Frame.blockSize(code);
    for (long in = 0; in < size; in += largest) {
      long length = Math.min(largest, size - in);
      long body = out + BLOCK_HEADER;
      int compressed = block.compress(source.asSlice(in, length), target.asSlice(body, bound(length)));
      if (compressed < length) {
        target.set(Lz4Frame.INT, out, compressed);
        out = body + compressed;
      } else {
        target.set(Lz4Frame.INT, out, (int) length | Lz4Frame.STORED);
        MemorySegment.copy(source, in, target, body, length);
        out = body + length;
      }
    }
    target.set(Lz4Frame.INT, out, 0);
    return out + END;
  }

  @Override
  public void decompress(MemorySegment source, MemorySegment target, @Nullable MemoryManager copies) {
    Segments.check(source, target, 0);
    Lz4Frame.decompress(source, target);
  }

  /** Returns the code of the smallest block size that holds {@code size} bytes, or of the largest. */
  private static int code(long size) {
    int code = 4;
    while (code < LARGEST_CODE && size > Lz4Frame.blockSize(code)) code++;
    return code;
  }

  private static long header(MemorySegment target, int code, long size) {
    target.set(Lz4Frame.INT, 0, Lz4Frame.MAGIC);
    target.set(JAVA_BYTE, 4, (byte) (Lz4Frame.VERSION | Lz4Frame.INDEPENDENT | Lz4Frame.CONTENT_SIZE));
    target.set(JAVA_BYTE, 5, (byte) (code << 4));
    target.set(Lz4Frame.LONG, 6, size);
    target.set(JAVA_BYTE, 14, (byte) (XxHash32.of(target, 4, 10) >>> 8));
    return HEADER;
  }

  private Lz4Compressor compressor() {
    // Not a method reference, which would link the class before load() can catch the error.
    Lz4Compressor known = compressor;
    if (known == null) compressor = known = Aircompressor.load("compress with LZ4", () -> new Lz4Compressor());
    return known;
  }

  /** Returns the space that a compressor needs for a block of this size. */
  static long bound(long size) {
    return size + size / 255 + 16;
  }
}
