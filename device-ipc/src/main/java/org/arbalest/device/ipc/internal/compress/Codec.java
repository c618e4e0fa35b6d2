// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.IpcCompression;
import org.jspecify.annotations.Nullable;

/**
 * A codec of IPC buffers.
 *
 * <p>Threads: one thread at a time uses a codec. Threads that work in parallel create a codec each; this is cheap.
 */
public sealed interface Codec permits Lz4Codec, ZstdCodec {
  /**
   * Returns a new codec.
   *
   * @param level the level of Zstandard, 0 for its default
   * @throws IllegalArgumentException if the compression is {@code NONE}, or the codec has no levels
   * @throws IllegalStateException if the codec is Zstandard and aircompressor is missing. LZ4 needs aircompressor only
   *     to compress
   */
  static Codec of(IpcCompression compression, int level) {
    return switch (compression) {
      case LZ4_FRAME -> {
        if (level != 0) throw new IllegalArgumentException("LZ4 has no levels, and got level " + level);
        yield new Lz4Codec();
      }
      case ZSTD -> new ZstdCodec(level);
      case NONE -> throw new IllegalArgumentException("the compression NONE has no codec");
    };
  }

  /** Returns the most bytes that {@code size} bytes become. */
  long maxCompressedSize(long size);

  /**
   * Compresses the source into the target, and returns the number of bytes written.
   *
   * @param target at least {@link #maxCompressedSize} bytes
   * @throws IllegalArgumentException if the target is smaller, or a segment is not native
   * @throws IllegalStateException if aircompressor is missing
   */
  long compress(MemorySegment source, MemorySegment target);

  /**
   * Decompresses the source, all of it, into the target, which is then full. After an error the target's content is
   * undefined; nothing outside of the target changes.
   *
   * @param copies the memory for copies of parts of a source that may be a mapped file, which native code must not
   *     read; null for a source in memory
   * @throws MalformedCompression if the source is malformed, or does not decompress to exactly the target's size
   * @throws IllegalArgumentException if a segment is not native
   */
  void decompress(MemorySegment source, MemorySegment target, @Nullable MemoryManager copies);
}
