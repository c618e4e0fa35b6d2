// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Tells of events by asking for them, for a runtime that does not call back, or at whose callbacks others would have to
 * wait. Nothing is queued on the device: so no wait ever stands before others' work, or behind it (DEV-25).
 *
 * <p>One daemon thread asks for all events that somebody waits for, in rounds. For {@value #BUSY_NANOS} ns after the
 * last change it does nothing else; then it sleeps between the rounds, for a 32nd of the time since, at most
 * {@value #LONGEST_NANOS} ns. Where nobody waits it is parked.
 *
 * <p>Each is told once: when its event is done or has failed, never by an answer that
 * {@linkplain Answer#CANNOT_TELL cannot tell}. When the runtime is {@linkplain Answer#GONE gone}, nobody is told any
 * more, and the thread ends.
 */
public final class EventPoller {
  private static final long BUSY_NANOS = 100_000;
  private static final long SHORTEST_NANOS = 20_000;
  private static final long LONGEST_NANOS = 2_000_000;

  /** How long a question may take until another thread goes on with the others. */
  private static final long STUCK_NANOS = 5_000_000;

  /** So often an unknown answer has to come for an event to count as failed. */
  private static final int UNKNOWN_TIMES = 3;

  /** How a runtime is asked. Called from the poller's threads only; nothing is to be thrown. */
  public interface Asker {
    /**
     * Called before a round, on the round's thread; if it answers anything but {@link Answer#DONE}, that is the answer
     * for all events of the round, and nothing is to be left.
     */
    default Answer enter() {
      return Answer.DONE;
    }

    /** Called after a round. */
    default void leave() {}

    /** What has become of an event; does not wait for it. */
    Answer ask(long event);

    /** Says what nobody can be told by an exception. */
    void report(String what, Throwable failure);
  }

  private final String name;
  private final Asker runtime;
  private final ConcurrentLinkedQueue<Pending> added = new ConcurrentLinkedQueue<>();

  /** Who is asked for in the next round: the current worker's, and its successor's when it is stuck. */
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();

  private final AtomicReference<@Nullable Worker> worker = new AtomicReference<>();
  private final @Nullable Thread watch;
  private volatile boolean gone;

  private static final class Pending {
    final long event;
    final Completion completion;
    int unknown;

    Pending(long event, Completion completion) {
      this.event = event;
      this.completion = completion;
    }
  }

  /**
   * A poller, whose threads are started here.
   *
   * @param name of its thread
   * @param mayBlock whether a question may take as long as somebody else's call, as HIP's do: then a second thread
   *     watches, and has another go on
   */
  public EventPoller(String name, Asker runtime, boolean mayBlock) {
    this.name = name;
    this.runtime = runtime;
    this.watch = mayBlock ? Thread.ofPlatform().name(name + "-watch").daemon().unstarted(this::watch) : null;
    start(new Worker(null));
    if (watch != null) watch.start();
  }

  private void start(Worker next) {
    Thread.ofPlatform().name(name).daemon().start(next);
  }

  /**
   * Lets somebody be told when an event is over. Neither fails nor waits, for a lock least of all: it may be called
   * wherever the runtime may be.
   */
  public void add(long event, Completion completion) {
    added.add(new Pending(event, completion));
    Worker now = worker.get();
    if (now != null) LockSupport.unpark(now.thread);
  }

  /**
   * Blocks until an event is done or has failed, or for so long.
   *
   * @return {@link Answer#DONE} if it is over, done or failed; {@link Answer#CAPTURED}; or {@link Answer#NOT_READY}
   */
  public Answer await(long event, long nanos) {
    var waiting = new Waiting();
    add(event, waiting);
    boolean interrupted = false;
    long end = System.nanoTime() + nanos;
    try {
      while (true) {
        try {
          boolean hasAnswer = waiting.over.await(end - System.nanoTime(), TimeUnit.NANOSECONDS) || waiting.hasEnded();
          return hasAnswer ? waiting.answer : Answer.NOT_READY;
        } catch (InterruptedException _) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }

  /** A thread that waits, and may go away with its event: not while that is asked for. */
  private static final class Waiting implements Completion {
    private static final int WAITS = 0;
    private static final int IS_ASKED_FOR = 1;
    private static final int HAS_GONE = 2;

    final CountDownLatch over = new CountDownLatch(1);
    volatile Answer answer = Answer.DONE;
    private final AtomicInteger state = new AtomicInteger(WAITS);

    boolean begin() {
      return state.compareAndSet(WAITS, IS_ASKED_FOR);
    }

    void end() {
      state.set(WAITS);
    }

    /** Goes away; whether it was told before. */
    boolean hasEnded() {
      boolean interrupted = false;
      while (!state.compareAndSet(WAITS, HAS_GONE)) { // a question may take long
        LockSupport.parkNanos(SHORTEST_NANOS);
        interrupted |= Thread.interrupted();
      }
      if (interrupted) Thread.currentThread().interrupt();
      return over.getCount() == 0;
    }

    @Override
    public void complete() {
      over.countDown();
    }

    @Override
    public void captured() {
      answer = Answer.CAPTURED;
      over.countDown();
    }

    @Override
    public long userData() {
      throw new UnsupportedOperationException("no C is told");
    }

    @Override
    public long hostFunction() {
      throw new UnsupportedOperationException("no C is told");
    }

    @Override
    public long eventCallback() {
      throw new UnsupportedOperationException("no C is told");
    }
  }

  /**
   * One thread at a time asks; if it is stuck in a question, the next takes over all that it is not just asking for.
   */
  private final class Worker implements Runnable {
    private final @Nullable Worker before;
    private final AtomicReference<@Nullable Pending> asked = new AtomicReference<>();
    private volatile Thread thread = Thread.currentThread(); // until it runs
    private volatile long askedSince;
    private volatile boolean busy;
    private boolean replaced;
    private long changed = System.nanoTime();

    Worker(@Nullable Worker before) {
      this.before = before;
      this.busy = before != null; // it takes over what is pending, and is to be watched as well
    }

    @Override
    public void run() {
      thread = Thread.currentThread();
      if (before != null) {
        Pending stuck = before.asked.get();
        // it goes on by itself
        if (stuck == null || !before.isStuck() || !before.asked.compareAndSet(stuck, null)) return;
      }
      worker.set(this);
      while (!replaced && !gone) {
        try {
          take();
          if (!pending.isEmpty()) round();
          if (!replaced && !gone) pause();
        } catch (Throwable t) {
          runtime.report(name, t);
        }
      }
    }

    private void take() {
      Pending next;
      boolean more = false;
      while ((next = added.poll()) != null) {
        pending.add(next);
        more = true;
      }
      if (!more) return;
      changed = System.nanoTime();
      busy = true;
      if (watch != null) LockSupport.unpark(watch);
    }

    private void round() {
      Answer all = enter();
      try {
        for (int left = pending.size(); left > 0 && !replaced && !gone; left--) {
          Pending one = pending.remove();
          Waiting thread = one.completion instanceof Waiting waiting ? waiting : null;
          if (thread != null && !thread.begin()) continue;
          Answer answer = all == Answer.DONE ? ask(one) : all;
          if (thread != null) thread.end();
          settle(one, answer);
        }
      } finally {
        if (all == Answer.DONE) runtime.leave();
      }
    }

    private Answer enter() {
      try {
        return runtime.enter();
      } catch (Throwable t) {
        runtime.report(name + ": before a round", t);
        return Answer.CANNOT_TELL;
      }
    }

    private Answer ask(Pending one) {
      askedSince = System.nanoTime();
      asked.set(one);
      try {
        return runtime.ask(one.event);
      } catch (Throwable t) {
        runtime.report(name + ": asking for an event", t);
        return Answer.CANNOT_TELL;
      } finally {
        replaced = asked.getAndSet(null) == null;
      }
    }

    private void settle(Pending one, Answer answer) {
      one.unknown = answer == Answer.UNKNOWN ? one.unknown + 1 : 0;
      if (answer == Answer.GONE) {
        gone = true;
      } else if (answer == Answer.DONE || answer == Answer.FAILED || one.unknown == UNKNOWN_TIMES) {
        changed = System.nanoTime();
        one.completion.complete();
      } else if (answer == Answer.CAPTURED) {
        one.completion.captured();
      } else if (replaced) {
        add(one);
      } else {
        pending.add(one);
      }
    }

    private void add(Pending one) {
      added.add(one);
      Worker now = worker.get();
      if (now != null) LockSupport.unpark(now.thread);
    }

    @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it: who makes progress may need the core
    private void pause() {
      long quiet = System.nanoTime() - changed;
      if (quiet < BUSY_NANOS) {
        Thread.yield();
      } else if (pending.isEmpty()) {
        busy = false;
        if (added.isEmpty()) LockSupport.park(EventPoller.this);
      } else if (added.isEmpty()) {
        LockSupport.parkNanos(EventPoller.this, Math.clamp(quiet / 32, SHORTEST_NANOS, LONGEST_NANOS));
      }
    }

    boolean isStuck() {
      return asked.get() != null && System.nanoTime() - askedSince > STUCK_NANOS;
    }
  }

  private void watch() {
    while (!gone) {
      try {
        Worker now = worker.get();
        if (now == null || now.busy) {
          LockSupport.parkNanos(this, STUCK_NANOS);
        } else {
          LockSupport.park(this);
        }
        if (now != null && now.isStuck() && worker.get() == now) start(new Worker(now));
      } catch (Throwable t) {
        runtime.report(name + "-watch", t);
      }
    }
  }
}
