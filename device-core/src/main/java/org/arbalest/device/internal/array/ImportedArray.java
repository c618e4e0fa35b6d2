// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Device;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array that a native producer made: its struct, moved to the library's own block, and the duty to
 * release it. Its event is borrowed (DEV-05).
 */
final class ImportedArray extends Ownership {
  /**
   * The address of the library's own block with an {@code ArrowDeviceArray}. Its {@code ArrowArray} and its sync_event
   * are always written.
   */
  private final long struct;

  private final Device device;
  private final @Nullable EventPoint event;

  /** Whether the array has an event that this process cannot wait for. */
  private final boolean hasUnknownEvent;

  ImportedArray(long struct, Device device, @Nullable EventPoint event, boolean hasUnknownEvent, boolean hasEmpty) {
    super(hasEmpty);
    this.struct = struct;
    this.device = device;
    this.event = event;
    this.hasUnknownEvent = hasUnknownEvent;
  }

  @Override
  public long syncEvent() {
    return mayHaveToWait() ? RawArrowDeviceArray.syncEvent(struct) : 0;
  }

  @Override
  public boolean mayHaveToWait() {
    return event == null ? hasUnknownEvent : !event.isKnownDone();
  }

  @Override
  public @Nullable EventPoint event() {
    return event;
  }

  @Override
  public boolean isCpuAccessible() {
    return device.isCpuAccessible();
  }

  @Override
  boolean storesDataSizes() {
    return false;
  }

  @Override
  public void checkBuffers(Field field, long struct, Validation level) {
    BufferPlaces.check(device, field, struct, level);
  }

  @Override
  void freeArray() {
    try {
      ArrayRelease.release(struct);
    } finally {
      NativeHeap.free(struct);
    }
  }
}
