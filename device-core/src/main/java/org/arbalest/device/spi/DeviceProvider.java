// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.List;
import org.arbalest.device.Availability;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceType;

/**
 * A backend: serves the devices of one runtime.
 *
 * <p>Implementations are found by {@link java.util.ServiceLoader}, are created once per process, and may be called from
 * any thread. Their constructor and {@link #types()} must not touch the driver.
 */
public interface DeviceProvider {
  /** The device types that this provider serves. */
  List<DeviceType> types();

  /**
   * Whether devices of a type can be used here, and if not, why. Does not throw because something is missing. Is asked
   * again after it said {@link Availability.Missing Missing}, for as long as arrays come from there (DEV-18): so it
   * looks each time, and remembers no absence, but for what its runtime remembers.
   *
   * <p>Called under a lock, as {@link #open} is.
   *
   * @param type one of {@link #types()}
   */
  Availability probe(DeviceType type);

  /**
   * Opens a device for the rest of the process's life: C may release arrays after everybody else has left. Called once
   * for each device, and only if {@link #probe} said {@link Availability.Ready Ready}. If this throws, it is called
   * again for who wants the device, and for as long as arrays come from there (DEV-18).
   *
   * <p>Beware: this runs, as {@link #probe} may, under a lock of core's, one for each provider, for which every thread
   * waits that asks for one of its devices. So it must not wait for a thread that may ask for one, nor for a lock that
   * such a thread may hold: the two would wait for each other for good. Nor does it ask for the device that it opens.
   * Devices of other providers, the CPU's too, may be asked for, if those do not ask for this one's.
   *
   * @param type one of {@link #types()}
   * @param id the device's id; −1 and 0 are the same for a type whose devices have no ids
   */
  DeviceDriver open(DeviceType type, long id);

  /**
   * One line for people about a device that {@link #probe} counted, such as its name and memory. Does not open it.
   *
   * @param type one of {@link #types()}
   * @param id the device's id
   */
  default String describe(DeviceType type, long id) {
    return type + ":" + id;
  }

  /**
   * Which piece of hardware a device is that {@link #probe} counted. Does not open it.
   *
   * @param type one of {@link #types()}
   * @param id the device's id
   */
  default DeviceIdentity identity(DeviceType type, long id) {
    return DeviceIdentity.UNKNOWN;
  }
}
