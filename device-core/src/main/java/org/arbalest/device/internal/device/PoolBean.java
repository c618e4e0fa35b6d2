// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.MemoryPool;
import org.arbalest.device.monitoring.MemoryPoolMXBean;

/** The MXBean of a memory pool. */
final class PoolBean implements MemoryPoolMXBean {
  private final MemoryPool pool;

  PoolBean(MemoryPool pool) {
    this.pool = pool;
  }

  @Override
  public String getDevice() {
    return pool.device().toString();
  }

  @Override
  public long getLiveBytes() {
    return pool.statistics().liveBytes();
  }

  @Override
  public long getCachedBytes() {
    return pool.statistics().cachedBytes();
  }

  @Override
  public long getPeakBytes() {
    return pool.statistics().peakBytes();
  }

  @Override
  public long getLimitBytes() {
    return pool.statistics().limitBytes();
  }

  @Override
  public long getHits() {
    return pool.statistics().hits();
  }

  @Override
  public long getMisses() {
    return pool.statistics().misses();
  }

  @Override
  public long getEvictions() {
    return pool.statistics().evictions();
  }

  @Override
  public void trim() {
    pool.trim();
  }
}
