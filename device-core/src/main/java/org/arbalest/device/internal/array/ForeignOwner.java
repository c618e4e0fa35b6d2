// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array in memory that another owner holds. That owner is notified once, when the library does not
 * use the memory any more. One block contains the structs and lists.
 */
final class ForeignOwner extends Ownership {
  private final long block;
  private final long bytes;
  private final Device device;
  private final @Nullable Object origin;
  private final Runnable onFree;

  /** Takes over the block of a {@link StructBlock}. */
  ForeignOwner(long block, long bytes, Device device, @Nullable Object origin, Runnable onFree, boolean hasEmpty) {
    super(hasEmpty);
    this.block = block;
    this.bytes = bytes;
    this.device = device;
    this.origin = origin;
    this.onFree = onFree;
  }

  @Nullable
  Object origin() {
    return origin;
  }

  @Override
  public long syncEvent() {
    return 0;
  }

  @Override
  public boolean mayHaveToWait() {
    return false;
  }

  @Override
  public @Nullable EventPoint event() {
    return null;
  }

  /** Returns the number after the list of the buffers. */
  @Override
  public long dataSize(long struct) {
    return sizeBehindBuffers(struct);
  }

  @Override
  public boolean isCpuAccessible() {
    return device.isCpuAccessible();
  }

  @Override
  long bytes() {
    return bytes;
  }

  @Override
  void freeArray() {
    NativeHeap.free(block);
    try {
      onFree.run();
    } catch (Throwable t) {
      Faults.report("releasing " + bytes + " bytes on " + device + " of a foreign owner", t);
    }
  }
}
