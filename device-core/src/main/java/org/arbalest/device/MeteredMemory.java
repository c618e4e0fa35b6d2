// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.device.MeteredMemoryImpl;

/**
 * Memory that counts what is allocated from it, and may have a limit: {@link MemoryManager#metered} and
 * {@link MemoryManager#limited} make it. It has nothing to close; what is allocated from the memory below by others is
 * not counted. Safe on any thread.
 *
 * <p>A buffer counts by what is taken for it from the memory below: the size that was asked for, but at least one byte,
 * and what an alignment beyond that memory's own (256 bytes on GPUs, 4096 on the CPU) takes besides, less than the
 * alignment.
 */
public sealed interface MeteredMemory extends MemoryManager permits MeteredMemoryImpl {
  /**
   * What was allocated, in bytes and in buffers. Each number is exact by itself; together they are when nobody
   * allocates.
   *
   * @param currentBytes in buffers now
   * @param peakBytes the most that was in buffers at any time, or since {@link #resetPeak}
   * @param totalBytes all that was ever allocated
   * @param currentCount buffers now
   * @param peakCount the most buffers at any time, or since {@link #resetPeak}
   * @param totalCount how many were ever allocated
   * @param failedCount allocations that there was not enough memory for
   * @param limitBytes the most that may be in buffers, {@link Long#MAX_VALUE} for no limit
   */
  record Statistics(
      long currentBytes,
      long peakBytes,
      long totalBytes,
      long currentCount,
      long peakCount,
      long totalCount,
      long failedCount,
      long limitBytes) {}

  /** What was allocated. */
  Statistics statistics();

  /** Lets the peaks start again at what is in buffers now. */
  void resetPeak();
}
