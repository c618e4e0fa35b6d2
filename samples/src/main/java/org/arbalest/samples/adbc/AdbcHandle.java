// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A database, connection or statement: a native handle that is released exactly once.
 *
 * <p>Closing one first closes what was opened from it and is still open, so that the driver never sees a child without
 * its parent. Any thread may use a handle; calls on one handle run one after another, and {@code close} waits for the
 * call in progress.
 */
abstract sealed class AdbcHandle implements AutoCloseable permits AdbcDatabase, AdbcConnection, AdbcStatement {
  final AdbcDriver driver;
  final MemorySegment struct;
  private final String noun;
  private final AdbcFunction setOption;
  private final AdbcFunction release;
  private final @Nullable AdbcHandle parent;
  private final Set<AdbcHandle> children = ConcurrentHashMap.newKeySet();
  private boolean closed;
  private boolean closedByParent;

  /** Takes over a native handle for which {@code New} has succeeded. */
  AdbcHandle(
      String noun,
      AdbcDriver driver,
      MemorySegment struct,
      AdbcFunction setOption,
      AdbcFunction release,
      @Nullable AdbcHandle parent) {
    this.noun = noun;
    this.driver = driver;
    this.struct = struct;
    this.setOption = setOption;
    this.release = release;
    this.parent = parent;
  }

  /**
   * Sets an option of the driver.
   *
   * @throws AdbcException if the driver does not know it or refuses the value; the value is not in the message
   */
  public final synchronized void setOption(String key, String value) {
    checkOpen();
    setOption(driver, setOption, struct, key, value);
  }

  /**
   * Releases the native handle, after those of what was opened from it; a second call does nothing.
   *
   * @throws AdbcException if the driver reports an error; the handle counts as released even so
   */
  @Override
  public final void close() {
    close(false);
  }

  /** Keeps the child for {@link #close}; called while this handle's monitor is held. */
  final <T extends AdbcHandle> T adopt(T child) {
    children.add(child);
    return child;
  }

  final void checkOpen() {
    if (closed) {
      throw new IllegalStateException(
          closedByParent && parent != null
              ? noun + " was closed together with its " + parent.noun
              : noun + " was closed; open another");
    }
  }

  /** Runs the rest of an opening; if that fails, the native handle is released and the failure goes on. */
  static void initOrRelease(AdbcDriver driver, AdbcFunction release, MemorySegment struct, Runnable init) {
    try {
      init.run();
    } catch (RuntimeException | Error e) {
      try {
        driver.call(release, struct);
      } catch (RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  static void setOption(AdbcDriver driver, AdbcFunction function, MemorySegment struct, String key, String value) {
    try (Arena arena = Arena.ofConfined()) {
      driver.call(function, key, struct, arena.allocateFrom(key), arena.allocateFrom(value));
    }
  }

  private synchronized void close(boolean byParent) {
    if (closed) {
      return;
    }
    closed = true;
    closedByParent = byParent;
    RuntimeException failure = null;
    for (AdbcHandle child : children) {
      failure = attempt(() -> child.close(true), failure);
    }
    failure = attempt(() -> driver.call(release, struct), failure);
    if (parent != null) {
      parent.children.remove(this);
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static @Nullable RuntimeException attempt(Runnable step, @Nullable RuntimeException before) {
    try {
      step.run();
      return before;
    } catch (RuntimeException e) {
      if (before == null) {
        return e;
      }
      before.addSuppressed(e);
      return before;
    }
  }
}
