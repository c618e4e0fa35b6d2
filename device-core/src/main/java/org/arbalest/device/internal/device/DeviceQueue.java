// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.DeviceDriver;

/** A queue of a device's runtime, and who uses it: its handle, and calls that are under way. */
public final class DeviceQueue extends Shared {
  /** What becomes of the runtime's queue in the end. */
  enum Kind {
    OWN,
    /** A device's default, which lives as long as the process and is not counted. */
    DEFAULT,
    /** Somebody else's. */
    BORROWED
  }

  final Device device;
  public final DeviceDriver driver;
  public final long handle;
  private final Kind kind;

  DeviceQueue(Device device, DeviceDriver driver, long handle, Kind kind) {
    this.device = device;
    this.driver = driver;
    this.handle = handle;
    this.kind = kind;
    if (kind == Kind.OWN) Counts.QUEUES.increment();
  }

  @Override
  protected void free() {
    if (kind != Kind.OWN) return;
    Counts.QUEUES.decrement();
    try {
      driver.destroyQueue(handle);
    } catch (Throwable t) {
      Faults.report("destroying a queue of " + device, t);
    }
  }
}
