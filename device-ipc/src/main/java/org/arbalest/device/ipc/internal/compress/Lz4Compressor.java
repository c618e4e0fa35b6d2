// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.lz4.Lz4NativeCompressor;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.ipc.internal.memory.GuardedCopy;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/**
 * The compressor of LZ4 blocks. Only this class of LZ4 uses aircompressor, whose native code receives a copy: the
 * source may be a mapped file.
 */
final class Lz4Compressor {
  private final io.airlift.compress.v3.lz4.Lz4Compressor blocks =
      Lz4NativeCompressor.isEnabled() ? new Lz4NativeCompressor() : new Lz4JavaCompressor();

  /** Returns the size of the compressed block, at most {@link Lz4Codec#bound} bytes, which the target must have. */
  int compress(MemorySegment source, MemorySegment target) {
    try (DeviceBuffer copy = GuardedCopy.of(source, Devices.cpu().memory())) {
      return blocks.compress(NativeMemory.segment(copy.address(), source.byteSize()), target);
    }
  }
}
