// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.arbalest.device.adbc.internal.DriverConnection;
import org.arbalest.device.adbc.internal.PoolConnections;
import org.arbalest.device.adbc.internal.PoolDatabases;
import org.arbalest.device.adbc.internal.PoolManagement;
import org.arbalest.device.adbc.internal.PoolRecording;
import org.arbalest.device.adbc.internal.PoolSlot;
import org.arbalest.device.adbc.internal.PoolTime;

/**
 * A pool of connections to one database, with a bound on their number:
 *
 * <p>{@snippet :
 * try (AdbcPool pool = AdbcPool.of(Adbc.open("postgresql://localhost/flights"), 8, Duration.ofSeconds(5))) {
 *   try (AdbcPool.Lease lease = pool.acquire()) {
 *     lease.connection().execute("DELETE FROM flights WHERE delay > ?", 600);
 *   }
 * }
 * }
 *
 * <p>The pool connects when a thread needs a connection and none is idle. Before an idle connection is used again, it
 * executes {@code SELECT 1}, except shortly after a use without an error. If that fails, or takes longer than a quarter
 * of the time limit (at least 250 ms, at most 5 s), another connection replaces it.
 *
 * <p>While the server is away, {@link #acquire} waits, and the pool repeats the attempt to connect, after 10 ms and
 * then after pauses of up to half a second. It does so for failures that may pass: SQLSTATE 08xxx, 53300 (too many
 * connections), 57P01 to 57P03 (the server stops or starts), or without a SQLSTATE the status {@link AdbcStatus#IO},
 * {@link AdbcStatus#TIMEOUT} or {@link AdbcStatus#UNKNOWN}. Other failures, such as an unknown option, are thrown at
 * once. PostgreSQL's driver reports a wrong password as {@code IO} without a SQLSTATE, so it is thrown after the limit.
 * An attempt that does not end keeps its place, and its database: set a time limit for them in the URI, such as
 * PostgreSQL's {@code connect_timeout=5}.
 *
 * <p><b>Ownership.</b> The pool owns the database and the connections. A connection that is still in use when the pool
 * is closed is closed with its lease. A connection counts until the driver has released it: if a call outlives its
 * lease, until that call ends. Only a connection whose check has not ended in time no longer counts.
 *
 * <p><b>Threads.</b> Any thread may use a pool. Threads that wait for a connection receive one in their order. Daemon
 * threads of the pool open connections, so neither the time limit nor an interrupt waits for a driver.
 */
public final class AdbcPool implements AutoCloseable {
  private final PoolConnections<DriverConnection> connections;

  /** The names of the registered beans. */
  private final Queue<String> beans = new ConcurrentLinkedQueue<>();

  private AdbcPool(PoolConnections<DriverConnection> connections) {
    this.connections = connections;
  }

  /**
   * The numbers of a pool at one moment. Other threads may change them meanwhile.
   *
   * @param size the maximum number of connections
   * @param borrowed the connections that callers use
   * @param idle the open connections that no caller uses
   * @param waiting the threads that wait for a connection
   * @param created the connections that the pool has opened since its creation
   * @param closed the connections that the pool has closed
   * @param validationFailures the idle connections whose check failed, which the pool has replaced
   * @param timeouts the calls of {@link #acquire} that ended at the time limit
   * @param waitTime the total time that threads have waited for a connection
   * @param connectFailures the attempts to connect that failed
   * @param bypassedChecks the uses of idle connections without a check; see {@link AdbcPoolOptions#aliveBypassWindow()}
   * @param expired the connections that reached their {@link AdbcPoolOptions#maxLifetime()}
   * @param idleTimeouts the connections that reached the {@link AdbcPoolOptions#idleTimeout()}
   * @param leaks the uses that reached the {@link AdbcPoolOptions#leakDetectionThreshold()}
   */
  public record Statistics(int size, int borrowed, int idle, int waiting, long created, long closed,
      long validationFailures, long timeouts, Duration waitTime, long connectFailures, long bypassedChecks,
      long expired, long idleTimeouts, long leaks) {}

  /**
   * Creates a pool; the caller closes it.
   *
   * @param database the database, which the pool closes
   * @param size the maximum number of connections
   * @param limit the maximum time that {@link #acquire} waits for a connection; at least one second with the first
   *     attempt to connect and the checks of idle connections
   * @throws IllegalArgumentException if the size is not positive, or the limit is negative; the database stays open
   */
  @CheckReturnValue
  public static AdbcPool of(AdbcDatabase database, int size, Duration limit) {
    return of(database, AdbcPoolOptions.of(size, limit));
  }

  /**
   * Creates a pool with options; the caller closes it. A database opens one connection at a time; see {@link
   * #of(Supplier, AdbcPoolOptions)} for more.
   *
   * @param database the database, which the pool closes
   */
  @CheckReturnValue
  public static AdbcPool of(AdbcDatabase database, AdbcPoolOptions options) {
    return of(PoolDatabases.of(Objects.requireNonNull(database, "database"), options), options);
  }

