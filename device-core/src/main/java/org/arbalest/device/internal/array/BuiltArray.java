// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.List;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.device.Wait;
import org.arbalest.device.internal.device.Worker;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/** The ownership of an array of the library's own buffers. One block contains its structs and lists. */
public final class BuiltArray extends Ownership {
  private final List<DeviceBufferImpl> buffers;
  private final long block;
  private final boolean isCpuAccessible;
  private final @Nullable RecordedEvent event;
  private final @Nullable Conversion conversion;

  /** Takes over the buffers, the block of a {@link StructBlock} and a reference to the event. */
  public BuiltArray(List<DeviceBufferImpl> buffers, long block, Device device, @Nullable RecordedEvent event,
      boolean hasEmpty) {
    this(buffers, block, device, event, hasEmpty, null);
  }

  /** Does the same for an array with the parts of another one. */
  BuiltArray(List<DeviceBufferImpl> buffers, long block, Device device, @Nullable RecordedEvent event,
      boolean hasEmpty, @Nullable Conversion conversion) {
    super(hasEmpty);
    this.conversion = conversion;
    this.buffers = buffers;
    this.block = block;
    this.isCpuAccessible = device.isCpuAccessible() || (!buffers.isEmpty() && allCpuAccessible(buffers));
    this.event = event;
  }

  private static boolean allCpuAccessible(List<DeviceBufferImpl> buffers) {
    for (DeviceBuffer buffer : buffers) {
      if (!buffer.isCpuAccessible()) return false;
    }
    return true;
  }

  @Override
  public long syncEvent() {
    return event == null || event.point.isKnownDone() ? 0 : event.point.cell;
  }

  @Override
  public boolean mayHaveToWait() {
    return event != null && !event.point.isKnownDone();
  }

  @Override
  public @Nullable EventPoint event() {
    return event == null ? null : event.point;
  }

  /** Returns the number after the list of the buffers. */
  @Override
  public long dataSize(long struct) {
    return sizeBehindBuffers(struct);
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  @Override
  long bytes() {
    long bytes = 0;
    for (DeviceBuffer buffer : buffers) bytes += buffer.size();
    return bytes;
  }

  @Override
  public @Nullable Conversion conversion() {
    return conversion;
  }

  /** Returns whether one buffer contains the whole array. */
  public boolean isOneAllocation() {
    return buffers.size() == 1;
  }

  /**
   * Frees the memory after the work that still writes to the buffers. A consumer may release an array before its event
   * has completed.
   */
  @Override
  void freeArray() {
    RecordedEvent end = event;
    if (end == null || end.point.isSeenDone()) {
      freeNow();
      return;
    }
    Throwable failure = Wait.forSure(end.point, end, Worker.RELEASES, this::freeNow);
    if (failure != null)
      Faults.report("waiting for the event of an array that was released before it was complete", failure);
  }

  private void freeNow() {
    // first: code that is notified that another process's memory is closed may rely on a closed event
    if (event != null) event.release();
    for (DeviceBufferImpl buffer : buffers) buffer.free();
    NativeHeap.free(block);
  }
}
