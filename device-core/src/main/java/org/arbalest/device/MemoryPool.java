// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.device.MemoryPoolImpl;

/**
 * Memory that keeps what is freed, for the next who asks: allocating from a driver is slow, and stops some devices.
 *
 * <p>Blocks are pages, or a quarter of a power of two, of them; at most a fifth of a block is unused. What is kept
 * counts against the limit, and goes back to the device when something else needs the room. Made and closed by its
 * user; buffers that are open then stay good, and go back to the device when they are freed. Safe on any thread.
 */
public sealed interface MemoryPool extends MemoryManager, AutoCloseable permits MemoryPoolImpl {
  /**
   * What a pool has done, and holds.
   *
   * @param liveBytes in buffers, rounded up to blocks
   * @param cachedBytes kept for the next who asks
   * @param peakBytes the most that was in buffers at any time
   * @param limitBytes the most that may be in buffers and kept
   * @param hits allocations that were served from what was kept
   * @param misses allocations that the device was asked for
   * @param evictions blocks given back to the device, to make room or by {@link #trim}
   */
  record Statistics(
      long liveBytes, long cachedBytes, long peakBytes, long limitBytes, long hits, long misses, long evictions) {}

  /**
   * A pool on top of a device's memory.
   *
   * @param upstream where blocks come from; not a pool itself
   * @param limitBytes the most that the pool takes from it, at least a page of 4096 bytes
   */
  static MemoryPool of(MemoryManager upstream, long limitBytes) {
    return MemoryPoolImpl.of(upstream, limitBytes);
  }

  @Override
  Device device();

  @Override
  boolean isCpuAccessible();

  /**
   * See {@link MemoryManager#allocate(long, long)}; {@code ENOMEM} also if the limit is reached.
   *
   * @throws IllegalStateException if the pool was closed
   */
  @Override
  DeviceBuffer allocate(long bytes, long alignment);

  /** What it has done, and holds. */
  Statistics statistics();

  /** Gives what is kept back to the device, and what the memory below keeps, too. See {@link MemoryManager#trim}. */
  @Override
  void trim();

  /**
   * Gives what is kept back to the memory that the pool is of, which may keep it ({@link MemoryManager#trim}), and
   * keeps nothing from now on. Allocating throws an {@link IllegalStateException}.
   */
  @Override
  void close();
}
