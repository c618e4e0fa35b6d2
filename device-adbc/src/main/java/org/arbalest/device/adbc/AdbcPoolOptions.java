// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.time.Duration;
import java.util.Objects;

/**
 * The options of an {@link AdbcPool}, with the names of HikariCP: {@code AdbcPoolOptions.of(8,
 * Duration.ofSeconds(5)).maximumDatabases(4)}. Immutable: each method with a parameter returns new options. Use {@link
 * #of} to create them: the constructor's parameters may change.
 *
 * @param maximumPoolSize the maximum number of connections
 * @param connectionTimeout the maximum time that {@link AdbcPool#acquire} waits for a connection. The first attempt to
 *     connect, and the check of an idle connection, may take at least one second
 * @param maximumDatabases the maximum number of databases that the pool opens, each of which opens one connection at a
 *     time; 4 by default
 * @param aliveBypassWindow the time after a use without an error in which a connection is used again without a check;
 *     500 ms by default
 */
public record AdbcPoolOptions(int maximumPoolSize, Duration connectionTimeout, int maximumDatabases,
    Duration aliveBypassWindow) {
  private static final int DATABASES = 4;
  private static final Duration ALIVE_BYPASS_WINDOW = Duration.ofMillis(500);

  /** Creates options. */
  public AdbcPoolOptions {
    if (maximumPoolSize <= 0)
      throw new IllegalArgumentException("a pool needs at least 1 connection, not " + maximumPoolSize);
    if (connectionTimeout.isNegative())
      throw new IllegalArgumentException("the time limit of a pool is negative: " + connectionTimeout);
    if (maximumDatabases <= 0)
      throw new IllegalArgumentException("a pool needs at least 1 database, not " + maximumDatabases);
    if (aliveBypassWindow.isNegative())
      throw new IllegalArgumentException("the aliveBypassWindow of a pool is negative: " + aliveBypassWindow);
  }

  /**
   * Returns options with the defaults, except the size and the time limit.
   *
   * @throws IllegalArgumentException if the size is not positive, or the limit is negative
   */
  public static AdbcPoolOptions of(int maximumPoolSize, Duration connectionTimeout) {
    return new AdbcPoolOptions(maximumPoolSize, Objects.requireNonNull(connectionTimeout, "connectionTimeout"),
        DATABASES, ALIVE_BYPASS_WINDOW);
  }

  /** Returns these options with another maximum number of databases. */
  public AdbcPoolOptions maximumDatabases(int number) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, number, aliveBypassWindow);
  }

  /** Returns these options with another time after a use in which a connection needs no check; zero checks always. */
  public AdbcPoolOptions aliveBypassWindow(Duration time) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, maximumDatabases,
        Objects.requireNonNull(time, "time"));
  }
}
