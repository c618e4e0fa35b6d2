// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Conversion;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The shared ownership of one array's memory. References belong to Java handles, to exports that native code has not
 * released, and to queued work that uses the memory.
 */
public abstract class Ownership extends Shared {
  /**
   * Whether the array or an array below it has no elements, but an offset, or offsets whose first value may be
   * anything. Such values must not be exported (ARR-19).
   */
  final boolean hasEmpty;

  Ownership(boolean hasEmpty) {
    this.hasEmpty = hasEmpty;
    Counts.ARRAYS.increment();
  }

  /**
   * Returns a pointer to the handle of the event that the consumer of an export must wait for. Returns 0 if no wait is
   * necessary any more.
   */
  public abstract long syncEvent();

  /** Returns whether {@link #syncEvent} is not 0. This is known without the array's memory. */
  public abstract boolean mayHaveToWait();

  /**
   * Returns the event to wait for before the buffers are read. Returns null if no wait is necessary, or if this process
   * cannot wait for the event.
   */
  public abstract @Nullable EventPoint event();

  /**
   * Returns the capacity in bytes for the text or binary of a struct of this array. Returns {@link Long#MAX_VALUE} if
   * it is unknown.
   */
  public long dataSize(long struct) {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether {@link #dataSize} reads the size from behind the list of a struct's buffers, where
   * {@link StructBlock#node} reserves space for it. Otherwise all sizes are unknown.
   */
  boolean storesDataSizes() {
    return true;
  }

  /** Returns the array whose event is the event of this one. It is this array, or one that this keeps. */
  Ownership awaited() {
    return this;
  }

  /**
   * Returns the array whose memory contains a child's struct: an array that this was made from, or this one.
   *
   * @param column the probable position of the child, for speed only
   */
  Ownership ownerOf(int column, long struct) {
    return this;
  }

  /** Returns the array whose memory contains a struct's buffers and their list: as in {@link #ownerOf}. */
  Ownership ownerOfBuffers(long struct) {
    return this;
  }

  /** Returns the array whose {@link #checkBuffers} checks a child's struct: as in {@link #ownerOf}. */
  Ownership checker(int column, long struct) {
    return this;
  }

  /** Returns whether the children of a struct may have more elements than the struct needs. An export cuts them. */
  boolean hasLooseChildren() {
    return false;
  }

  /** Returns the bytes of memory that this keeps, or −1 if they are unknown. */
  long bytes() {
    return -1;
  }

  /**
   * Checks with the driver that the buffers of a struct of this array are on the right device. The library's own
   * buffers need no check.
   *
   * @throws MalformedException with the path below this struct, if a buffer is elsewhere
   */
  public void checkBuffers(Field field, long struct, Validation level) {}

  /** Returns the data size of a library struct, which stores the number after the list of its buffers. */
  static long sizeBehindBuffers(long struct) {
    return NativeHeap.getLong(RawArrowArray.buffers(struct) + Long.BYTES * RawArrowArray.nBuffers(struct));
  }

  /**
   * Returns which parts were copied when this array was made from another one, or null if it was not. This is known
   * without the array's memory.
   */
  public @Nullable Conversion conversion() {
    return null;
  }

  /**
   * Returns whether the CPU can read all buffers after the event has completed. This is known without the array's
   * memory.
   */
  public abstract boolean isCpuAccessible();

  @Override
  protected final void free() {
    Counts.ARRAYS.decrement();
    freeArray();
  }

  /** Frees the memory. Called once, when the last reference is released. Does not throw. */
  abstract void freeArray();

  /** Returns true, because the producer's release callback may run. */
  @Override
  public boolean callsOut() {
    return true;
  }
}
