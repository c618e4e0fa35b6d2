package org.arbalest.device;

import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.upcall.Faults;

/** A queue of a device's runtime, and who uses it: its handle, and calls that are under way. */
final class DeviceQueue extends Shared {
  /** What becomes of the runtime's queue in the end. */
  enum Kind {
    OWN,
    /** A device's default, which lives as long as the process and is not counted. */
    DEFAULT,
    /** Somebody else's. */
    BORROWED
  }

  final Device device;
  final DeviceDriver driver;
  final long handle;
  private final Kind kind;

  DeviceQueue(Device device, DeviceDriver driver, long handle, Kind kind) {
    this.device = device;
    this.driver = driver;
    this.handle = handle;
    this.kind = kind;
    if (kind == Kind.OWN) Ledger.QUEUES.increment();
  }

  @Override
  void free() {
    if (kind != Kind.OWN) return;
    Ledger.QUEUES.decrement();
    try {
      driver.destroyQueue(handle);
    } catch (Throwable t) {
      Faults.report("destroying a queue of " + device, t);
    }
  }
}
