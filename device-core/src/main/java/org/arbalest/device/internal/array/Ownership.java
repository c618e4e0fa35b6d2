// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Conversion;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** Who holds the memory of one array: Java handles, exports that C has not released, and queued work that uses it. */
public abstract class Ownership extends Shared {
  /**
   * Whether an array below has no elements, but an offset, or offsets of which the first may be anything, which are not
   * to go out (ARR-19).
   */
  final boolean hasEmpty;

  Ownership(boolean hasEmpty) {
    this.hasEmpty = hasEmpty;
    Counts.ARRAYS.increment();
  }

  /**
   * What the consumer of an export is to wait for: a pointer to an event's handle, or 0 if there is nothing to wait for
   * any more.
   */
  public abstract long syncEvent();

  /** Whether {@link #syncEvent} is not 0; known without the array's memory. */
  public abstract boolean mayHaveToWait();

  /** What to wait for before the buffers are read; null if there is nothing, or if nobody here could wait for it. */
  public abstract @Nullable EventPoint event();

  /** How many bytes of text or binary a struct of this array has room for, as far as that is known here. */
  public long dataSize(long struct) {
    return Long.MAX_VALUE;
  }

  /** How much memory this keeps; −1 if nobody here knows. */
  long bytes() {
    return -1;
  }

  /**
   * Asks whoever knows about the buffers of a struct of this array whether they are where they should be; nobody has to
   * be asked about our own.
   */
  public void checkBuffers(Field field, long struct, Validation level) {}

  /** The same for a struct of ours, which has the number behind the list of its buffers. */
  static long sizeBehindBuffers(long struct) {
    return NativeHeap.getLong(RawArrowArray.buffers(struct) + Long.BYTES * RawArrowArray.nBuffers(struct));
  }

  /** What was copied when this was made of another array; null if it was not. Known without the array's memory. */
  public @Nullable Conversion conversion() {
    return null;
  }

  /** Whether the CPU can read all buffers, once the event has completed. Known without the array's memory. */
  public abstract boolean isCpuAccessible();

  @Override
  protected final void free() {
    Counts.ARRAYS.decrement();
    freeArray();
  }

  /** Frees the memory. Called once, by the last holder; does not throw. */
  abstract void freeArray();

  /** The release of whoever produced it. */
  @Override
  public boolean callsOut() {
    return true;
  }
}
