// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * A database, connection or statement of a driver: the 16 bytes of its struct.
 *
 * <p>It is reference-counted. References belong to its Java handle, to calls, to objects that were opened from it, and
 * to its results. When the last reference is released, the driver's object is released. Then the handle releases its
 * reference to its parent; a database releases the driver's table.
 */
final class NativeHandle {
  private static final long PRIVATE_DRIVER = Long.BYTES;
  private static final NativeBlocks STRUCTS = new NativeBlocks(2 * Long.BYTES);

  /** The kind of object, and its functions. */
  enum Kind {
    DATABASE("database", AdbcFunction.DATABASE_RELEASE),
    CONNECTION("connection", AdbcFunction.CONNECTION_RELEASE),
    STATEMENT("statement", AdbcFunction.STATEMENT_RELEASE),
    /** Several results of a statement; calls of it are calls of the statement. */
    RESULT_SET("result set", AdbcFunction.MULTI_RESULT_SET_RELEASE);

    final String noun;
    private final AdbcFunction release;

    Kind(String noun, AdbcFunction release) {
      this.noun = noun;
      this.release = release;
    }

    /** Returns the function that cancels a call; a database has none, and its calls cannot be cancelled. */
    AdbcFunction cancel() {
      return this == DATABASE || this == CONNECTION ? AdbcFunction.CONNECTION_CANCEL : AdbcFunction.STATEMENT_CANCEL;
    }
  }

  final Kind kind;
  final DriverTable driver;
  final MemorySegment struct;

  /** The lock for all calls, except those that may run during another call. */
  final ConnectionLock lock;

  private final @Nullable NativeHandle parent;
  private final AtomicLong references = new AtomicLong(1);

  /** See {@link #afterRelease}. */
  private volatile Runnable afterRelease = () -> {};

  /** See {@link #afterEnd}. */
  private volatile Runnable afterEnd = () -> {};

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

  /** The driver calls with which {@link #open} creates and finishes an object. */
  interface Opening {
    void make(NativeHandle handle);

    void finish(NativeHandle handle);
  }

  /**
   * Creates a handle; the caller has its reference. If finishing fails, the handle is released. On any failure, the
   * table of a database is released too.
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
   * Sets the action that requests the readers which supply batches to stop; it returns whether the driver waits for
   * one. A driver that waits for a reader does not notice a cancel.
   */
  void givesUpBy(BooleanSupplier asking) {
    giveUp = asking;
  }

  /** Returns the connection of this handle: itself, or an ancestor. */
  NativeHandle connection() {
    NativeHandle of = this;
    while (of.kind != Kind.CONNECTION) of = Objects.requireNonNull(of.parent, "a database has no connection");
    return of;
  }

  /** Adds a reference; the caller must already have one. */
  void hold() {
    if (!tryHold()) throw new IllegalStateException("the " + kind.noun + " was already released");
  }

  /** Adds a reference; returns false if the last one was already released. */
  boolean tryHold() {
    long count;
    do {
      count = references.get();
      if (count == 0) return false;
    } while (!references.compareAndSet(count, count + 1));
    return true;
  }

  /** Releases a reference. */
  void leave() {
    if (references.decrementAndGet() == 0) end();
  }

  private void end() {
    if (!lock.takeOr(this, this::end)) return;
    boolean isReleased;
    try {
      isReleased = releaseAndUnlock();
    } catch (Throwable t) { // the object counts as released, so its parent is released too
      try {
        free();
      } catch (RuntimeException second) {
        t.addSuppressed(second);
      }
      throw t;
    }
    if (isReleased) free();
  }

  private boolean releaseAndUnlock() {
    try {
      return release();
    } finally {
      lock.leave();
    }
  }

  private void free() {
    STRUCTS.giveBack(struct);
    afterRelease.run();
    afterEnd.run();
    leaveParent();
  }

  /** Sets an action that runs once after the driver's release. It must not fail. */
  void afterRelease(Runnable action) {
    afterRelease = action;
  }

  /** Sets an action of the handle's owner, which runs after {@link #afterRelease}. It must not fail. */
  void afterEnd(Runnable action) {
    afterEnd = action;
  }

  /**
   * Releases the driver's object. A connection is released under the lock of its database, as it is opened: adbc.h has
   * one call at a time for each object, and PostgreSQL's driver counts its connections in the database.
   *
   * @return false if the release is deferred until the database's current call ends
   */
  private boolean release() {
    ConnectionLock database = parent != null && kind == Kind.CONNECTION ? parent.lock : null;
    if (database != null && !database.takeOr(this, this::end)) return false;
    try {
      driver.call(kind.release, (f, error) -> Signatures.pp(f, struct, error));
    } finally {
      if (database != null) database.leave();
    }
    return true;
  }

