// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.function.LongSupplier;
import org.arbalest.device.Device;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.DeviceDriver;

/** An event that the library owns. It is destroyed when its last reference is released (DEV-05). */
public final class RecordedEvent extends Shared {
  private final DeviceDriver driver;
  public final EventPoint point;

  private RecordedEvent(Device device, DeviceDriver driver, long cell, boolean isRecordedHere) {
    this.driver = driver;
    this.point = new EventPoint(device, driver, cell, isRecordedHere);
    Counts.EVENTS.increment();
  }

  /** Records an event at the end of the work that is in a queue now. */
  public static RecordedEvent record(Device device, DeviceDriver driver, long queue) {
    return record(device, driver, () -> driver.record(queue));
  }

  /** Wraps the event that a call returns, which queues work and then records the driver's event behind it. */
  public static RecordedEvent record(Device device, DeviceDriver driver, LongSupplier queuing) {
    long cell = NativeHeap.allocate(Long.BYTES);
    try {
      NativeHeap.putLong(cell, queuing.getAsLong());
      return new RecordedEvent(device, driver, cell, true);
    } catch (Throwable t) {
      NativeHeap.free(cell);
      throw t;
    }
  }

  /** Takes over an event that other code created. */
  public static RecordedEvent adopt(Device device, DeviceDriver driver, long handle) {
    long cell = NativeHeap.allocate(Long.BYTES);
    NativeHeap.putLong(cell, handle);
    return new RecordedEvent(device, driver, cell, false);
  }

  @Override
  protected void free() {
    Counts.EVENTS.decrement();
    try {
      if (point.handle() != 0) driver.destroyEvent(point.handle());
    } catch (Throwable t) {
      Faults.report("destroying an event of " + point.device, t);
    } finally {
      NativeHeap.free(point.cell);
    }
  }
}
