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
 * A reader's source, and the lock under which it is pulled, closed and handed on. It is closed once, and not while it
 * is pulled.
 */
final class GuardedSource {
  /**
   * Left once, by close, from any thread, or by an export (STR-11). The source of a closed reader is closed under the
   * lock, by whoever gets there.
   */
  private enum State {
    OPEN,
    CLOSED,
    EXPORTED
  }

  private final Source source;
  private final ReentrantLock pulls;
  private final Leaks.@Nullable Watch watch;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  /** Held while the source is asked to give up: it is not closed meanwhile, and not asked afterwards. */
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

  /** Under the lock. */
  @Nullable
  DeviceArray next() throws Exception {
    return source.next();
  }

  boolean isOpen() {
    return state.get() == State.OPEN;
  }

  boolean isClosed() {
    return state.get() == State.CLOSED;
  }

  void checkOpen() {
    switch (state.get()) {
      case OPEN -> {}
      case CLOSED -> throw new IllegalStateException("the reader was closed");
      case EXPORTED -> throw new IllegalStateException("the reader was exported");
    }
  }

  /** Another that has the source, if {@link #handOn} is called, under the lock; or is dropped by {@link #drop}. */
  GuardedSource heir(Leaks.@Nullable Watch heirsWatch) {
    return new GuardedSource(source, new ReentrantLock(), heirsWatch);
  }

  /** The heir has the source from now on; false if it was closed. */
  boolean handOn() {
    if (!state.compareAndSet(State.OPEN, State.EXPORTED)) return false;
    drop();
    return true;
  }

  /** It does not count any more, and its source is another's. */
  void drop() {
    Counts.READERS.decrement();
    if (watch != null) watch.closed();
  }

  /** Closes the source, or asks it to give up if it is being pulled; then it is closed behind the pull. */
  void close() {
    state.compareAndSet(State.OPEN, State.CLOSED);
    if (!isClosed() || sourceClosed) return;
    if (pulls.isHeldByCurrentThread()) return; // the source closes its own reader: next() does it
    if (!pulls.tryLock()) {
      cancelSource();
      return;
    }
    switch (unlock()) {
      case null -> {}
      case Error e -> throw e;
      case RuntimeException e -> throw e;
      case Throwable t -> throw new IllegalStateException("the source declares no " + t, t);
    }
  }

  private void cancelSource() {
    synchronized (cancelling) {
      if (!sourceClosed) source.cancel();
    }
  }

  /**
   * Leaves the lock, and closes the source if somebody wants it closed: a close that found the lock taken has left that
   * to us.
   *
   * @return what closing the source failed with
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