  /** Releases the reference to the parent; a database releases its own table. */
  private void leaveParent() {
    if (parent == null) {
      driver.release();
    } else {
      parent.leave();
    }
  }

  /**
   * Waits for the connection lock, for a call; {@link ConnectionLock#leave} releases it.
   *
   * @param pull the result to pull, if the call is a pull; closing the result ends the wait too
   * @param isOfHandle whether a {@link #cancel} without a thread ends the wait
   */
  void acquireLock(@Nullable ResultSource pull, boolean isOfHandle) {
    lock.feeders.need(true);
    try {
      synchronized (lock.calls) {
        if (pull != null) pull.checkNotClosed();
        if (!lock.tryTake(this, isOfHandle))
          await(pull, new ConnectionLock.Waiting(this, Thread.currentThread(), isOfHandle));
      }
    } catch (Throwable t) {
      lock.feeders.needsNoMore();
      throw t;
    }
  }

  private void await(@Nullable ResultSource pull, ConnectionLock.Waiting call) {
    boolean isInterrupted = false;
    lock.beginWait(call);
    try {
      do {
        isInterrupted |= lock.await();
        if (call.isCancelled) throw notCalled("it was cancelled before the driver was called");
        // nothing else ends this wait, and the driver may connect for minutes
        if (isInterrupted && kind == Kind.DATABASE)
          throw notCalled("the thread was interrupted before the driver was called");
        if (pull != null) pull.checkNotClosed();
      } while (!lock.tryTake(this, call.isOfHandle));
    } finally {
      lock.endWait(call);
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  /**
   * Calls the driver under the connection lock. The call is recorded, since some drivers then end an open result.
   *
   * @param about the option or the table of the call, for errors
   * @param sql the query of the call, for errors
   */
  void call(AdbcFunction function, @Nullable String about, @Nullable String sql, DriverTable.Call call) {
    lock.record.calls(function, about, sql);
    try {
      driver.call(function, about, sql, call);
    } catch (AdbcException e) {
      lock.record.fails();
      throw e;
    }
  }

  /** Calls the driver, like {@link #call}, for another execution or other metadata. */
  void execute(AdbcFunction function, @Nullable String about, @Nullable String sql, DriverTable.Call call) {
    lock.record.calls(function, about, sql);
    lock.record.executes();
    call(function, about, sql, call); // records nothing more, since no result is the last
  }

  private AdbcException notCalled(String why) {
    return AdbcException.of("A call of the " + kind.noun, AdbcStatus.CANCELLED.code()).driver(driver.name())
        .message(why).build();
  }

  /**
   * Requests the driver to cancel a call that runs, and ends the calls that wait. If no such call runs, the driver is
   * not called: the cancel of some drivers applies to the connection, for any execution.
   *
   * @param caller the thread whose calls are cancelled, for any handle of the connection; null for the calls of this
   *     handle, from any thread
   * @throws AdbcException with {@link AdbcStatus#INVALID_STATE} if no call can be cancelled
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
      lock.beginCancel(); // until endCancel, the running call's object is not released
    }
    try {
      running.callCancel();
    } finally {
      lock.endCancel();
    }
  }

  private AdbcException nothingRuns() {
    return AdbcException.of(kind.cancel().symbol(), AdbcStatus.INVALID_STATE.code()).driver(driver.name())
        .message("no call of the " + kind.noun + " is running")
        .build();
  }

  /**
   * Requests the readers that supply batches to stop before it calls the driver's cancel: that may wait for the call,
   * which waits for the reader.
   */
  private void callCancel() {
    boolean hasGivenUp = false;
    try {
      try {
        hasGivenUp = giveUp.getAsBoolean();
      } finally {
        driver.call(kind.cancel(), (f, error) -> Signatures.pp(f, struct, error));
      }
    } catch (AdbcException e) {
      // stopping the reader has already ended the call, or will
      boolean isRefused = e.status() == AdbcStatus.INVALID_STATE || e.status() == AdbcStatus.NOT_IMPLEMENTED;
      if (!hasGivenUp || !isRefused) throw e;
    }
  }

  /** Returns whether no call, no object that was opened from this handle, and no result has a reference. */
  boolean hasOneReference() {
    return references.get() == 1;
  }

  /** Returns whether this handle has a reference, so is not being released. */
  boolean isHeld() {
    return references.get() > 0;
  }
}
