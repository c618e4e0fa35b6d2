// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.lz4.Lz4NativeCompressor;
import java.lang.foreign.MemorySegment;

/** The compressor of LZ4 blocks. Only this class of LZ4 uses aircompressor. */
final class Lz4Compressor {
  private final io.airlift.compress.v3.lz4.Lz4Compressor blocks =
      Lz4NativeCompressor.isEnabled() ? new Lz4NativeCompressor() : new Lz4JavaCompressor();

  /** Returns the size of the compressed block, at most {@link Lz4Codec#bound} bytes, which the target must have. */
  int compress(MemorySegment source, MemorySegment target) {
    return blocks.compress(source, target);
  }
}
