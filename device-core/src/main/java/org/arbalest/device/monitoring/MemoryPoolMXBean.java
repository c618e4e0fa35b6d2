// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.MemoryPool;

/**
 * What a {@link MemoryPool} has done and holds, for a monitor. {@link MXBeanRegistration#of(MemoryPool, String)}
 * registers it.
 */
public interface MemoryPoolMXBean {
  /** The device whose memory it is. */
  String getDevice();

  /** See {@link MemoryPool.Statistics#liveBytes}. */
  long getLiveBytes();

  /** See {@link MemoryPool.Statistics#cachedBytes}. */
  long getCachedBytes();

  /** See {@link MemoryPool.Statistics#peakBytes}. */
  long getPeakBytes();

  /** See {@link MemoryPool.Statistics#limitBytes}. */
  long getLimitBytes();

  /** See {@link MemoryPool.Statistics#hits}. */
  long getHits();

  /** See {@link MemoryPool.Statistics#misses}. */
  long getMisses();

  /** See {@link MemoryPool.Statistics#evictions}. */
  long getEvictions();

  /** Gives what is kept back to the device. */
  void trim();
}
