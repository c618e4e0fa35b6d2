package org.arbalest.device;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.SynchronousDriver;
import org.jspecify.annotations.Nullable;

/** Takes arrays in from C: either there is a handle that holds what was in the struct, or it went back to its producer (OWN-08). */
final class ArrayImport {
  private ArrayImport() {}

  /** Moves the array at {@code source} to memory of ours, or releases it; with its schema, which is released in any case. */
  static DeviceArray take(long source, long schema, boolean isDeviceArray) {
    Field field;
    try {
      field = SchemaImporter.importSchema(schema);
    } catch (Throwable t) {
      Calls.releaseArray(source);
      throw t;
    }
    return take(source, field, isDeviceArray);
  }

  /** Moves the array at {@code source} to memory of ours, or releases it. */
  static DeviceArray take(long source, Field field, boolean isDeviceArray) {
    if (ArrowArrayStruct.release(source) == 0) throw DeviceException.invalid("$: the array was released before it was imported");
    long block = 0;
    try {
      Device device = isDeviceArray ? deviceOf(source) : Devices.cpu();
      EventPoint event = isDeviceArray ? eventOf(device, source) : null;
      boolean hasEmptyAtOffset = Structure.validate(field, source);
      checkBuffers(device, field.layout, source);
      block = NativeHeap.allocate(ArrowDeviceArrayStruct.SIZE);
      if (!isDeviceArray) ArrowDeviceArrayStruct.setSyncEvent(block, 0);
      long offset = ArrowArrayStruct.offset(source);
      DeviceArray array = new DeviceArray(device, field, block, offset, ArrowArrayStruct.length(source));
      ImportedArray owner = new ImportedArray(block, device, event, hasEmptyAtOffset);
      if (isDeviceArray) {
        ArrowDeviceArrayStruct.move(source, block);
      } else {
        ArrowArrayStruct.move(source, block);
      }
      return array.holding(owner);
    } catch (Throwable t) {
      NativeHeap.free(block);
      Calls.releaseArray(source);
      throw t;
    }
  }

  /** Takes over a live {@code ArrowDeviceArray} in a block of ours; on failure both are released. */
  static DeviceArray adopt(long block, Field field) {
    try {
      Device device = deviceOf(block);
      EventPoint event = eventOf(device, block);
      boolean hasEmptyAtOffset = Structure.validate(field, block);
      checkBuffers(device, field.layout, block);
      DeviceArray array = new DeviceArray(device, field, block, ArrowArrayStruct.offset(block), ArrowArrayStruct.length(block));
      return array.holding(new ImportedArray(block, device, event, hasEmptyAtOffset));
    } catch (Throwable t) {
      Calls.releaseArray(block);
      NativeHeap.free(block);
      throw t;
    }
  }

  private static Device deviceOf(long array) {
    int type = ArrowDeviceArrayStruct.deviceType(array);
    return type == 1 ? Devices.cpu() : Devices.find(new DeviceType(type), ArrowDeviceArrayStruct.deviceId(array));
  }

  /** The event to wait for; null if there is none, or if nobody here knows the device, and it can only be handed on. */
  private static @Nullable EventPoint eventOf(Device device, long array) {
    long cell = ArrowDeviceArrayStruct.syncEvent(array);
    if (cell == 0 || device.isOpaque()) return null;
    DeviceDriver driver = device.driver();
    if (driver instanceof SynchronousDriver) {
      throw DeviceException.invalid("$: an array on " + device + " has a sync_event, which nobody can wait for: that device has no events");
    }
    long handle = NativeHeap.getLong(cell);
    if (handle == 0) throw DeviceException.invalid("$: sync_event points to an event that is NULL");
    driver.checkEvent(handle);
    return new EventPoint(device, driver, cell);
  }

  /** Asks the driver whether the buffers may be its device's; main memory needs no asking. */
  private static void checkBuffers(Device device, Layout layout, long array) {
    if (device.isCpu() || device.isOpaque()) return;
    checkBuffers(device.driver(), layout, array);
  }

  private static void checkBuffers(DeviceDriver driver, Layout layout, long array) {
    long count = ArrowArrayStruct.nBuffers(array) - (layout.shape == Layout.Shape.VIEW ? 1 : 0); // the last are sizes, in main memory
    for (long i = 0; i < count; i++) {
      long address = ArrowArrayStruct.buffer(array, i);
      if (address != 0) driver.checkBuffer(address);
    }
    for (int i = 0; i < layout.children.length; i++) checkBuffers(driver, layout.children[i].layout, ArrowArrayStruct.child(array, i));
    if (layout.dictionary != null) checkBuffers(driver, layout.dictionary.layout, ArrowArrayStruct.dictionary(array));
  }
}
