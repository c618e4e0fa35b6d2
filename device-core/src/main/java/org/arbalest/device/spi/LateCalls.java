// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * A daemon thread for calls that may not be made where they are asked for, or could not be made: giving memory, events and streams back. One that was refused
 * is made again later; what cannot be given back at all is said once.
 */
public final class LateCalls {
  private static final long SHORTEST_NANOS = 1_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;

  /** So often a call is made that ends with an unknown code. */
  private static final int UNKNOWN_TIMES = 5;

  /** How a backend says what nobody can be told by an exception. */
  public interface Report {
    /** Does not throw. */
    void failed(String what, Throwable failure);
  }

  private final String name;
  private final Runnable before;
  private final IntFunction<Answer> answers;
  private final Report report;
  private final DelayQueue<Task> tasks = new DelayQueue<>();
  private final AtomicLong submitted = new AtomicLong();
  private boolean started;

  /**
   * A thread, which is not started yet.
   *
   * @param before what it does before each task
   * @param answers what the runtime's codes say: done, gone with the runtime, failed for good, or to be tried again
   */
  public LateCalls(String name, Runnable before, IntFunction<Answer> answers, Report report) {
    this.name = name;
    this.before = before;
    this.answers = answers;
    this.report = report;
  }

  /** Starts the thread, which may fail: to be called before there is something that must be done. */
  public synchronized void start() {
    if (started) return;
    Thread.ofPlatform().name(name).daemon().start(this::work);
    started = true;
  }

  /** Does not block. */
  public void submit(Runnable task) {
    tasks.add(new Task(task, submitted.getAndIncrement()));
  }

  /**
   * Gives something back on the thread, until that is done or has failed for good. Does not block.
   *
   * @param attempt tries it, and answers with the runtime's code
   * @param failure what a code means that is an error
   */
  public void give(IntSupplier attempt, IntFunction<? extends RuntimeException> failure) {
    submit(new Attempts(attempt, failure, () -> {}));
  }

  /** Goes on, as {@link #give} does, with a call that was tried once on this thread and ended with a code; nothing if that is over. Does not block. */
  public void goOn(int code, IntSupplier attempt, IntFunction<? extends RuntimeException> failure) {
    goOn(code, attempt, failure, () -> {});
  }

  /**
   * Likewise, with somebody who is told when the call will not be made any more: it was, or has failed for good.
   *
   * @param over run once, on this thread or that one; does not throw
   */
  public void goOn(int code, IntSupplier attempt, IntFunction<? extends RuntimeException> failure, Runnable over) {
    new Attempts(attempt, failure, over).settle(code);
  }

  /** Waits until what was submitted before is done, or was tried. */
  public void drain() {
    var done = new CountDownLatch(1);
    submit(done::countDown);
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  private void work() {
    while (true) {
      try {
        Task next = tasks.take();
        prepare();
        next.body.run();
      } catch (Throwable t) {
        report.failed("work on " + name, t);
      }
    }
  }

  /** A task is run also where this fails, so that none is lost. */
  private void prepare() {
    try {
      before.run();
    } catch (Throwable t) {
      report.failed("beginning on " + name, t);
    }
  }

  /** In the order in which they were submitted, but for those that are to wait. */
  private static final class Task implements Delayed {
    final Runnable body;
    private final long number;
    private final long due;

    Task(Runnable body, long number) {
      this.body = body;
      this.number = number;
      this.due = 0;
    }

    Task(Runnable body, long number, long delay) {
      this.body = body;
      this.number = number;
      this.due = System.nanoTime() + delay;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return due == 0 ? 0 : unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      Task that = (Task) other;
      if (due == 0 || that.due == 0) return due == that.due ? Long.compare(number, that.number) : due == 0 ? -1 : 1;
      int first = Long.compare(due - that.due, 0);
      return first != 0 ? first : Long.compare(number, that.number);
    }
  }

  private final class Attempts implements Runnable {
    private final IntSupplier attempt;
    private final IntFunction<? extends RuntimeException> failure;
    private final Runnable over;
    private long pause = SHORTEST_NANOS;
    private int unknown;

    Attempts(IntSupplier attempt, IntFunction<? extends RuntimeException> failure, Runnable over) {
      this.attempt = attempt;
      this.failure = failure;
      this.over = over;
    }

    @Override
    public void run() {
      int code;
      try {
        code = attempt.getAsInt();
      } catch (Throwable t) { // said by the thread
        over.run();
        throw t;
      }
      settle(code);
    }

    void settle(int code) {
      Answer answer = answers.apply(code);
      boolean isUnknown = answer == Answer.UNKNOWN && ++unknown < UNKNOWN_TIMES;
      if (answer == Answer.NOT_READY || answer.saysNothing() || isUnknown) {
        tasks.add(new Task(this, submitted.getAndIncrement(), pause));
        pause = Math.min(pause * 2, LONGEST_NANOS);
        return;
      }
      try {
        if (answer != Answer.DONE && answer != Answer.GONE) report.failed("giving back, for good,", failure.apply(code));
      } finally {
        over.run();
      }
    }
  }
}
