// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;

/** The clock and the background threads of a pool. Tests have their own, so that they need not wait. */
public interface PoolTime {
  /** Returns the time, as {@link System#nanoTime}. */
  long nanoTime();

  /** Runs a task on a thread that may block. */
  void start(Runnable task);

  /** Runs a task once, after a delay; after {@link #close} it does nothing. The task must not block. */
  void after(long nanos, Runnable task);

  /** Waits for a change, for at most a time. The caller has the condition's lock. */
  void await(Condition changed, long nanos) throws InterruptedException;

  /** Returns the result of a task, for which it waits for at most a time. */
  <T> T get(Future<T> task, long nanos) throws InterruptedException, ExecutionException, TimeoutException;

  /** Drops the tasks that have not begun, and ends the thread of {@link #after}. */
  void close();

  /** Returns the time of the system. Its threads do not keep the JVM alive. */
  static PoolTime ofSystem() {
    return new OfSystem();
  }

  /** The time of the system. All pools share the threads that may block. */
  final class OfSystem implements PoolTime {
    private static final ExecutorService BLOCKING = Executors.newCachedThreadPool(
        Thread.ofPlatform().daemon().name("arbalest-adbc-pool-", 0).factory());
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Its thread starts with the first task. */
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
        Thread.ofPlatform().daemon().name("arbalest-adbc-pool-timer-" + NUMBER.getAndIncrement()).factory(),
        new ThreadPoolExecutor.DiscardPolicy());

    private OfSystem() {}

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void start(Runnable task) {
      BLOCKING.execute(task);
    }

    @Override
    public void after(long nanos, Runnable task) {
      var _ = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // the caller loops
    public void await(Condition changed, long nanos) throws InterruptedException {
      long _ = changed.awaitNanos(nanos);
    }

    @Override
    public <T> T get(Future<T> task, long nanos) throws InterruptedException, ExecutionException, TimeoutException {
      return task.get(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
      var _ = timer.shutdownNow();
    }
  }
}