  /**
   * Creates a pool that opens databases itself, and connections side by side: {@code AdbcPool.of(() -> Adbc.open(uri),
   * options)}. The caller closes the pool. After a connect that fails, the pool closes that database and opens another
   * one.
   *
   * <p>The pool opens a database for its first connection, and another one, up to {@link
   * AdbcPoolOptions#maximumDatabases}, while each of them opens a connection and a thread waits. So the server may be
   * away when the pool is created.
   *
   * @param databases opens a database of the same content at each call, such as one of a server or of SQLite's file,
   *     but not one in memory; called by several threads at a time. The pool closes the databases
   */
  @CheckReturnValue
  public static AdbcPool of(Supplier<? extends AdbcDatabase> databases, AdbcPoolOptions options) {
    return of(PoolDatabases.of(Objects.requireNonNull(databases, "databases"), options), options);
  }

  private static AdbcPool of(PoolDatabases databases, AdbcPoolOptions options) {
    var pool = new AdbcPool(new PoolConnections<>(databases, options, PoolTime.ofSystem()));
    PoolRecording.opened(pool);
    pool.connections.start();
    return pool;
  }

  /**
   * Returns a connection of the pool; the caller closes the lease.
   *
   * @throws TimeoutException if no connection becomes free, or is opened, within the time limit; the cause is the last
   *     failure to connect, if any
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws IllegalStateException if the pool is closed
   * @throws AdbcException if a new connection fails, and another attempt would fail too
   */
  @CheckReturnValue
  public Lease acquire() throws InterruptedException, TimeoutException {
    PoolSlot<DriverConnection> slot = connections.acquire();
    try {
      return new Lease(slot);
    } catch (Throwable t) { // for example, no memory
      connections.release(slot);
      throw t;
    }
  }

  /** Returns the pool's numbers at this moment. */
  public Statistics statistics() {
    return connections.statistics();
  }

  /**
   * Registers a bean in the platform's MBean server, {@code org.arbalest:type=AdbcPool,name="…"}, with the values of
   * {@link #statistics}. Closing the pool removes it.
   *
   * @param name the pool's name for people
   * @return the name of the bean
   * @throws IllegalStateException if a bean with this name is registered, or the pool is closed
   * @throws UnsupportedOperationException if the JDK's module {@code java.management} is absent
   */
  public String registerMXBean(String name) {
    connections.checkOpen();
    String bean = PoolManagement.register(this, Objects.requireNonNull(name, "name"));
    beans.add(bean);
    try {
      connections.checkOpen();
    } catch (IllegalStateException e) { // close() may have missed it
      unregisterBeans();
      throw e;
    }
    return bean;
  }

  private void unregisterBeans() {
    for (String bean = beans.poll(); bean != null; bean = beans.poll()) PoolManagement.unregister(bean);
  }

  /**
   * Closes the idle connections and the database. Threads that wait for a connection throw. A failure leaves nothing
   * else open: all are closed, and the first failure is thrown, with the others suppressed.
   */
  @Override
  public void close() {
    PoolRecording.closed(this);
    RuntimeException failure = connections.close();
    try {
      unregisterBeans();
    } catch (RuntimeException e) {
      if (failure == null) failure = e;
      else failure.addSuppressed(e);
    }
    if (failure != null) throw failure;
  }

  /** Returns the driver and the size, without values of options. */
  @Override
  public String toString() {
    return connections.toString();
  }

  /**
   * The use of a connection by one caller. Closing it twice has no effect.
   *
   * <p>The lease has a handle of its own for the connection. After the lease is closed, calls of that handle, of its
   * statements and of its results throw {@link IllegalStateException}, so they cannot reach the next user's connection.
   */
  @CheckReturnValue
  public final class Lease implements AutoCloseable {
    private final PoolSlot<DriverConnection> slot;
    private final AdbcConnection connection;
    private final AtomicBoolean isReturned = new AtomicBoolean();

    private Lease(PoolSlot<DriverConnection> slot) {
      this.slot = slot;
      this.connection = slot.connection.lease();
    }

    /**
     * Returns the connection, until this lease is closed. Closing it closes the connection instead of returning it.
     *
     * @throws IllegalStateException if this lease is closed
     */
    public AdbcConnection connection() {
      if (isReturned.get())
        throw new IllegalStateException("the lease is closed, and another thread may use its connection");
      return connection;
    }

    /**
     * Returns the connection to the pool. Closes its open statements and results, and cancels a result that is being
     * read. A transaction that is still open is rolled back. Options that this lease has set, such as the current
     * schema, get their values from before it. Then the connection executes {@link
     * AdbcPoolOptions#connectionResetSql()}. Other state of the session stays.
     *
     * <p>A transaction that SQL has begun is rolled back with DuckDB, PostgreSQL and SQLite, and with each other driver
     * that reports autocommit as off meanwhile. With other drivers it stays open: use {@link
     * AdbcConnection#setAutoCommit} instead of SQL's {@code BEGIN}.
     *
     * <p>The pool closes the connection if one of these fails, if the driver does not report an option's value, if a
     * call of another thread still runs, or if the caller has closed the connection.
     */
    @Override
    public void close() {
      if (isReturned.compareAndSet(false, true)) connections.release(slot);
    }
  }
}
