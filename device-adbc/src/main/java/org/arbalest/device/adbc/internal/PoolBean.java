// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcPool;
import org.arbalest.device.adbc.AdbcPoolMXBean;

/** The MXBean of a pool. */
final class PoolBean implements AdbcPoolMXBean {
  private final AdbcPool pool;

  PoolBean(AdbcPool pool) {
    this.pool = pool;
  }

  @Override
  public int getSize() {
    return pool.statistics().size();
  }

  @Override
  public int getBorrowed() {
    return pool.statistics().borrowed();
  }

  @Override
  public int getIdle() {
    return pool.statistics().idle();
  }

  @Override
  public int getWaiting() {
    return pool.statistics().waiting();
  }

  @Override
  public long getCreated() {
    return pool.statistics().created();
  }

  @Override
  public long getClosed() {
    return pool.statistics().closed();
  }

  @Override
  public long getValidationFailures() {
    return pool.statistics().validationFailures();
  }

  @Override
  public long getTimeouts() {
    return pool.statistics().timeouts();
  }

  @Override
  public long getWaitMillis() {
    return pool.statistics().waitTime().toMillis();
  }

  @Override
  public long getConnectFailures() {
    return pool.statistics().connectFailures();
  }

  @Override
  public long getBypassedChecks() {
    return pool.statistics().bypassedChecks();
  }

  @Override
  public long getExpired() {
    return pool.statistics().expired();
  }

  @Override
  public long getIdleTimeouts() {
    return pool.statistics().idleTimeouts();
  }

  @Override
  public long getLeaks() {
    return pool.statistics().leaks();
  }
}
