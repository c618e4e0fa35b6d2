package org.arbalest.device;

import org.arbalest.device.abi.ArrowDeviceArrayStruct;

/** An array that a C producer made: its struct, moved to a block of ours, and the duty to release it. */
final class ImportedArray extends Ownership {
  /** A block of ours with an {@code ArrowDeviceArray}, of which the {@code ArrowArray} and the sync_event are always written. */
  private final long struct;

  ImportedArray(long struct) {
    this.struct = struct;
  }

  @Override
  long syncEvent() {
    return ArrowDeviceArrayStruct.syncEvent(struct);
  }

  @Override
  void free() {
    try {
      Calls.releaseArray(struct);
    } finally {
      NativeHeap.free(struct);
    }
  }
}
