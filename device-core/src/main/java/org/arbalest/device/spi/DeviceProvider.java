// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.List;
import org.arbalest.device.Availability;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceType;

/**
 * A backend: access to the devices of one runtime.
 *
 * <p>{@link java.util.ServiceLoader} finds the implementations and creates each once per process. Core may call them
 * from any thread. The constructor and {@link #types()} must not touch the driver.
 */
public interface DeviceProvider {
  /** Returns the device types that this provider serves. */
  List<DeviceType> types();

  /**
   * Returns whether devices of a type can be used in this process, and if not, the reason. A missing library or device
   * is an answer, not an exception. After the answer {@link Availability.Missing Missing}, core probes again for as
   * long as arrays of the type arrive (DEV-18). Each call must therefore look again, and must not remember an absence,
   * except one that the runtime itself remembers.
   *
   * <p>Core calls it under a lock, as it calls {@link #open}.
   *
   * @param type one of {@link #types()}
   */
  Availability probe(DeviceType type);

  /**
   * Opens a device for the rest of the process's life: native code may release arrays after all other users are gone.
   * Core calls it once for each device, and only after {@link #probe} returned {@link Availability.Ready Ready}. If the
   * call throws, core calls it again for the next caller that requests the device, and for as long as its arrays arrive
   * (DEV-18).
   *
   * <p><b>Locks.</b> Core has one lock for each provider, and calls this method and {@link #probe} under it. A thread
   * that requests one of the provider's devices waits for that lock. The method must therefore not wait for a thread
   * that may request such a device, nor for a lock that such a thread may own: both would wait forever. It must not
   * request the device that it opens. It may request devices of other providers, the CPU included, if those do not
   * request this provider's devices.
   *
   * @param type one of {@link #types()}
   * @param id the device's id; −1 and 0 are the same for a type whose devices have no ids
   */
  DeviceDriver open(DeviceType type, long id);

  /**
   * Returns one readable line about a device that {@link #probe} counted, such as its name and memory. Does not open
   * the device.
   *
   * @param type one of {@link #types()}
   * @param id the device's id
   */
  default String describe(DeviceType type, long id) {
    return type + ":" + id;
  }

  /**
   * Returns one readable line for each device or platform that the runtime has and that {@link #probe} did not count,
   * with the reason. {@link org.arbalest.device.Devices#describe} displays them after the devices.
   *
   * @param type one of {@link #types()}
   */
  default List<String> leftOut(DeviceType type) {
    return List.of();
  }

  /**
   * Returns the hardware identity of a device that {@link #probe} counted. Does not open the device.
   *
   * @param type one of {@link #types()}
   * @param id the device's id
   */
  default DeviceIdentity identity(DeviceType type, long id) {
    return DeviceIdentity.UNKNOWN;
  }
}
