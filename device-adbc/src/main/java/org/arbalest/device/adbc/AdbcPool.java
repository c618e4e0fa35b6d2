// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.DeviceArrayReader;

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
 * executes {@code SELECT 1}; if that fails, a new connection replaces it.
 *
 * <p><b>Ownership.</b> The pool owns the database and the connections. A connection that is still in use when the pool
 * is closed is closed with its lease.
 *
 * <p><b>Threads.</b> Any thread may use a pool. Threads that wait for a connection receive one in their order.
 */
public final class AdbcPool implements AutoCloseable {
  private final AdbcDatabase database;
  private final int size;
  private final Duration limit;
  private final Semaphore free;

  /** The idle connections, the most recently used first. */
  private final Deque<AdbcConnection> idle = new ConcurrentLinkedDeque<>();

  private volatile boolean isClosed;

  private AdbcPool(AdbcDatabase database, int size, Duration limit) {
    this.database = database;
    this.size = size;
    this.limit = limit;
    this.free = new Semaphore(size, true);
  }

  /**
   * Creates a pool; the caller closes it.
   *
   * @param database the database, which the pool closes
   * @param size the maximum number of connections
   * @param limit the maximum time that {@link #acquire} waits for another thread to return a connection
   * @throws IllegalArgumentException if the size is not positive, or the limit is negative; the database stays open
   */
  public static AdbcPool of(AdbcDatabase database, int size, Duration limit) {
    Objects.requireNonNull(database, "database");
    if (size <= 0) throw new IllegalArgumentException("a pool needs at least 1 connection, not " + size);
    if (limit.isNegative()) throw new IllegalArgumentException("the time limit of a pool is negative: " + limit);
    return new AdbcPool(database, size, limit);
  }

  /**
   * Returns a connection of the pool; the caller closes the lease.
   *
   * @throws TimeoutException if no connection becomes free within the time limit
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws IllegalStateException if the pool is closed
   * @throws AdbcException if a new connection fails
   */
  public Lease acquire() throws InterruptedException, TimeoutException {
    checkOpen();
    if (!free.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS)) throw new TimeoutException("no connection of the pool "
        + "became free within " + limit.toMillis() + " ms, because all " + size
        + " are in use; close their leases earlier, or make the pool larger");
    try {
      checkOpen();
      return new Lease(connection());
    } catch (Throwable t) {
      free.release();
      throw t;
    }
  }

  private void checkOpen() {
    if (isClosed) throw new IllegalStateException("the pool is closed");
  }

  private AdbcConnection connection() {
    for (AdbcConnection used = idle.poll(); used != null; used = idle.poll()) {
      if (isValid(used)) return used;
      used.close();
    }
    return database.connect();
  }

  private static boolean isValid(AdbcConnection connection) {
    try (DeviceArrayReader result = connection.query("SELECT 1")) {
      result.forEach(_ -> {});
      return true;
    } catch (RuntimeException _) { // of the driver: the connection is replaced, whose own error then counts
      return false;
    }
  }

  /** Makes a connection available to other threads, or closes it. */
  private void accept(AdbcConnection connection) {
    try {
      if (isClosed || !isReset(connection)) connection.close();
      else idle.push(connection);
    } finally {
      free.release();
      if (isClosed) closeIdle(); // close() may have missed it
    }
  }

  /** Ends a transaction that the user of the connection has left; returns whether the connection is usable. */
  private static boolean isReset(AdbcConnection connection) {
    try {
      if (isAutoCommit(connection)) return true;
      connection.rollback();
      connection.setAutoCommit(true);
      return true;
    } catch (RuntimeException _) { // the connection is closed by its user, or lost
      return false;
    }
  }

  private static boolean isAutoCommit(AdbcConnection connection) {
    try {
      return connection.isAutoCommit();
    } catch (AdbcException e) {
      if (e.status() == AdbcStatus.NOT_IMPLEMENTED || e.status() == AdbcStatus.NOT_FOUND) return true; // cannot report
      throw e;
    }
  }

  private void closeIdle() {
    AdbcConnection unused = idle.poll();
    if (unused == null) return;
    try {
      unused.close();
    } finally {
      closeIdle(); // a failure leaves no other connection open
    }
  }

  /** Closes the idle connections and the database. Threads that wait for a connection throw. */
  @Override
  public void close() {
    isClosed = true;
    free.release(); // wakes a waiting thread, which checkOpen stops; its own release wakes the next one
    try {
      closeIdle();
    } finally {
      database.close();
    }
  }

  /** The use of a connection by one caller. Closing it twice has no effect. */
  public final class Lease implements AutoCloseable {
    private final AdbcConnection connection;
    private final AtomicBoolean isReturned = new AtomicBoolean();

    private Lease(AdbcConnection connection) {
      this.connection = connection;
    }

    /**
     * Returns the connection, which must not be used after this lease is closed.
     *
     * @throws IllegalStateException if this lease is closed
     */
    public AdbcConnection connection() {
      if (isReturned.get())
        throw new IllegalStateException("the lease is closed, and another thread may use its connection");
      return connection;
    }

    /**
     * Returns the connection to the pool. Close its statements and results before. A transaction that is still open is
     * rolled back; if that fails, the connection is closed, and so it is if the caller has closed it. Other options of
     * the connection, such as its current schema, stay as they are.
     */
    @Override
    public void close() {
      if (isReturned.compareAndSet(false, true)) accept(connection);
    }
  }
}
