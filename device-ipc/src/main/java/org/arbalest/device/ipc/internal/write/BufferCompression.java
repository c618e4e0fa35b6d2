// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.internal.compress.Codec;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.memory.ParallelLoop;

/** Compresses the buffers of a message. In front of each buffer is its size before, or −1 if it did not shrink. */
final class BufferCompression {
  /** The bytes from which several threads compress. */
  private static final long PARALLEL = 1 << 20;

  private static final long STORED = -1;

  private BufferCompression() {}

  /** Replaces the buffers of a batch by compressed ones, in memory of the batch. */
  static void compress(EncodedBatch batch, IpcCompression compression, int level) {
    Codec bounds = Codec.of(compression, level);
    long[] places = new long[batch.buffers];
    long total = 0;
    long bytes = 0;
    for (int i = 0; i < places.length; i++) {
      places[i] = total;
      bytes += batch.sizes[i];
      long most = Math.max(batch.sizes[i], bounds.maxCompressedSize(batch.sizes[i]));
      if (batch.sizes[i] > 0) total = NativeMemory.align(total + Long.BYTES + most);
    }
    long start = batch.allocate(total);
    // a codec for each buffer: one thread at a time uses a codec
    ParallelLoop.run(places.length, bytes >= PARALLEL, i -> {
      if (batch.sizes[i] > 0) compress(batch, i, start + places[i], Codec.of(compression, level));
    });
  }

  private static void compress(EncodedBatch batch, int buffer, long target, Codec codec) {
    long size = batch.sizes[buffer];
    MemorySegment source = NativeMemory.segment(batch.addresses[buffer], size);
    long most = Math.max(size, codec.maxCompressedSize(size));
    MemorySegment made = NativeMemory.segment(target, Long.BYTES + most);
    long compressed = codec.compress(source, made.asSlice(Long.BYTES));
    boolean isStored = compressed >= size && !batch.mustCompress[buffer];
    if (isStored) MemorySegment.copy(source, 0, made, Long.BYTES, size);
    made.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, isStored ? STORED : size);
    batch.addresses[buffer] = target;
    batch.areStored[buffer] = isStored;
    batch.sizes[buffer] = Long.BYTES + (isStored ? size : compressed);
  }
}
