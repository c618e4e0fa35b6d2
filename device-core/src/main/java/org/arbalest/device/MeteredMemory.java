// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.device.MeteredMemoryImpl;

/**
 * A memory manager that counts the allocations made from it, and may limit them. {@link MemoryManager#metered} and
 * {@link MemoryManager#limited} create it, and the application does not close it. Any thread may use it.
 *
 * <p>It does not count allocations that other code makes from the underlying memory. A buffer counts with the bytes
 * that it takes from that memory: the requested size, at least one byte. A larger alignment than that memory's own (256
 * bytes on GPUs, 4096 bytes on the CPU) adds fewer bytes than the alignment.
 */
public sealed interface MeteredMemory extends MemoryManager permits MeteredMemoryImpl {
  /**
   * A snapshot of the counters. Each number is exact. The numbers match each other if no thread allocates or frees
   * meanwhile.
   *
   * @param currentBytes the bytes in buffers now
   * @param peakBytes the most bytes in buffers at any time, or since {@link #resetPeak}
   * @param totalBytes all bytes that were ever allocated
   * @param currentCount the number of buffers now
   * @param peakCount the largest number of buffers at any time, or since {@link #resetPeak}
   * @param totalCount the number of buffers that were ever allocated
   * @param failedCount the number of allocations that failed for lack of memory
   * @param limitBytes the limit for the bytes in buffers; {@link Long#MAX_VALUE} means no limit
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

  /** Returns a snapshot of the counters. */
  Statistics statistics();

  /** Sets the peaks to the current values. */
  void resetPeak();
}
