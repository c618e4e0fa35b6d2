// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import org.arbalest.device.internal.device.MemoryPoolImpl;

/**
 * A memory manager that keeps freed memory for later allocations: allocating from a driver is slow, and stops some
 * devices. The application creates a pool with {@link #of}, and closes it. Any thread may use it.
 *
 * <p>The pool allocates blocks. Up to 16 KiB a block consists of whole pages of 4096 bytes. Above that, there are four
 * sizes of blocks for each power of two, and at most a fifth of a block is unused. Kept blocks count against the limit,
 * and go back to the device when another allocation needs their memory.
 *
 * <p>When the pool is closed, open buffers stay valid. Their memory goes back to the device when they are freed.
 */
@CheckReturnValue
public sealed interface MemoryPool extends MemoryManager, AutoCloseable permits MemoryPoolImpl {
  /**
   * A snapshot of a pool's counters.
   *
   * @param liveBytes the bytes in buffers, rounded up to blocks
   * @param cachedBytes the bytes kept for later allocations
   * @param peakBytes the most bytes in buffers at any time
   * @param limitBytes the limit for the bytes in buffers and the kept bytes together
   * @param hits the number of allocations from kept blocks
   * @param misses the number of allocations that the pool requested from the device
   * @param evictions the number of blocks that went back to the device, to free memory for others or by {@link #trim}
   */
  record Statistics(
      long liveBytes, long cachedBytes, long peakBytes, long limitBytes, long hits, long misses, long evictions) {}

  /**
   * Creates a pool that takes its memory from another memory manager, such as a device's.
   *
   * @param upstream the source of blocks; not a pool itself
   * @param limitBytes the most bytes that the pool takes from it, at least a page of 4096 bytes
   * @throws IllegalArgumentException if the limit is below 4096 bytes, or {@code upstream} is a pool
   */
  static MemoryPool of(MemoryManager upstream, long limitBytes) {
    return MemoryPoolImpl.of(upstream, limitBytes);
  }

  @Override
  Device device();

  @Override
  boolean isCpuAccessible();

  /**
   * Allocates a buffer, as {@link MemoryManager#allocate(long, long)} does. Fails with {@code ENOMEM} also if the limit
   * is reached.
   *
   * @throws IllegalStateException if the pool was closed
   */
  @Override
  DeviceBuffer allocate(long bytes, long alignment);

  /** Returns a snapshot of the counters. */
  Statistics statistics();

  /**
   * Releases all kept blocks to the device, and the memory that the underlying memory manager keeps. Unlike
   * {@link MemoryManager#trim} of other memory managers, this does not make deferred releases.
   */
  @Override
  void trim();

  /**
   * Closes the pool: releases all kept blocks, and keeps no more blocks from now on. The blocks go back to the
   * underlying memory manager, which may keep them ({@link MemoryManager#trim}). Later allocations throw an
   * {@link IllegalStateException}.
   */
  @Override
  void close();
}
