// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * A database, connection or statement of a driver: the 16 bytes of its struct. Held by its Java handle, by calls, by
 * what was opened from it, and by its results; the last that leaves releases it, and then leaves what it was opened
 * from: a database the driver's table.
 */
final class NativeHandle {
  private static final long PRIVATE_DRIVER = Long.BYTES;
  private static final NativeBlocks STRUCTS = new NativeBlocks(2 * Long.BYTES);

  /** What it is, and the functions for it. */
  enum Kind {
    DATABASE("database", AdbcFunction.DATABASE_RELEASE),
    CONNECTION("connection", AdbcFunction.CONNECTION_RELEASE),
    STATEMENT("statement", AdbcFunction.STATEMENT_RELEASE);

    final String noun;
    private final AdbcFunction release;

    Kind(String noun, AdbcFunction release) {
      this.noun = noun;
      this.release = release;
    }

    /** What gives up a call of it; a database has none that can be given up. */
    AdbcFunction cancel() {
      return this == STATEMENT ? AdbcFunction.STATEMENT_CANCEL : AdbcFunction.CONNECTION_CANCEL;
    }
  }

  final Kind kind;
  final DriverTable driver;
  final MemorySegment struct;

  /** Taken for every call, but those that may be made while another runs. */
  final ConnectionLock lock;

  private final @Nullable NativeHandle parent;
  private final AtomicLong holders = new AtomicLong(1);

  /** See {@link #givesUpBy}. */
  private volatile BooleanSupplier giveUp = () -> false;

  private NativeHandle(Kind kind, DriverTable driver, ConnectionLock lock, @Nullable NativeHandle parent) {
    this.kind = kind;
    this.driver = driver;
    this.lock = lock;
    this.parent = parent;
    this.struct = STRUCTS.take();
    struct.set(ADDRESS, PRIVATE_DRIVER, driver.struct());
  }

  /** What {@link #open} calls to make the driver's object, and to finish it. */
  interface Opening {
    void make(NativeHandle handle);

    void finish(NativeHandle handle);
  }

  /**
   * Makes one, held by the caller. If finishing it fails, it is released; whatever fails, a database's table is as
   * well.
   */
  static NativeHandle open(Kind kind, DriverTable driver, ConnectionLock lock, @Nullable NativeHandle parent,
      Opening opening) {
    if (parent != null) parent.hold();
    var handle = new NativeHandle(kind, driver, lock, parent);
    boolean isMade = false;
    try {
      opening.make(handle);
      isMade = true;
      opening.finish(handle);
      return handle;
    } catch (Throwable t) {
      try {
        if (isMade) {
          handle.leave();
        } else {
          STRUCTS.giveBack(handle.struct);
          handle.leaveParent();
        }
      } catch (RuntimeException second) {
        t.addSuppressed(second);
      }
      throw t;
    }
  }

  /**
   * What asks the readers that feed its calls to give up, as the driver hears of no cancel while it waits for one;
   * answers whether it waits.
   */
  void givesUpBy(BooleanSupplier asking) {
    giveUp = asking;
  }

  /** One more holder; whoever calls this is one. */
  void hold() {
    if (!tryHold()) throw new IllegalStateException("the " + kind.noun + " has no holder any more");
  }

  /** One more holder; false if there is none any more. */
  boolean tryHold() {
    long count;
    do {
      count = holders.get();
      if (count == 0) return false;
    } while (!holders.compareAndSet(count, count + 1));
    return true;
  }

  /** One holder less. */
  void leave() {
    if (holders.decrementAndGet() == 0) end();
  }

  private void end() {
    if (!lock.takeOr(this, this::end)) return;
    try {
      try {
        driver.call(kind.release, (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
      } finally {
        lock.leave();
      }
    } finally {
      STRUCTS.giveBack(struct);
      leaveParent();
    }
  }

  /** A database leaves its table, which is its own. */
  private void leaveParent() {
    if (parent == null) {
      driver.release();
    } else {
      parent.leave();
    }
  }

  /**
   * Waits for the turn, for a call. Left by {@link ConnectionLock#leave}.
   *
   * @param pull the result that is to be pulled, if it is that, which ends as well when the result is closed
   * @param isOfHandle whether {@link #cancel} ends it that is for all calls
   */
  void acquireLock(@Nullable ResultSource pull, boolean isOfHandle) {
    lock.need(true);
    try {
      synchronized (lock.calls) {
        if (pull != null) pull.checkNotClosed();
        if (!lock.tryTake(this, isOfHandle))
          await(pull, new ConnectionLock.Waiting(this, Thread.currentThread(), isOfHandle));
      }
    } catch (Throwable t) {
      lock.needsNoMore();
      throw t;
    }
  }

  private void await(@Nullable ResultSource pull, ConnectionLock.Waiting call) {
    boolean isInterrupted = false;
    lock.beginWait(call);
    try {
      do {
        isInterrupted |= lock.await();
        if (call.isCancelled) throw cancelled();
        if (pull != null) pull.checkNotClosed();
      } while (!lock.tryTake(this, call.isOfHandle));
    } finally {
      lock.endWait(call);
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  private AdbcException cancelled() {
    return AdbcException.of("A call of the " + kind.noun, AdbcStatus.CANCELLED.code()).driver(driver.name())
        .message("it was cancelled before the driver was called").build();
  }

  /**
   * Has a call that runs given up by the driver, and those that wait. No other: there are drivers whose cancel is the
   * connection's, whatever it executes.
   *
   * @param caller whose they are, of whichever handle of the connection; null for those of this one, whoever makes them
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if there is nothing to cancel
   */
  void cancel(@Nullable Thread caller) {
    NativeHandle running;
    synchronized (lock.calls) {
      boolean isWaiting = lock.cancelWaiting(this, caller);
      running = lock.running(this, caller);
      if (running == null) {
        if (isWaiting) return;
        if (driver.function(kind.cancel()) != null) throw nothingRuns();
        running = this;
      }
      lock.beginCancel(); // from here on what runs is not released
    }
    try {
      running.callCancel();
    } finally {
      lock.endCancel();
    }
  }

  private AdbcException nothingRuns() {
    return AdbcException.of(kind.cancel().symbol(), AdbcStatus.INVALID_STATE.code()).driver(driver.name())
        .message("nothing of the " + kind.noun + " runs")
        .build();
  }

  /** What feeds it is asked first: the driver's cancel may wait for the call, which waits for that. */
  private void callCancel() {
    boolean hasGivenUp = false;
    try {
      try {
        hasGivenUp = giveUp.getAsBoolean();
      } finally {
        driver.call(kind.cancel(), (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
      }
    } catch (AdbcException e) {
      if (!hasGivenUp || e.status() != AdbcStatus.INVALID_STATE) throw e; // it was over by that
    }
  }

  /** Whether it is not being released. */
  boolean isHeld() {
    return holders.get() > 0;
  }
}
