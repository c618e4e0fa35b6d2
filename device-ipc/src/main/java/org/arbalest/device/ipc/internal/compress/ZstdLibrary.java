// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdNativeCompressor;
import io.airlift.compress.v3.zstd.ZstdNativeDecompressor;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.ipc.internal.memory.GuardedCopy;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/**
 * One Zstandard frame at a time. Only this class of Zstandard uses aircompressor: libzstd where it loads, and otherwise
 * its implementation in Java, which has only the level 3.
 *
 * <p>The one in Java uses {@code Unsafe}. It checks its writes against the target, but may read some bytes past the end
 * of malformed input.
 */
final class ZstdLibrary {
  private final boolean isNative;
  private final Compressor compressor;
  private final Decompressor decompressor;

  ZstdLibrary(int level) {
    this(level, ZstdNativeCompressor.isEnabled());
  }

  ZstdLibrary(int level, boolean isNative) {
    this.isNative = isNative;
    if (isNative) {
      compressor = level == 0 ? new ZstdNativeCompressor() : new ZstdNativeCompressor(level);
      decompressor = new ZstdNativeDecompressor();
    } else {
      compressor = new ZstdJavaCompressor();
      decompressor = new ZstdJavaDecompressor();
    }
  }

  /** Returns the most bytes that a frame can have whose size is checked. */
  long largest() {
    return isNative ? Long.MAX_VALUE : Integer.MAX_VALUE;
  }

  /** Compresses to one frame, and returns its size. */
  int compress(MemorySegment source, MemorySegment target) {
    try (DeviceBuffer copy = GuardedCopy.of(source, Devices.cpu().memory())) { // it may be a mapped file
      return compressor.compress(NativeMemory.segment(copy.address(), source.byteSize()), target);
    }
  }

  /**
   * Decompresses one frame that declares its size, and returns the size of its content.
   *
   * @param position the frame's position, for errors
   */
  long decompress(long position, MemorySegment source, MemorySegment target) {
    try {
      return decompressor.decompress(source, target);
    } catch (ArithmeticException e) {
      // The size is more than an int. libzstd has checked that the content has the declared size, the target's.
      return target.byteSize();
    } catch (MalformedInputException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new MalformedCompression(position, "the Zstandard frame of " + source.byteSize()
          + " bytes does not decompress to at most " + target.byteSize() + " bytes: " + e.getMessage(), e);
    }
  }
}
