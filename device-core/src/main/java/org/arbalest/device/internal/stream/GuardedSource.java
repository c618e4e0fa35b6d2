// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader.Source;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Leaks;
import org.jspecify.annotations.Nullable;

/**
 * A reader's source, with the lock under which the source is pulled, closed and passed on. The source is closed once,
 * and not during a pull.
 */
final class GuardedSource<A extends DeviceArray> {
  /**
   * The state leaves OPEN once: by close, on any thread, or by a call that consumes the reader (STR-11, STR-18). The
   * source of a closed reader is closed under the lock, by the first thread that can do so.
   */
  private static final class State {
    static final State OPEN = new State("not closed");
    static final State CLOSED = new State("closed");

    /** The end of the sentence "the reader was …". */
    final String text;

    State(String text) {
      this.text = text;
    }
  }

  private final Source<A> source;
  private final ReentrantLock pulls;
  private final Leaks.@Nullable Watch watch;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  /**
   * Held while the source is cancelled. Therefore the source is not closed meanwhile, and is not cancelled after its
   * close.
   */
  private final Object cancelling = new Object();

  private volatile boolean sourceClosed;

  GuardedSource(Source<A> source, ReentrantLock pulls, Leaks.@Nullable Watch watch) {
    this.source = source;
    this.pulls = pulls;
    this.watch = watch;
  }

  /** Begins the counting of this object, until {@link #drop}. */
  void begin() {
    if (watch != null) watch.opened();
    Counts.READERS.increment();
  }

  void lock() {
    pulls.lock();
  }

  /** Pulls the next array. The caller holds the lock. */
  @Nullable
  A next() throws Exception {
    return source.next();
  }

  /** Requests arrays with only some columns. The caller holds the lock, and has not pulled. */
  boolean select(int[] columns) {
    return source.select(columns);
  }

  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  boolean isClosed() {
    return state.get() == State.CLOSED;
  }

  void checkOpen() {
    State now = state.get();
    if (now != State.OPEN) throw new IllegalStateException("the reader was " + now.text);
  }

  /**
   * Checks before {@link #handOn}. The caller holds the lock.
   *
   * @throws IllegalStateException if the source is not open, or this thread is in a pull or a request of columns
   */
  void checkMayHandOn() {
    checkOpen();
    if (pulls.getHoldCount() > 1)
      throw new IllegalStateException("the reader cannot be consumed by its own source, during a call of it");
  }

  /** Describes a source that is not open, for the reader's text. */
  String text() {
    return state.get().text;
  }

  /**
   * Creates another object for the same source. It has the source after {@link #handOn}, which is called under the
   * lock.
   */
  GuardedSource<A> heir(Leaks.@Nullable Watch heirsWatch) {
    return new GuardedSource<>(source, new ReentrantLock(), heirsWatch);
  }

  /**
   * Passes the source to an heir. The caller holds the lock.
   *
   * @param operation the call that consumes the reader, for messages
   * @param heirs the objects that are counted from now on instead of this one
   * @throws IllegalStateException if this object was closed meanwhile; then nothing has changed
   */
  void handOn(String operation, GuardedSource<?>... heirs) {
    State consumed = new State("consumed by " + operation);
    for (GuardedSource<?> heir : heirs) heir.begin();
    if (state.compareAndSet(State.OPEN, consumed)) {
      drop();
    } else {
      for (GuardedSource<?> heir : heirs) heir.drop();
      checkOpen();
    }
  }

  /** Ends the counting of this object, whose source belongs to another object or is being closed. */
  void drop() {
    Counts.READERS.decrement();
    if (watch != null) watch.closed();
  }

  /**
   * Closes the source. If another thread pulls, cancels the source instead, and the source is closed after the pull.
   */
  void close() {
    state.compareAndSet(State.OPEN, State.CLOSED);
    if (!isClosed() || sourceClosed) return;
    if (pulls.isHeldByCurrentThread()) return; // the source closes its own reader: next() closes the source
    if (!pulls.tryLock()) {
      cancelSource();
      return;
    }
    Throwable t = unlock();
    if (t == null) return;
    if (t instanceof Error e) throw e;
    throw t instanceof RuntimeException e ? e : new IllegalStateException("the source declares no " + t, t);
  }

  private void cancelSource() {
    synchronized (cancelling) {
      if (!sourceClosed) source.cancel();
    }
  }

  /**
   * Releases the lock, and closes the source if a close is pending. A close that found the lock taken has left that to
   * this thread.
   *
   * @return the failure of closing the source, or null
   */
  @Nullable
  Throwable unlock() {
    Throwable failed = null;
    do {
      try {
        if (isClosed() && !sourceClosed && pulls.getHoldCount() == 1) {
          synchronized (cancelling) {
            sourceClosed = true;
          }
          drop();
          source.close();
        }
      } catch (Throwable t) {
        failed = t;
      } finally {
        pulls.unlock();
      }
    } while (isClosed() && !pulls.isHeldByCurrentThread() && !sourceClosed && pulls.tryLock());
    return failed;
  }
}
