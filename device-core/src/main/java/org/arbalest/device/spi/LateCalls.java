// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A daemon thread for calls that may not be made where they are asked for, or could not be made: giving memory, events and streams back. One that was refused
 * is made again later; what cannot be given back at all is said once.
 */
public final class LateCalls {
  private static final long SHORTEST_NANOS = 1_000_000;
  private static final long LONGEST_NANOS = 1_000_000_000;

  /** So often a call is made that ends with an unknown code. */
  private static final int UNKNOWN_TIMES = 5;

  /** Something that is to be given back. */
  public interface Call {
    /** Tries it: done, gone with the runtime, failed for good, or to be tried again. */
    Answer attempt();

    /** What it failed with when it was tried last. */
    RuntimeException failure();
  }

  /** How a backend says what nobody can be told by an exception. */
  public interface Report {
    /** Does not throw. */
    void failed(String what, Throwable failure);
  }

  private final String name;
  private final Runnable first;
  private final Report report;
  private final DelayQueue<Task> tasks = new DelayQueue<>();
  private final AtomicLong submitted = new AtomicLong();
  private boolean started;

  /**
   * A thread, which is not started yet.
   *
   * @param first what it does before anything else
   */
  public LateCalls(String name, Runnable first, Report report) {
    this.name = name;
    this.first = first;
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

  /** Gives something back on the thread. Does not block. */
  public void give(Call call) {
    submit(new Attempts(call));
  }

  /** Goes on with a call that was tried once on this thread; nothing if that is over. Does not block. */
  public void goOn(Answer answer, Call call) {
    Attempts attempts = new Attempts(call);
    attempts.settle(answer);
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
    try {
      first.run();
    } catch (Throwable t) {
      report.failed("beginning " + name, t);
    }
    while (true) {
      try {
        tasks.take().body.run();
      } catch (Throwable t) {
        report.failed("work on " + name, t);
      }
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
    private final Call call;
    private long pause = SHORTEST_NANOS;
    private int unknown;

    Attempts(Call call) {
      this.call = call;
    }

    @Override
    public void run() {
      settle(call.attempt());
    }

    void settle(Answer answer) {
      boolean isUnknown = answer == Answer.UNKNOWN && ++unknown < UNKNOWN_TIMES;
      if (answer == Answer.DONE || answer == Answer.GONE) return;
      if (answer == Answer.NOT_READY || answer == Answer.CANNOT_TELL || isUnknown) {
        tasks.add(new Task(this, submitted.getAndIncrement(), pause));
        pause = Math.min(pause * 2, LONGEST_NANOS);
      } else {
        report.failed("giving back, for good,", call.failure());
      }
    }
  }
}
