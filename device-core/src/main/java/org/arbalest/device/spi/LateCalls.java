// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

/**
 * A daemon thread for calls that may not be made where they are asked for, or could not be made: giving memory, events
 * and streams back. One that was refused is made again later; what cannot be given back at all is said once.
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
  private final LinkedTransferQueue<Task> submitted = new LinkedTransferQueue<>();

  /** What is to be tried again, the thread's own. */
  private final PriorityQueue<Task> waiting = new PriorityQueue<>();

  private volatile boolean started;

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
  public void start() {
    if (!started) startThread();
  }

  private synchronized void startThread() {
    if (started) return;
    Thread.ofPlatform().name(name).daemon().start(this::work);
    started = true;
  }

  /** Neither blocks nor takes a lock: a driver's thread may be here (DEV-62). */
  public void submit(Runnable task) {
    submitted.add(new Task(task, 0));
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

  /**
   * Goes on, as {@link #give} does, with a call that was tried once on this thread and ended with a code; nothing if
   * that is over. Does not block.
   */
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
        Task next = take();
        prepare();
        next.body.run();
      } catch (Throwable t) {
        report.failed("work on " + name, t);
      }
    }
  }

  /** The next task that is not to wait; else the first of those that are, when it is due. */
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

  /** A task is run also where this fails, so that none is lost. */
  private void prepare() {
    try {
      before.run();
    } catch (Throwable t) {
      report.failed("beginning on " + name, t);
    }
  }

  /** What to run, and from when on: a time of {@link System#nanoTime}, or 0 for now. */
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
        submitted.add(new Task(this, System.nanoTime() + pause));
        pause = Math.min(pause * 2, LONGEST_NANOS);
        return;
      }
      try {
        if (answer != Answer.DONE && answer != Answer.GONE)
          report.failed("giving back, for good,", failure.apply(code));
      } finally {
        over.run();
      }
    }
  }
}
