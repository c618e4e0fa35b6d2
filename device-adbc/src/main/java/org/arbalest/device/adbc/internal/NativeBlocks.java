// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A pool of blocks of native memory of one size. It never frees a block, so it has as many as were in use at the same
 * time.
 */
final class NativeBlocks {
  private final long size;
  private final ConcurrentLinkedQueue<MemorySegment> free = new ConcurrentLinkedQueue<>();

  NativeBlocks(long size) {
    this.size = size;
  }

  /** Returns a block of zeros; the caller returns it with {@link #giveBack}. */
  MemorySegment take() {
    MemorySegment block = free.poll();
    return block == null ? Arena.global().allocate(size, Long.BYTES) : block.fill((byte) 0);
  }

  void giveBack(MemorySegment block) {
    free.add(block);
  }
}
