// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.ref.Reference;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.SchemaExport;
import org.arbalest.device.internal.schema.SchemaImporter;

/** Hands arrays to C: either C has what a handle held, or the structs are released and the handle is as it was (OWN-09). */
public final class HandleExport {
  private HandleExport() {}

  /** See {@link DeviceArray#exportArray(MemorySegment)} and {@link DeviceArray#exportDeviceArray(MemorySegment)}. */
  static void export(Handle array, MemorySegment out, boolean isDeviceArray) {
    try {
      export(array, Structs.address(out, layout(isDeviceArray)), isDeviceArray);
    } finally {
      Reference.reachabilityFence(out);
    }
  }

  /** The same with its schema. */
  static void export(Handle array, MemorySegment out, MemorySegment schemaOut, boolean isDeviceArray) {
    try {
      long schemaStruct;
      long struct;
      try {
        schemaStruct = Structs.address(schemaOut, ArrowSchemaStruct.LAYOUT);
        ArrowSchemaStruct.setRelease(schemaStruct, 0);
      } finally { // also if the other one is no memory for its struct
        struct = Structs.address(out, layout(isDeviceArray));
        ArrowArrayStruct.setRelease(struct, 0);
      }
      export(array, struct, schemaStruct, isDeviceArray);
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  /** The same by addresses. */
  public static void exportTo(Handle array, long outAddress, long schemaOutAddress, boolean isDeviceArray) {
    MemorySegment schemaOut;
    MemorySegment out;
    try {
      schemaOut = Structs.at("schemaOutAddress", schemaOutAddress, ArrowSchemaStruct.LAYOUT);
      ArrowSchemaStruct.setRelease(schemaOutAddress, 0);
    } finally { // also if the other one is no memory for its struct
      out = Structs.at("outAddress", outAddress, layout(isDeviceArray));
      ArrowArrayStruct.setRelease(outAddress, 0);
    }
    export(array, out, schemaOut, isDeviceArray);
  }

  /** Makes both structs released ones, before anything is done that may fail. */
  public static void clear(MemorySegment out, MemorySegment schemaOut, boolean isDeviceArray) {
    try {
      try {
        ArrowSchemaStruct.setRelease(Structs.address(schemaOut, ArrowSchemaStruct.LAYOUT), 0);
      } finally { // also if that is no memory for its struct
        ArrowArrayStruct.setRelease(Structs.address(out, layout(isDeviceArray)), 0);
      }
    } finally {
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(schemaOut);
    }
  }

  private static StructLayout layout(boolean isDeviceArray) {
    return isDeviceArray ? ArrowDeviceArrayStruct.LAYOUT : ArrowArrayStruct.LAYOUT;
  }

  private static void export(Handle array, long out, long schemaOut, boolean isDeviceArray) {
    SchemaExport.exportSchema(array.field(), schemaOut);
    try {
      export(array, out, isDeviceArray);
    } catch (Throwable t) {
      SchemaImporter.giveBack(schemaOut);
      throw t;
    }
  }

  /** Exports to a struct of C's. */
  public static void export(Handle array, long out, boolean isDeviceArray) {
    Recording.OfArray event = Recording.anExport();
    long bytes = 0;
    if (event != null) {
      ArrowArrayStruct.setRelease(out, 0); // before anything that may fail
      bytes = RecordedArrays.bytes(array); // while it has the memory
    }
    if (isDeviceArray) {
      exportDeviceArray(array, out);
    } else {
      exportArray(array, out);
    }
    if (event != null) RecordedArrays.tell(event, array, bytes);
  }

  private static void exportArray(Handle array, long out) {
    ArrowArrayStruct.setRelease(out, 0);
    if (array.device().type().code() != 1) {
      throw new DeviceException(
          Errno.EINVAL, "an ArrowArray is in main memory, but this array is on " + array.device() + "; export a device array, or copyTo(Devices.cpu()) before");
    }
    if (array.holder().syncEvent() != 0) array.synchronize(); // an ArrowArray has no event
    handOver(array, out);
  }

  private static void exportDeviceArray(Handle array, long out) {
    Device device = array.device();
    ArrowArrayStruct.setRelease(out, 0);
    writeDevice(device, eventForConsumer(array, device), out);
    handOver(array, out);
  }

  private static void writeDevice(Device device, long event, long out) {
    ArrowDeviceArrayStruct.setDeviceId(out, device.id());
    ArrowDeviceArrayStruct.setDeviceType(out, device.type().code());
    ArrowDeviceArrayStruct.setSyncEvent(out, event);
    ArrowDeviceArrayStruct.clearReserved(out);
  }

  /**
   * Exports to an {@code ArrowDeviceArray}, which is marked as released, what a handle held before the caller {@linkplain Handle#spend spent} it. The
   * count passes to this, whatever happens.
   */
  public static void exportSpent(Handle array, Ownership spent, long out) {
    Recording.OfArray event;
    long bytes;
    try {
      event = Recording.anExport();
      bytes = event == null ? 0 : RecordedArrays.bytes(array, spent);
    } catch (Throwable t) { // the stack is exhausted
      spent.release();
      throw t;
    }
    handOverSpent(array, spent, out);
    if (event != null) RecordedArrays.tell(event, array, bytes);
  }

  private static void handOverSpent(Handle array, Ownership spent, long out) {
    if (spent.syncEvent() != 0) { // which may have to be waited for
      try (DeviceArray again = new DeviceArrayImpl(array.device, array.field, array.struct, array.offset, array.length).holding(spent)) {
        exportDeviceArray(DeviceArrayImpl.unwrap(again), out);
      }
      return;
    }
    try {
      writeDevice(array.device, 0, out);
      ArrayExport.export(spent, Layout.of(array.field), array.struct, array.offset, array.length, out);
    } catch (Throwable t) {
      spent.release();
      throw t;
    }
  }

  /** A pointer to the event that the consumer is to wait for; if it is of a kind that the consumer will not know, waits itself. */
  private static long eventForConsumer(Handle array, Device device) {
    Ownership owner = array.holder();
    long event = owner.syncEvent();
    if (event == 0) return 0;
    EventPoint point = owner.event();
    if (point == null || point.device.equals(device) || DeviceImpl.unwrap(device).reaches(point.device)) return event;
    array.synchronize();
    return 0;
  }

  /** The count that the handle has passes to the export; if there is none to be had, the handle keeps it. */
  private static void handOver(Handle array, long out) {
    Ownership taken = array.spend();
    try {
      ArrayExport.export(taken, Layout.of(array.field()), array.struct(), array.offset(), array.length(), out);
    } catch (Throwable t) {
      array.restore(taken);
      throw t;
    }
  }
}
