// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.array.ArrayRelease;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.HandleExport;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.sharing.SharedArray;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/**
 * An array that other processes may have open. It is an export of the array, which only the library releases. See
 * {@link SharedArray}.
 */
public final class SharedArrayImpl implements SharedArray {
  /**
   * The identity of this process, which identifies its own messages. Process ids are reused, and differ between
   * containers.
   */
  static final UUID PROCESS = UUID.randomUUID();

  private final Device device;

  /** The address of the library's own block with the exported {@code ArrowDeviceArray}. */
  private final long struct;

  private final @Nullable RecordedEvent event;
  private final byte[] message;
  private final AtomicBoolean isClosed = new AtomicBoolean();

  private SharedArrayImpl(Device device, long struct, @Nullable RecordedEvent event, byte[] message) {
    this.device = device;
    this.struct = struct;
    this.event = event;
    this.message = message;
  }

  /** See {@link SharedArray#of}. */
  public static SharedArray of(DeviceArray array) {
    return of(DeviceArrayImpl.unwrap(array));
  }

  /** See {@link SharedArray#open(byte[], Runnable)}. */
  public static DeviceArray open(byte[] message, Runnable closed) {
    return OpenedArray.open(message, closed);
  }

  private static SharedArray of(DeviceArrayImpl array) {
    Device device = array.device();
    array.checkOpen(); // first, because this error takes precedence if both apply
    ProcessSharing sharing = DeviceImpl.unwrap(device).driver().sharing();
    if (sharing == null) {
      throw new DeviceException(Errno.ENOSYS, "an array on " + device
          + " cannot be shared with other processes: its backend shares no memory of that kind");
    }
    Ownership owner = array.share();
    long struct = 0;
    RecordedEvent event = null;
    try {
      event = event(array, sharing);
      struct = export(array);
      return new SharedArrayImpl(device, struct, event, message(array, owner, struct, event, sharing));
    } catch (Throwable t) {
      if (event != null) event.release();
      if (struct != 0) giveBack(struct);
      throw t;
    } finally {
      owner.release();
    }
  }

  /**
   * Returns an event that other processes can open, recorded after the array's own event. Returns null if the array is
   * ready.
   */
  private static @Nullable RecordedEvent event(DeviceArray array, ProcessSharing sharing) {
    if (array.isReady()) return null;
    Device device = array.device();
    try (DeviceStream behind = device.createStream()) {
      behind.waitFor(array);
      long recorded = sharing.record(behind.handle());
      if (recorded != 0) return RecordedEvent.adopt(device, DeviceImpl.unwrap(device).driver(), recorded);
    }
    array.synchronize();
    return null;
  }

  private static long export(DeviceArray array) {
    long struct = NativeHeap.allocate(RawArrowDeviceArray.SIZE);
    DeviceArray holder = array.retain();
    try {
      HandleExport.export(DeviceArrayImpl.unwrap(holder), struct, true);
      return struct;
    } catch (Throwable t) {
      holder.close();
      NativeHeap.free(struct);
      throw t;
    }
  }

  private static byte[] message(DeviceArrayImpl array, Ownership owner, long struct, @Nullable RecordedEvent event,
      ProcessSharing sharing) {
    Device device = array.device();
    ExportedStructs structs = new ExportedStructs(owner, sharing);
    SharedStruct root;
    List<Message.Memory> memories;
    try {
      root = structs.struct(Layout.of(array.field()), struct);
      memories = structs.export();
    } catch (DeviceException e) {
      if (e.errno() != Errno.EINVAL) throw e;
      String help = "; copy it to the device's shareableMemory(), and share the copy";
      throw new DeviceException(Errno.EINVAL,
          "the array on " + device + " cannot be shared with other processes: " + e.getMessage() + help, e);
    }
    DeviceIdentity identity = device.identity();
    byte[] waited =
        event == null || memories.isEmpty() ? null : sharing.exportEvent(NativeHeap.getLong(event.point.cell));
    return new Message(PROCESS, device.type(), identity.uuid(), identity.pciBusId(), waited, memories, array.field(),
        root).toBytes();
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public byte[] message() {
    return message.clone();
  }

  @Override
  public boolean isOpen() {
    return !isClosed.get();
  }

  @Override
  public void close() {
    if (isClosed.getAndSet(true)) return;
    try {
      if (event != null) event.release();
    } catch (Throwable t) {
      Faults.report("destroying the event of a shared array", t);
    }
    giveBack(struct);
  }

  private static void giveBack(long struct) {
    try {
      ArrayRelease.release(struct);
    } finally {
      NativeHeap.free(struct);
    }
  }

  /** Returns a text that contains the device and whether the array is closed. */
  @Override
  public String toString() {
    return "shared array on " + device + (isOpen() ? "" : " (closed)");
  }
}
