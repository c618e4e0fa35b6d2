// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Deque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.adbc.internal.ConnectionImpl;
import org.arbalest.device.adbc.internal.IdleCheck;
import org.arbalest.device.adbc.internal.PoolCounters;
import org.arbalest.device.adbc.internal.PoolManagement;
import org.arbalest.device.adbc.internal.PoolRecording;
import org.jspecify.annotations.Nullable;

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
 * executes {@code SELECT 1}. If that fails, or takes longer than the time limit, a new connection replaces it. Options
 * of the driver limit the time of a new connection.
 *
 * <p><b>Ownership.</b> The pool owns the database and the connections. A connection that is still in use when the pool
 * is closed is closed with its lease.
 *
 * <p><b>Threads.</b> Any thread may use a pool. Threads that wait for a connection receive one in their order.
 */
public final class AdbcPool implements AutoCloseable {
  /** The least time limit of a check. */
  private static final Duration ONE_SECOND = Duration.ofSeconds(1);

  private final AdbcDatabase database;
  private final int size;
  private final Duration limit;
  private final Duration checkLimit;
  private final Semaphore free;

  /** The idle connections, the most recently used first. */
  private final Deque<AdbcConnection> idle = new ConcurrentLinkedDeque<>();

  private final PoolCounters counters;
  private volatile boolean isClosed;

  /** The names of the registered beans. */
  private final Queue<String> beans = new ConcurrentLinkedQueue<>();

  private AdbcPool(AdbcDatabase database, int size, Duration limit) {
    this.database = database;
    this.size = size;
    this.limit = limit;
    this.checkLimit = limit.compareTo(ONE_SECOND) < 0 ? ONE_SECOND : limit;
    this.free = new Semaphore(size, true);
    this.counters = new PoolCounters(toString());
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
   */
  public record Statistics(int size, int borrowed, int idle, int waiting, long created, long closed,
      long validationFailures, long timeouts, Duration waitTime) {}

  /**
   * Creates a pool; the caller closes it.
   *
   * @param database the database, which the pool closes
   * @param size the maximum number of connections
   * @param limit the maximum time that {@link #acquire} waits for another thread to return a connection, and then for
   *     the check of an idle one, which may take at least one second
   * @throws IllegalArgumentException if the size is not positive, or the limit is negative; the database stays open
   */
  @CheckReturnValue
  public static AdbcPool of(AdbcDatabase database, int size, Duration limit) {
    Objects.requireNonNull(database, "database");
    if (size <= 0) throw new IllegalArgumentException("a pool needs at least 1 connection, not " + size);
    if (limit.isNegative()) throw new IllegalArgumentException("the time limit of a pool is negative: " + limit);
    var pool = new AdbcPool(database, size, limit);
    PoolRecording.opened(pool);
    return pool;
  }

  /**
   * Returns a connection of the pool; the caller closes the lease.
   *
   * @throws TimeoutException if no connection becomes free within the time limit
   * @throws InterruptedException if the thread is interrupted while it waits
   * @throws IllegalStateException if the pool is closed
   * @throws AdbcException if a new connection fails
   */
  @CheckReturnValue
  public Lease acquire() throws InterruptedException, TimeoutException {
    checkOpen();
    if (!counters.acquire(free, TimeUnit.NANOSECONDS.convert(limit))) throw new TimeoutException(
        "no connection of the pool became free within " + TimeUnit.MILLISECONDS.convert(limit) + " ms, because all "
            + size
            + " are in use; close their leases earlier, or make the pool larger");
    try {
      checkOpen();
      var lease = new Lease(connection());
      counters.borrowed.incrementAndGet();
      return lease;
    } catch (AdbcException e) {
      free.release();
      if (e.status() != AdbcStatus.CANCELLED || !Thread.interrupted()) throw e;
      var interrupt = new InterruptedException("interrupted while another thread connects to the database");
      interrupt.initCause(e);
      throw interrupt;
    } catch (Throwable t) {
      free.release();
      throw t;
    }
  }

  private void checkOpen() {
    if (isClosed) throw new IllegalStateException("the pool is closed");
  }

  private AdbcConnection connection() throws InterruptedException {
    for (AdbcConnection used = idle.poll(); used != null; used = idle.poll()) {
      IdleCheck.Result result = IdleCheck.of(used, checkLimit, this::discard);
      if (result == IdleCheck.Result.VALID) return used;
      counters.validationFailures.increment();
      if (result == IdleCheck.Result.INVALID) discard(used);
    }
    AdbcConnection opened = database.connect();
    counters.created.increment();
    return opened;
  }

  /** Closes a connection that failed its check. */
  private void discard(AdbcConnection connection) {
    RuntimeException failure = closed(connection, null);
    if (failure != null) System.getLogger("org.arbalest.device.adbc").log(Level.ERROR,
        "closing a connection that failed its check failed; " + this + " replaces it", failure);
  }

  /** Closes a connection, and returns its failure, after an earlier one; null without any. */
  private @Nullable RuntimeException closed(AdbcConnection connection, @Nullable RuntimeException before) {
    counters.closed.increment();
    return closed((AdbcHandle) connection, before);
  }

  private static @Nullable RuntimeException closed(AdbcHandle handle, @Nullable RuntimeException before) {
    try {
      handle.close();
      return before;
    } catch (RuntimeException e) {
      if (before == null) return e;
      before.addSuppressed(e);
      return before;
    }
  }

  /** Makes a connection available to other threads, or closes it. */
  private void accept(AdbcConnection connection) {
    RuntimeException failure = null;
    try {
      if (isClosed || !isReset(connection)) failure = closed(connection, null);
      else idle.push(connection);
    } finally {
      counters.borrowed.decrementAndGet();
      free.release();
    }
    if (isClosed) failure = closeIdle(failure); // close() may have missed it
    if (failure != null) throw failure;
  }

  /** Ends a transaction that the user of the connection has left; returns whether the connection is usable. */
  private static boolean isReset(AdbcConnection connection) {
    try {
      ((ConnectionImpl) connection).reset();
      return true;
    } catch (RuntimeException _) { // the connection is closed by its user, or lost
      return false;
    }
  }

  /** Closes all idle connections, and returns the first failure, to which the others are added. */
  private @Nullable RuntimeException closeIdle(@Nullable RuntimeException before) {
    RuntimeException failure = before;
    for (AdbcConnection unused = idle.poll(); unused != null; unused = idle.poll()) failure = closed(unused, failure);
    return failure;
  }

  /** Returns the pool's numbers at this moment. */
  public Statistics statistics() {
    return counters.now(size, idle.size());
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
    checkOpen();
    String bean = PoolManagement.register(this, Objects.requireNonNull(name, "name"));
    beans.add(bean);
    if (isClosed) unregisterBeans(); // close() may have missed it
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
    isClosed = true;
    free.release(); // wakes a waiting thread, which checkOpen stops; its own release wakes the next one
    PoolRecording.closed(this);
    RuntimeException failure = closed((AdbcHandle) database, closeIdle(null));
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
    return "pool of " + size + " connections by " + database.driver().name();
  }

  /** The use of a connection by one caller. Closing it twice has no effect. */
  @CheckReturnValue
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
