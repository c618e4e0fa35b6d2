// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.monitoring;

import org.arbalest.device.MemoryPool;

/**
 * The activity and the contents of a {@link MemoryPool}, for a monitor.
 * {@link MXBeanRegistration#of(MemoryPool, String)} registers the bean.
 */
public interface MemoryPoolMXBean {
  /** Returns the name of the memory's device. */
  String getDevice();

  /** Returns {@link MemoryPool.Statistics#liveBytes}. */
  long getLiveBytes();

  /** Returns {@link MemoryPool.Statistics#cachedBytes}. */
  long getCachedBytes();

  /** Returns {@link MemoryPool.Statistics#peakBytes}. */
  long getPeakBytes();

  /** Returns {@link MemoryPool.Statistics#limitBytes}. */
  long getLimitBytes();

  /** Returns {@link MemoryPool.Statistics#hits}. */
  long getHits();

  /** Returns {@link MemoryPool.Statistics#misses}. */
  long getMisses();

  /** Returns {@link MemoryPool.Statistics#evictions}. */
  long getEvictions();

  /** Releases the pool's cached memory to the device; see {@link MemoryPool#trim}. */
  void trim();
}
