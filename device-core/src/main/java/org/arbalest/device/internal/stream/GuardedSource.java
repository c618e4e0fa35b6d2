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
final class GuardedSource {
  /**
   * The state leaves OPEN once: by close, on any thread, or by an export (STR-11) or a {@code select}. The source of a
   * closed reader is closed under the lock, by the first thread that can do so.
   */
  private enum State {
    OPEN,
    CLOSED,
    PASSED_ON
  }

  private final Source source;
  private final ReentrantLock pulls;
  private final Leaks.@Nullable Watch watch;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  /**
   * Held while the source is cancelled. Therefore the source is not closed meanwhile, and is not cancelled after its
   * close.
   */
  private final Object cancelling = new Object();

  private volatile boolean sourceClosed;

  GuardedSource(Source source, ReentrantLock pulls, Leaks.@Nullable Watch watch) {
    this.source = source;
    this.pulls = pulls;
    this.watch = watch;
    if (watch != null) watch.opened();
    Counts.READERS.increment();
  }

  void lock() {
    pulls.lock();
  }

  /** Pulls the next array. The caller holds the lock. */
  @Nullable
  DeviceArray next() throws Exception {
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

  boolean isPassedOn() {
    return state.get() == State.PASSED_ON;
  }

  void checkOpen() {
    switch (state.get()) {
      case OPEN -> {}
      case CLOSED -> throw new IllegalStateException("the reader was closed");
      case PASSED_ON -> throw new IllegalStateException("the reader was exported, or consumed by select");
    }
  }

  /**
   * Creates another object for the same source. It has the source after {@link #handOn}, which is called under the
   * lock. Otherwise {@link #drop} discards it.
   */
  GuardedSource heir(Leaks.@Nullable Watch heirsWatch) {
    return new GuardedSource(source, new ReentrantLock(), heirsWatch);
  }

  /** Passes the source to the heir. Returns false if this object was closed. */
  boolean handOn() {
    if (!state.compareAndSet(State.OPEN, State.PASSED_ON)) return false;
    drop();
    return true;
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
