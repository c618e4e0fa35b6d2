// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of an {@link AdbcPool}, with the names of HikariCP: {@code AdbcPoolOptions.of(8,
 * Duration.ofSeconds(5)).minimumIdle(2).maxLifetime(Duration.ofMinutes(10))}. Immutable: each method with a parameter
 * returns new options. Use {@link #of} to create them: the constructor's parameters may change.
 *
 * @param maximumPoolSize the maximum number of connections
 * @param connectionTimeout the maximum time that {@link AdbcPool#acquire} waits for a connection; at least one second
 *     with the first attempt to connect and the checks of idle connections
 * @param minimumIdle the number of idle connections that the pool keeps open in the background, within its size; 0 by
 *     default
 * @param idleTimeout the time after which an idle connection is closed, except the minimum; 10 minutes by default, zero
 *     for no limit
 * @param maxLifetime the maximum age of a connection, which is closed when it is idle; 30 minutes by default, zero for
 *     no limit. Each connection has another limit, up to a tenth shorter, so that not all end at once
 * @param aliveBypassWindow the time after a use without an error in which a connection is used again without a check;
 *     500 ms by default, zero to check always
 * @param leakDetectionThreshold the time of one use after which the pool logs a warning with the stack of {@link
 *     AdbcPool#acquire}; zero, the default, for none
 * @param connectionInitSql SQL that each new connection executes, and each connection again after the {@link
 *     #connectionResetSql()}; null, the default, for none
 * @param connectionTestQuery the query of the check; {@code SELECT 1} by default
 * @param connectionResetSql SQL that each connection executes after each use, such as PostgreSQL's {@code DISCARD ALL};
 *     null, the default, for none
 * @param maximumDatabases the maximum number of databases that a pool {@linkplain AdbcPool#of(
 *     java.util.function.Supplier, AdbcPoolOptions) with a supplier} opens, each of which opens one connection at a
 *     time; 4 by default
 */
public record AdbcPoolOptions(int maximumPoolSize, Duration connectionTimeout, int minimumIdle, Duration idleTimeout,
    Duration maxLifetime, Duration aliveBypassWindow, Duration leakDetectionThreshold,
    @Nullable String connectionInitSql, String connectionTestQuery,
    @Nullable String connectionResetSql, int maximumDatabases) {
  /** Creates options. */
  public AdbcPoolOptions {
    if (maximumPoolSize <= 0)
      throw new IllegalArgumentException("a pool needs at least 1 connection, not " + maximumPoolSize);
    checkTime("connectionTimeout", connectionTimeout);
    if (minimumIdle < 0 || minimumIdle > maximumPoolSize) throw new IllegalArgumentException(
        "the minimumIdle of a pool of " + maximumPoolSize + " connections is " + minimumIdle);
    checkTime("idleTimeout", idleTimeout);
    checkTime("maxLifetime", maxLifetime);
    checkTime("aliveBypassWindow", aliveBypassWindow);
    checkTime("leakDetectionThreshold", leakDetectionThreshold);
    Objects.requireNonNull(connectionTestQuery, "connectionTestQuery");
    if (maximumDatabases <= 0)
      throw new IllegalArgumentException("a pool needs at least 1 database, not " + maximumDatabases);
  }

  private static void checkTime(String name, Duration time) {
    if (time.isNegative()) throw new IllegalArgumentException("the " + name + " of a pool is negative: " + time);
  }

  /**
   * Returns options with the defaults, except the size and the time limit.
   *
   * @throws IllegalArgumentException if the size is not positive, or the limit is negative
   */
  public static AdbcPoolOptions of(int maximumPoolSize, Duration connectionTimeout) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, 0, Duration.ofMinutes(10), Duration.ofMinutes(30),
        Duration.ofMillis(500), Duration.ZERO, null, "SELECT 1", null, 4);
  }

  /** Returns these options with another {@link #minimumIdle()}. */
  public AdbcPoolOptions minimumIdle(int connections) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, connections, idleTimeout, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with another {@link #idleTimeout()}. */
  public AdbcPoolOptions idleTimeout(Duration time) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, time, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with another {@link #maxLifetime()}. */
  public AdbcPoolOptions maxLifetime(Duration time) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, time,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with another {@link #aliveBypassWindow()}. */
  public AdbcPoolOptions aliveBypassWindow(Duration time) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        time, leakDetectionThreshold, connectionInitSql, connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with another {@link #leakDetectionThreshold()}. */
  public AdbcPoolOptions leakDetectionThreshold(Duration time) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        aliveBypassWindow, time, connectionInitSql, connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with a {@link #connectionInitSql()}. */
  public AdbcPoolOptions connectionInitSql(String sql) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, Objects.requireNonNull(sql, "sql"), connectionTestQuery,
        connectionResetSql, maximumDatabases);
  }

  /** Returns these options with another {@link #connectionTestQuery()}. */
  public AdbcPoolOptions connectionTestQuery(String sql) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, sql, connectionResetSql, maximumDatabases);
  }

  /** Returns these options with a {@link #connectionResetSql()}. */
  public AdbcPoolOptions connectionResetSql(String sql) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, connectionTestQuery,
        Objects.requireNonNull(sql, "sql"), maximumDatabases);
  }

  /** Returns these options with another {@link #maximumDatabases()}. */
  public AdbcPoolOptions maximumDatabases(int number) {
    return new AdbcPoolOptions(maximumPoolSize, connectionTimeout, minimumIdle, idleTimeout, maxLifetime,
        aliveBypassWindow, leakDetectionThreshold, connectionInitSql, connectionTestQuery, connectionResetSql, number);
  }
}
