// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.LastUse;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.SchemaExport;
import org.jspecify.annotations.Nullable;

/**
 * The export of arrays to native code. Either the consumer owns the handle's memory, or the structs and the handle are
 * unchanged (OWN-09).
 */
public final class HandleExport {
  private HandleExport() {}

  /**
   * See {@link org.arbalest.device.c.CData#exportArray}. If the consumer passes a stream, that stream waits for the
   * array, and the memory stays after the release until the work that is in the stream then is done (OWN-22).
   */
  public static void export(
      DeviceArrayImpl array, MemorySegment out, @Nullable MemorySegment schemaOut, @Nullable DeviceStream consumer,
      boolean isDeviceArray) {
    LastUse use = null;
    try {
      long schemaStruct = schemaOut == null ? 0 : Structs.address(schemaOut, "ArrowSchema", RawArrowSchema.SIZE);
      long struct = address(out, isDeviceArray);
      if (consumer != null) {
        use = LastUse.of(DeviceStreamImpl.unwrap(consumer));
        array.letWait(DeviceStreamImpl.unwrap(consumer));
      }
      export(array, struct, schemaStruct, isDeviceArray, consumer != null, use);
    } catch (Throwable t) {
      if (use != null) use.cancel();
      throw t;
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  /** Throws unless both segments are memory for their structs. */
  public static void check(MemorySegment out, @Nullable MemorySegment schemaOut, boolean isDeviceArray) {
    try {
      if (schemaOut != null) Structs.address(schemaOut, "ArrowSchema", RawArrowSchema.SIZE);
      address(out, isDeviceArray);
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  private static long address(MemorySegment out, boolean isDeviceArray) {
    return isDeviceArray ? Structs.address(out, "ArrowDeviceArray", RawArrowDeviceArray.SIZE)
        : Structs.address(out, "ArrowArray", RawArrowArray.SIZE);
  }

  /** Exports an array with its schema, or without it if the schema's address is 0. */
  private static void export(Handle array, long out, long schemaOut, boolean isDeviceArray, boolean isAwaited,
      @Nullable LastUse use) {
    if (schemaOut == 0) {
      export(array, out, isDeviceArray, isAwaited, use);
      return;
    }
    SchemaExport schema = SchemaExport.prepared(array.field());
    try {
      export(array, out, isDeviceArray, isAwaited, use);
    } catch (Throwable t) {
      schema.discard();
      throw t;
    }
    schema.handOver(schemaOut);
  }

  /** Exports an array to a native struct. */
  public static void export(Handle array, long out, boolean isDeviceArray) {
    export(array, out, isDeviceArray, false, null);
  }

  private static void export(Handle array, long out, boolean isDeviceArray, boolean isAwaited,
      @Nullable LastUse use) {
    Recording.OfArray event = Recording.anExport();
    long bytes = event == null ? 0 : RecordedArrays.bytes(array); // while the handle has the memory
    if (isDeviceArray) {
      exportDeviceArray(array, out, isAwaited, use);
    } else {
      exportArray(array, out);
    }
    if (event != null) RecordedArrays.describe(event, array, bytes);
  }

  private static void exportArray(Handle array, long out) {
    if (!isInMainMemory(array)) {
      throw new DeviceException(
          Errno.ENOSYS, "an ArrowArray is in main memory, but this array is on " + array.device()
              + "; export a device array, or call copyTo(Devices.cpu()) first");
    }
    array.synchronize(); // an ArrowArray has no event
    handOver(array, out, null);
  }

  private static void exportDeviceArray(Handle array, long out, boolean isAwaited, @Nullable LastUse use) {
    Device device = array.device();
    long event = isAwaited ? 0 : eventForConsumer(array, device);
    handOver(array, out, use);
    writeDevice(device, event, out);
  }

  private static boolean isInMainMemory(Handle array) {
    return array.device.type().code() == 1;
  }

  private static void writeDevice(Device device, long event, long out) {
    RawArrowDeviceArray.setDeviceId(out, device.id());
    RawArrowDeviceArray.setDeviceType(out, device.type().code());
    RawArrowDeviceArray.setSyncEvent(out, event);
    RawArrowDeviceArray.clearReserved(out);
  }

  /**
   * Exports the memory of a handle that the caller {@linkplain Handle#consume consumed} before, to an
   * {@code ArrowDeviceArray}. The caller's reference passes to this method in every case.
   */
  public static void exportConsumed(Handle array, Ownership consumed, long out) {
    Recording.OfArray event;
    long bytes;
    try {
      event = Recording.anExport();
      bytes = event == null ? 0 : RecordedArrays.bytes(array, consumed);
    } catch (Throwable t) { // the stack is exhausted
      consumed.release();
      throw t;
    }
    handOverConsumed(array, consumed, out);
    if (event != null) RecordedArrays.describe(event, array, bytes);
  }

  private static void handOverConsumed(Handle array, Ownership consumed, long out) {
    if (consumed.mayHaveToWait()) {
      try (DeviceArray again = again(array, consumed)) {
        exportDeviceArray(DeviceArrayImpl.unwrap(again), out, false, null);
      }
      return;
    }
    try {
      ArrayExport.export(consumed, Layout.of(array.field), array.struct(consumed), array.offset, array.length,
          isInMainMemory(array), null, out);
    } catch (Throwable t) {
      consumed.release();
      throw t;
    }
    writeDevice(array.device, 0, out);
  }

  /** Creates a handle with the reference of another handle. */
  private static DeviceArray again(Handle array, Ownership consumed) {
    DeviceArrayImpl handle;
    try {
      handle = DeviceArrayImpl.of(array.device, array.field, array.struct(consumed), array.offset, array.length);
    } catch (Throwable t) {
      consumed.release();
      throw t;
    }
    return handle.holding(consumed);
  }

  /**
   * Returns a pointer to the event that the consumer must wait for. If the consumer cannot wait for this kind of event,
   * blocks until the array is ready.
   */
  private static long eventForConsumer(Handle array, Device device) {
    if (!array.mayHaveToWait()) return 0;
    Ownership owner = array.share();
    try {
      long event = owner.syncEvent();
      EventPoint point = owner.event();
      if (event == 0 || point == null || point.device.equals(device) || DeviceImpl.unwrap(device).reaches(point.device))
        return event;
    } finally {
      owner.release();
    }
    array.synchronize();
    return 0;
  }

  /** Passes the handle's reference to the export. If the export fails, the handle keeps the reference. */
  private static void handOver(Handle array, long out, @Nullable LastUse use) {
    Ownership taken = array.borrow();
    try {
      ArrayExport.export(taken, Layout.of(array.field()), array.struct(taken), array.offset(), array.length(),
          isInMainMemory(array), use, out);
    } catch (Throwable t) {
      array.takeBack(taken);
      throw t;
    }
    array.keep();
  }
}
