// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

/** The connections of an {@link AdbcPool}, for a monitor. {@link AdbcPool#registerMXBean} registers the bean. */
public interface AdbcPoolMXBean {
  /** Returns {@link AdbcPool.Statistics#size}. */
  int getSize();

  /** Returns {@link AdbcPool.Statistics#borrowed}. */
  int getBorrowed();

  /** Returns {@link AdbcPool.Statistics#idle}. */
  int getIdle();

  /** Returns {@link AdbcPool.Statistics#waiting}. */
  int getWaiting();

  /** Returns {@link AdbcPool.Statistics#created}. */
  long getCreated();

  /** Returns {@link AdbcPool.Statistics#closed}. */
  long getClosed();

  /** Returns {@link AdbcPool.Statistics#validationFailures}. */
  long getValidationFailures();

  /** Returns {@link AdbcPool.Statistics#timeouts}. */
  long getTimeouts();

  /** Returns {@link AdbcPool.Statistics#waitTime}, in milliseconds. */
  long getWaitMillis();

  /** Returns {@link AdbcPool.Statistics#connectFailures}. */
  long getConnectFailures();

  /** Returns {@link AdbcPool.Statistics#bypassedChecks}. */
  long getBypassedChecks();

  /** Returns {@link AdbcPool.Statistics#expired}. */
  long getExpired();

  /** Returns {@link AdbcPool.Statistics#idleTimeouts}. */
  long getIdleTimeouts();

  /** Returns {@link AdbcPool.Statistics#leaks}. */
  long getLeaks();
}
