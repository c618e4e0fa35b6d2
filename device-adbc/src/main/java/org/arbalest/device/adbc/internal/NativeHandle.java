// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * A database, connection or statement of a driver: the 16 bytes of its struct. Held by its Java handle, by calls, by what was opened from it, and by its results; the last that leaves releases it, and then
 * leaves what it was opened from: a database the driver's table.
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
  }

  final Kind kind;
  final DriverTable driver;
  final MemorySegment struct;

  /** Taken for every call, but those that may be made while another runs. */
  final Turn turn;

  private final @Nullable NativeHandle parent;
  private final AtomicLong holders = new AtomicLong(1);

  /** Under the turn's calls. */
  private final List<Waiting> waiting = new ArrayList<>(0);

  /** A call that waits for its turn. */
  private static final class Waiting {
    final Thread caller;

    /** Whether cancelling the handle ends it, or only its caller does. */
    final boolean isOfHandle;

    boolean isCancelled;

    Waiting(Thread caller, boolean isOfHandle) {
      this.caller = caller;
      this.isOfHandle = isOfHandle;
    }
  }

  private NativeHandle(Kind kind, DriverTable driver, Turn turn, @Nullable NativeHandle parent) {
    this.kind = kind;
    this.driver = driver;
    this.turn = turn;
    this.parent = parent;
    this.struct = STRUCTS.take();
    struct.set(ADDRESS, PRIVATE_DRIVER, driver.struct());
  }

  /** What {@link #open} calls to make the driver's object, and to finish it. */
  interface Opening {
    void make(NativeHandle handle);

    void finish(NativeHandle handle);
  }

  /** Makes one, held by the caller. If finishing it fails, it is released; whatever fails, a database's table is as well. */
  static NativeHandle open(Kind kind, DriverTable driver, Turn turn, @Nullable NativeHandle parent, Opening opening) {
    if (parent != null) parent.hold();
    var handle = new NativeHandle(kind, driver, turn, parent);
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
    if (!turn.takeOr(this, this::end)) return;
    try {
      try {
        driver.call(kind.release, (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
      } finally {
        turn.leave();
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
   * Waits for the turn, for a call. Left by {@link Turn#leave}.
   *
   * @param pull the result that is to be pulled, if it is that, which ends as well when the result is closed
   * @param isOfHandle whether {@link #cancel} ends it that is for all calls
   */
  void takeTurn(@Nullable ResultSource pull, boolean isOfHandle) {
    turn.need(true);
    try {
      synchronized (turn.calls) {
        if (pull != null) pull.checkNotClosed();
        if (!turn.tryTake(this, isOfHandle)) await(pull, new Waiting(Thread.currentThread(), isOfHandle));
      }
    } catch (Throwable t) {
      turn.needsNoMore();
      throw t;
    }
  }

  private void await(@Nullable ResultSource pull, Waiting call) {
    boolean isInterrupted = false;
    waiting.add(call);
    try {
      do {
        isInterrupted |= turn.await();
        if (call.isCancelled) throw cancelled();
        if (pull != null) pull.checkNotClosed();
      } while (!turn.tryTake(this, call.isOfHandle));
    } finally {
      waiting.remove(call);
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  private AdbcException cancelled() {
    return AdbcException.of("A call of the " + kind.noun, AdbcStatus.CANCELLED.code()).driver(driver.name())
        .message("it was cancelled before the driver was called").build();
  }

  /**
   * Has its call that runs given up by a function of the driver's, and those that wait. No other: there are drivers whose cancel is the connection's, whatever it executes.
   *
   * @param caller whose call it is; null for those of all
   * @param before makes what runs give up that the driver waits for, as the driver's cancel may wait for it; whether there was such a thing
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if there is nothing to cancel
   */
  void cancel(AdbcFunction function, @Nullable Thread caller, BooleanSupplier before) {
    synchronized (turn.calls) {
      boolean isWaiting = cancelWaiting(caller);
      if (!turn.runs(this, caller)) {
        if (isWaiting) return;
        if (driver.function(function) != null) {
          throw AdbcException.of(function.symbol(), AdbcStatus.INVALID_STATE.code()).driver(driver.name()).message("nothing of the " + kind.noun + " runs")
              .build();
        }
      }
      turn.beginCancel();
    }
    boolean hasGivenUp = false;
    try {
      try {
        hasGivenUp = before.getAsBoolean();
      } finally {
        driver.call(function, (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
      }
    } catch (AdbcException e) {
      if (!hasGivenUp || e.status() != AdbcStatus.INVALID_STATE) throw e; // it was over by that
    } finally {
      turn.endCancel();
    }
  }

  /** Whether there was any. */
  private boolean cancelWaiting(@Nullable Thread caller) {
    boolean isAny = false;
    for (Waiting call : waiting) {
      if (caller == null ? call.isOfHandle : call.caller.equals(caller)) {
        call.isCancelled = true;
        isAny = true;
      }
    }
    if (isAny) turn.calls.notifyAll();
    return isAny;
  }
}
