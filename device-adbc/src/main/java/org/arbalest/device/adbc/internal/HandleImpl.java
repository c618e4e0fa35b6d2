// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.adbc.AdbcException;
import org.jspecify.annotations.Nullable;

/**
 * The base class of databases, connections and statements: it has one reference to a native handle until it is closed,
 * and options.
 */
abstract class HandleImpl implements LeasedObjects.Leased {
  final NativeHandle handle;
  private final DriverImpl driver;
  private final OptionFunctions options;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the end of a lease closed this. Written before {@link #closed}. */
  private volatile boolean isOfEndedLease;

  /** Takes over the caller's reference. */
  HandleImpl(DriverImpl driver, NativeHandle handle, OptionFunctions options) {
    this.driver = driver;
    this.handle = handle;
    this.options = options;
  }

  public final AdbcDriver driver() {
    return driver;
  }

  final DriverImpl driverImpl() {
    return driver;
  }

  /**
   * Begins a call that takes the connection lock; {@link #leave} ends it. The handle is not released during the call. A
   * cancel of the handle ends the wait for the lock.
   */
  final void enter() {
    enter(true);
  }

  /**
   * Begins a call, like {@link #enter()}.
   *
   * @param isEndedByCancel whether a cancel of the handle ends the wait for the lock
   */
  final void enter(boolean isEndedByCancel) {
    if (handle.lock.feeders.includeThisThread()) {
      throw new IllegalStateException(
          "cannot use the " + handle.kind.noun
              + " here: its connection executes with the batches that this thread produces; use another connection");
    }
    hold();
    try {
      handle.acquireLock(null, isEndedByCancel);
    } catch (Throwable t) {
      handle.leave();
      throw t;
    }
    if (closed.get()) {
      leave();
      throw wasClosed();
    }
  }

  final void leave() {
    try {
      handle.lock.leave();
    } finally {
      leaveBehindCall();
    }
  }

  /**
   * Adds a reference before it checks that this is open. So the end of a lease finds the reference, or this call finds
   * the end: it does not reach the next lease.
   */
  private void hold() {
    if (!handle.tryHold()) throw wasClosed();
    if (!closed.get()) return;
    leaveBehindCall();
    throw wasClosed();
  }

  private IllegalStateException wasClosed() {
    return new IllegalStateException("the " + handle.kind.noun + " was closed"
        + (isOfEndedLease ? " with its lease; another thread may use the connection" : ""));
  }

  public final void setOption(String key, String value) {
    setting(key, value, () -> options.set(handle, key, value));
  }

  public final void setOption(String key, long value) {
    setting(key, value, () -> options.set(handle, key, value));
  }

  public final void setOption(String key, double value) {
    setting(key, value, () -> options.set(handle, key, value));
  }

  public final void setOption(String key, byte[] value) {
    setting(key, value, () -> options.set(handle, key, value));
  }

  private void setting(String key, Object value, Runnable call) {
    enter(handle.kind == NativeHandle.Kind.STATEMENT); // not for a connection, which threads may share
    try {
      set(key, value, call);
    } finally {
      leave();
    }
  }

  /** Sets an option to a value by a call. Requires the connection lock. */
  void set(String key, Object value, Runnable call) {
    call.run();
  }

  public final String getOption(String key) {
    return getting(() -> options.get(handle, key));
  }

  public final long getLongOption(String key) {
    return getting(() -> options.getLong(handle, key));
  }

  public final double getDoubleOption(String key) {
    return getting(() -> options.getDouble(handle, key));
  }

  public final byte[] getBytesOption(String key) {
    return getting(() -> options.getBytes(handle, key));
  }

  /**
   * Reads an option: of a statement during any call, of a connection or a database under its lock. adbc.h lets any
   * thread read any option. But PostgreSQL's driver queries for a connection's schema, on a socket for one thread.
   */
  private <T> T getting(Supplier<T> call) {
    if (handle.kind == NativeHandle.Kind.STATEMENT) {
      AtomicReference<@Nullable T> value = new AtomicReference<>();
      whileOpen(() -> value.set(call.get()));
      return Objects.requireNonNull(value.get());
    }
    enter(false);
    try {
      return call.get();
    } finally {
      leave();
    }
  }

  /** Runs a call without the connection lock. */
  final void whileOpen(Runnable call) {
    hold();
    try {
      call.run();
    } finally {
      leaveBehindCall();
    }
  }

  /**
   * Releases the reference of a call. If the handle was closed during the call, this releases the native handle. A
   * failure is then logged: neither the call nor the thread that closed the handle throws it.
   */
  private void leaveBehindCall() {
    try {
      handle.leave();
    } catch (AdbcException e) {
      System.getLogger("org.arbalest.device.adbc").log(Level.ERROR,
          "releasing a " + handle.kind.noun + " that was closed failed", e);
    }
  }

  public final void close() {
    if (!closed.compareAndSet(false, true)) return;
    handle.lock.leased.closed(this);
    handle.leave();
  }

  @Override
  public final void endLease() {
    if (closed.get()) return;
    isOfEndedLease = true;
    close();
  }

  final boolean isOpen() {
    return !closed.get();
  }

  @Override
  public String toString() {
    return handle.kind.noun + " of " + driver.name() + (closed.get() ? " (closed)" : "");
  }
}
