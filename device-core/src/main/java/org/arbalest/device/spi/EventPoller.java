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
 * A poller of events, for a runtime without callbacks, or with callbacks that make other work wait. It queues nothing
 * on the device. Its waits therefore never block other work, and other work never blocks them (DEV-25).
 *
 * <p>One daemon thread queries all pending events, in rounds. For {@value #BUSY_NANOS} ns after the last change it does
 * nothing else. It then sleeps between the rounds for a 32nd of the time since that change, at most
 * {@value #LONGEST_NANOS} ns. Without a pending event it is parked.
 *
 * <p>Each completion is called once, when its event is done or has failed. An answer that
 * {@linkplain Answer#CANNOT_TELL says nothing} completes no event. When the runtime is {@linkplain Answer#GONE gone},
 * no further completion is called, and the thread ends.
 *
 * <p>All methods may be called from any thread.
 */
public final class EventPoller {
  private static final long BUSY_NANOS = 100_000;
  private static final long SHORTEST_NANOS = 20_000;
  private static final long LONGEST_NANOS = 2_000_000;

  /** The time that a query may take before another thread continues with the other events. */
  private static final long STUCK_NANOS = 5_000_000;

  /** The number of successive unknown answers after which an event counts as failed. */
  private static final int UNKNOWN_TIMES = 3;

  /** The queries to a runtime. Only the poller's threads call it; its methods must not throw. */
  public interface Asker {
    /**
     * Prepares a round; called on the round's thread. Any answer except {@link Answer#DONE} is the answer for all
     * events of the round, and {@link #leave} is not called.
     */
    default Answer enter() {
      return Answer.DONE;
    }

    /** Ends a round; called on the round's thread. */
    default void leave() {}

    /** Returns the state of an event; does not wait for it. */
    Answer ask(long event);

    /** Reports a failure that no exception can carry to a caller. */
    void report(String what, Throwable failure);
  }

  private final String name;
  private final Asker runtime;
  private final ConcurrentLinkedQueue<Pending> added = new ConcurrentLinkedQueue<>();

  /** The events of the next round. Only the current worker uses them, and its successor when the worker is stuck. */
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
   * Creates a poller, and starts its threads.
   *
   * @param name the thread's name
   * @param runtime the queries to the runtime
   * @param mayBlock whether a query may take as long as an unrelated call, as queries of HIP may. A second thread then
   *     watches the first, and starts a successor when it is stuck
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
   * Calls a completion when an event is done or has failed. The caller keeps the event until then.
   *
   * <p>The method does not fail, does not wait, and takes no lock: it may be called wherever the runtime may be called.
   */
  public void add(long event, Completion completion) {
    added.add(new Pending(event, completion));
    Worker now = worker.get();
    if (now != null) LockSupport.unpark(now.thread);
  }

  /**
   * Blocks until an event is done or has failed, or until a time limit. Not interruptible: the interrupt status is
   * restored at the end.
   *
   * @param nanos the limit in nanoseconds
   * @return {@link Answer#DONE} if the event is done or has failed; {@link Answer#CAPTURED}; or
   *     {@link Answer#NOT_READY}
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

  /**
   * The completion of a thread in {@link #await}. At the time limit the thread may leave, and destroy the event, but
   * not during a query of that event.
   */
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

    /** Leaves, and returns whether the completion was called before. */
    boolean hasEnded() {
      boolean interrupted = false;
      while (!state.compareAndSet(WAITS, HAS_GONE)) { // a query may take long
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
      throw new UnsupportedOperationException("a waiting thread has no native callback");
    }

    @Override
    public long hostFunction() {
      throw new UnsupportedOperationException("a waiting thread has no native callback");
    }

    @Override
    public long eventCallback() {
      throw new UnsupportedOperationException("a waiting thread has no native callback");
    }
  }

  /**
   * A thread that queries the events. Only one works at a time. If a query is stuck, the next worker takes over all
   * events except the one of that query.
   */
  private final class Worker implements Runnable {
    private final @Nullable Worker before;
    private final AtomicReference<@Nullable Pending> asked = new AtomicReference<>();
    private volatile Thread thread = Thread.currentThread(); // until the worker runs
    private volatile long askedSince;
    private volatile boolean busy;
    private boolean replaced;
    private long changed = System.nanoTime();

    Worker(@Nullable Worker before) {
      this.before = before;
      this.busy = before != null; // a successor takes over the pending events, and must be watched as well
    }

    @Override
    public void run() {
      thread = Thread.currentThread();
      if (before != null) {
        Pending stuck = before.asked.get();
        // the query has returned, and the worker continues by itself
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

    @SuppressWarnings("ThreadPriorityCheck") // only a hint: the thread that makes progress may need the core
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
