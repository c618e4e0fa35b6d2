package org.arbalest.device;

import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.jspecify.annotations.Nullable;

/** An array that a C producer made: its struct, moved to a block of ours, and the duty to release it. Its event is borrowed (DEV-05). */
final class ImportedArray extends Ownership {
  /** A block of ours with an {@code ArrowDeviceArray}, of which the {@code ArrowArray} and the sync_event are always written. */
  private final long struct;

  private final boolean isCpuAccessible;
  private final @Nullable EventPoint event;

  ImportedArray(long struct, Device device, @Nullable EventPoint event, boolean hasEmptyAtOffset) {
    super(hasEmptyAtOffset);
    this.struct = struct;
    this.isCpuAccessible = device.isCpuAccessible();
    this.event = event;
  }

  @Override
  long syncEvent() {
    return event != null && event.isKnownDone() ? 0 : ArrowDeviceArrayStruct.syncEvent(struct);
  }

  @Override
  @Nullable EventPoint event() {
    return event;
  }

  @Override
  boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  @Override
  void freeArray() {
    try {
      Calls.releaseArray(struct);
    } finally {
      NativeHeap.free(struct);
    }
  }
}
