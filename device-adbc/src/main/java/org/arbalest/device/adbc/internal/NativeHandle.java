// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
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
    if (holders.decrementAndGet() > 0) return;
    try {
      release();
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

  private void release() {
    turn.take();
    try {
      driver.call(kind.release, (f, error) -> (byte) Signatures.PP.invokeExact(f, struct, error));
    } finally {
      turn.leave();
    }
  }
}
