package org.arbalest.device;

import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.upcall.Faults;

/** An event of ours: destroyed when the last of those who hold it has left (DEV-05). */
final class RecordedEvent extends Shared {
  private final DeviceDriver driver;
  final EventPoint point;

  private RecordedEvent(Device device, DeviceDriver driver, long cell) {
    this.driver = driver;
    this.point = new EventPoint(device, driver, cell);
    Ledger.EVENTS.increment();
  }

  /** The end of what is in a queue now. */
  static RecordedEvent record(Device device, DeviceDriver driver, long queue) {
    long cell = NativeHeap.allocate(Long.BYTES);
    try {
      NativeHeap.putLong(cell, driver.record(queue));
      return new RecordedEvent(device, driver, cell);
    } catch (Throwable t) {
      NativeHeap.free(cell);
      throw t;
    }
  }

  /** An event that somebody made, and gives to us. */
  static RecordedEvent adopt(Device device, DeviceDriver driver, long handle) {
    long cell = NativeHeap.allocate(Long.BYTES);
    NativeHeap.putLong(cell, handle);
    return new RecordedEvent(device, driver, cell);
  }

  @Override
  void free() {
    Ledger.EVENTS.decrement();
    try {
      if (point.handle() != 0) driver.destroyEvent(point.handle());
    } catch (Throwable t) {
      Faults.report("destroying an event of " + point.device, t);
    } finally {
      NativeHeap.free(point.cell);
    }
  }
}
