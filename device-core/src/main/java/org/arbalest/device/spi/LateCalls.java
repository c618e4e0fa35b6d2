// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * A daemon thread for deferred calls: releases of memory, events and streams that must not run on the calling thread,
 * or that the runtime refused there. The thread repeats a refused call later. It reports a permanent failure once.
 *
 * <p>All methods may be called from any thread.
 */
public final class LateCalls {
  private static final long SHORTEST_NANOS = 1_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;

  /** The number of unknown answers, in total, after which a call counts as failed. */
  private static final int UNKNOWN_TIMES = 5;

  /** The report of failures that no exception can carry to a caller. */
  public interface Report {
    /** Reports a failure. Does not throw. */
    void failed(String what, Throwable failure);
  }

  private final String name;
  private final Runnable before;
  private final IntFunction<Answer> answers;
  private final Report report;
  private final LinkedTransferQueue<Task> submitted = new LinkedTransferQueue<>();

  /** The tasks to repeat; only the thread uses them. */
  private final PriorityQueue<Task> waiting = new PriorityQueue<>();

  private volatile boolean started;

  /**
   * Creates the thread, and does not start it.
   *
   * @param name the thread's name
   * @param before runs before each task
   * @param answers maps the runtime's codes to done, gone with the runtime, failed permanently, or to be repeated
   * @param report receives failures
   */
  public LateCalls(String name, Runnable before, IntFunction<Answer> answers, Report report) {
    this.name = name;
    this.before = before;
    this.answers = answers;
    this.report = report;
  }

  /**
   * Starts the thread, which may fail. Call it before any resource exists whose release may be deferred. Does nothing
   * after the first success.
   */
  public void start() {
    if (!started) startThread();
  }

  private synchronized void startThread() {
    if (started) return;
    Thread.ofPlatform().name(name).daemon().start(this::work);
    started = true;
  }

  /** Runs a task on the thread. Neither blocks nor takes a lock, because a driver's thread may call it (DEV-62). */
  public void submit(Runnable task) {
    submitted.add(new Task(task, 0));
  }

  /**
   * Runs a release on the thread, and repeats it until it succeeds or fails permanently. Does not block.
   *
   * @param attempt makes the call, and returns the runtime's code
   * @param failure creates the exception for the code of a permanent failure
   */
  public void give(IntSupplier attempt, IntFunction<? extends RuntimeException> failure) {
    submit(new Attempts(attempt, failure, () -> {}));
  }

  /**
   * Continues a release whose first attempt was on the calling thread. If the code asks for another attempt, the
   * release continues as {@link #give} does; a permanent failure is reported at once. Does not block.
   *
   * @param code the code of the first attempt
   */
  public void goOn(int code, IntSupplier attempt, IntFunction<? extends RuntimeException> failure) {
    goOn(code, attempt, failure, () -> {});
  }

  /**
   * Continues a release like {@link #goOn(int, IntSupplier, IntFunction)}, with an action for its end.
   *
   * @param over runs once, after the last attempt, successful or not, on this thread or on the deferred calls' thread;
   *     does not throw
   */
  public void goOn(int code, IntSupplier attempt, IntFunction<? extends RuntimeException> failure, Runnable over) {
    new Attempts(attempt, failure, over).settle(code);
  }

  /**
   * Blocks until the thread has run each task submitted before, or has made one attempt of it. The thread must be
   * started. Not interruptible: the interrupt status is restored at the end.
   */
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
        Task next = take();
        prepare();
        next.body.run();
      } catch (Throwable t) {
        report.failed("work on " + name, t);
      }
    }
  }

  /** Returns the next task that is due at once. Without one, returns the first waiting task when its time comes. */
  private Task take() throws InterruptedException {
    while (true) {
      Task first = waiting.peek();
      Task next =
          first == null ? submitted.take() : submitted.poll(first.due - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (next == null) return waiting.remove();
      if (next.due == 0) return next;
      waiting.add(next);
    }
  }

  /** The task runs even if the preparation fails, so that no task is lost. */
  private void prepare() {
    try {
      before.run();
    } catch (Throwable t) {
      report.failed("beginning on " + name, t);
    }
  }

  /** A task and its due time, on the clock of {@link System#nanoTime}; 0 if it is due at once. */
  private record Task(Runnable body, long due) implements Comparable<Task> {
    @Override
    public int compareTo(Task other) {
      return Long.signum(due - other.due);
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
      } catch (Throwable t) { // the thread reports it
        over.run();
        throw t;
      }
      settle(code);
    }

    void settle(int code) {
      Answer answer = answers.apply(code);
      boolean isUnknown = answer == Answer.UNKNOWN && ++unknown < UNKNOWN_TIMES;
      if (answer == Answer.NOT_READY || answer.saysNothing() || isUnknown) {
        long due = System.nanoTime() + pause;
        pause = Math.min(pause * 2, LONGEST_NANOS); // first: the next attempt may run on another thread
        submitted.add(new Task(this, due));
        return;
      }
      try {
        if (answer != Answer.DONE && answer != Answer.GONE)
          report.failed("a deferred release, which is not retried,", failure.apply(code));
      } finally {
        over.run();
      }
    }
  }
}
