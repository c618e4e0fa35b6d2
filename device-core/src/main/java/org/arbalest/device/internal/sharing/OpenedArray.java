// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceLookup;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * The opened allocations and event of an array that another process shares. They are closed when the last reference to
 * the array is released.
 */
final class OpenedArray {
  /** Runs when nothing is open any more. */
  private final Runnable closed;

  /** The number of open allocations, plus one while this class opens them. */
  private final AtomicInteger open = new AtomicInteger(1);

  private OpenedArray(Runnable closed) {
    this.closed = closed;
  }

  /** See {@link org.arbalest.device.sharing.SharedArray#open(byte[], Runnable)}. */
  static DeviceArray open(byte[] bytes, Runnable closed) {
    Objects.requireNonNull(bytes, "message");
    OpenedArray array = new OpenedArray(Objects.requireNonNull(closed, "closed"));
    try {
      return array.open(Message.read(bytes));
    } finally {
      array.leave();
    }
  }

  private DeviceArray open(Message message) {
    if (message.process().equals(SharedArrayImpl.PROCESS)) {
      throw DeviceException
          .invalid("the message comes from this process, which already has the array: use retain() or move()");
    }
    Device device = DeviceLookup.byIdentity(message.device(), message.uuid(), message.pciBusId());
    ProcessSharing sharing = DeviceImpl.unwrap(device).driver().sharing();
    if (sharing == null) throw new DeviceException(Errno.ENOSYS, device + " shares nothing with other processes");
    List<DeviceBuffer> memories = new ArrayList<>();
    List<DeviceBuffer> slices = new ArrayList<>();
    RecordedEvent event = null;
    try {
      for (Message.Memory memory : message.memories()) memories.add(open(device, sharing, message, memory));
      ArrayData data = message.root().data(memories, slices);
      event = event(device, sharing, message);
      return ArrayAssembly.ofLaidOut(message.field(), data, device, event);
    } catch (Throwable t) {
      if (event != null) event.release();
      for (DeviceBuffer slice : slices) slice.close();
      throw t;
    } finally {
      for (DeviceBuffer memory : memories) memory.close(); // the slices have their own references
    }
  }

  private static @Nullable RecordedEvent event(Device device, ProcessSharing sharing, Message message) {
    byte[] handle = message.event();
    return handle == null ? null
        : RecordedEvent.adopt(device, DeviceImpl.unwrap(device).driver(), sharing.openEvent(handle));
  }

  private DeviceBuffer open(Device device, ProcessSharing sharing, Message message, Message.Memory memory) {
    OpenedMemory opened = OpenedMemory.open(sharing, message.process(), memory.handle(), memory.bytes());
    open.incrementAndGet();
    try {
      return DeviceBuffer.wrap(device, opened.base(), memory.bytes(), () -> opened.close(this::leave));
    } catch (Throwable t) {
      opened.close(this::leave);
      throw t;
    }
  }

  private void leave() {
    if (open.decrementAndGet() > 0) return;
    try {
      closed.run();
    } catch (Throwable t) {
      Faults.report("notifying another process that its array is closed", t);
    }
  }
}
