// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.abi.RawArrowDeviceArray;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.SynchronousDriver;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The import of arrays from native code. Either a handle holds the content of the struct, or the struct was released to
 * its producer (OWN-08).
 */
public final class ArrayImport {
  private ArrayImport() {}

  /** See {@link org.arbalest.device.c.CData#importArray}, for a type that is known. */
  public static DeviceArray importArray(MemorySegment array, Field field, boolean isDeviceArray, Validation level) {
    try {
      return take(address(array, isDeviceArray), field, isDeviceArray, level);
    } finally {
      Reference.reachabilityFence(array);
    }
  }

  /** See {@link org.arbalest.device.c.CData#importArray}, for a type that a native schema describes. */
  public static DeviceArray importArray(MemorySegment array, MemorySegment schema, boolean isDeviceArray,
      Validation level) {
    try {
      return take(address(array, isDeviceArray), Structs.address(schema, "ArrowSchema", RawArrowSchema.SIZE),
          isDeviceArray,
          level);
    } finally {
      Reference.reachabilityFence(array);
      Reference.reachabilityFence(schema);
    }
  }

  private static long address(MemorySegment array, boolean isDeviceArray) {
    return isDeviceArray ? Structs.address(array, "ArrowDeviceArray", RawArrowDeviceArray.SIZE)
        : Structs.address(array, "ArrowArray", RawArrowArray.SIZE);
  }

  /**
   * Moves the array at {@code source} to the library's own memory, or releases it. Releases its schema in every case.
   */
  public static DeviceArray take(long source, long schema, boolean isDeviceArray, Validation level) {
    Field field;
    try {
      field = SchemaImporter.importSchema(schema);
    } catch (Throwable t) {
      ArrayRelease.release(source);
      throw t;
    }
    return take(source, field, isDeviceArray, level);
  }

  /**
   * Moves the array at {@code source} to the library's own memory, or releases it. Does only the structural part of the
   * validation.
   */
  public static DeviceArray take(long source, Field field, boolean isDeviceArray, Validation level) {
    Recording.OfArray event = Recording.anImport();
    DeviceArray array = move(source, field, isDeviceArray, level);
    if (event != null) RecordedArrays.describe(event, array);
    return array;
  }

  private static DeviceArray move(long source, Field field, boolean isDeviceArray, Validation level) {
    if (RawArrowArray.release(source) == 0)
      throw DeviceException.invalid("the array was released before it was imported");
    long block = 0;
    try {
      Device device = isDeviceArray ? deviceOf(source) : CpuDevice.get();
      EventPoint event = isDeviceArray ? eventOf(device, source) : null;
      boolean hasEmpty = check(device, field, source, level);
      block = NativeHeap.allocate(RawArrowDeviceArray.SIZE);
      if (!isDeviceArray) RawArrowDeviceArray.setSyncEvent(block, 0);
      long offset = RawArrowArray.offset(source);
      DeviceArrayImpl array = DeviceArrayImpl.of(device, field, block, offset, RawArrowArray.length(source));
      boolean hasUnknownEvent = isDeviceArray && event == null && RawArrowDeviceArray.syncEvent(source) != 0;
      ImportedArray owner = new ImportedArray(block, device, event, hasUnknownEvent, hasEmpty);
      if (isDeviceArray) {
        RawArrowDeviceArray.move(source, block);
      } else {
        RawArrowArray.move(source, block);
      }
      return array.holding(owner);
    } catch (Throwable t) {
      NativeHeap.free(block);
      ArrayRelease.release(source);
      throw t;
    }
  }

  /** Takes over a live {@code ArrowDeviceArray} in the library's own block. On failure, releases both. */
  public static DeviceArray adopt(long block, Field field, Validation level) {
    try {
      Device device = deviceOf(block);
      EventPoint event = eventOf(device, block);
      boolean hasEmpty = check(device, field, block, level);
      DeviceArrayImpl array =
          DeviceArrayImpl.of(device, field, block, RawArrowArray.offset(block), RawArrowArray.length(block));
      boolean hasUnknownEvent = event == null && RawArrowDeviceArray.syncEvent(block) != 0;
      return array.holding(new ImportedArray(block, device, event, hasUnknownEvent, hasEmpty));
    } catch (Throwable t) {
      ArrayRelease.release(block);
      NativeHeap.free(block);
      throw t;
    }
  }

  /**
   * Validates the structure, and checks the buffers with the driver. Returns whether an empty array at an offset may be
   * below (ARR-19).
   */
  private static boolean check(Device device, Field field, long array, Validation level) {
    if (level == Validation.NONE) return true;
    boolean hasEmpty = Structure.validate(field, array);
    if (DeviceImpl.unwrap(device).isCpu()) return hasEmpty;
    try {
      BufferPlaces.check(device, field, array, level);
    } catch (MalformedException e) {
      throw e.toException();
    }
    return hasEmpty;
  }

  private static Device deviceOf(long array) {
    int type = RawArrowDeviceArray.deviceType(array);
    return type == 1 ? CpuDevice.get()
        : DeviceRegistry.find(new DeviceType(type), RawArrowDeviceArray.deviceId(array));
  }

  /**
   * Returns the event to wait for. Returns null if no event exists, or if the device is unknown here, so that the event
   * can only be passed on.
   */
  private static @Nullable EventPoint eventOf(Device device, long array) {
    long cell = RawArrowDeviceArray.syncEvent(array);
    if (cell == 0 || device.isOpaque()) return null;
    DeviceDriver driver = DeviceImpl.unwrap(device).driver();
    if (driver instanceof SynchronousDriver) {
      throw DeviceException
          .invalid("an array on " + device + " has a sync_event, but that device has no events");
    }
    long handle = NativeHeap.getLong(cell);
    if (handle == 0) throw DeviceException.invalid("sync_event points to an event that is NULL");
    driver.checkEvent(handle);
    return new EventPoint(device, driver, cell);
  }
}
