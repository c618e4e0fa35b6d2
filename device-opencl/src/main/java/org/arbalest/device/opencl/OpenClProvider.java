// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.DeviceProvider;
import org.jspecify.annotations.Nullable;

/**
 * The backend for every device with shared virtual memory, or unified shared memory, of every OpenCL platform. Devices
 * are numbered in the loader's order.
 *
 * <p>A loader that is installed later is found. A platform that is installed after the first query of the loader is not
 * found: the loader searches only once in a process.
 */
public final class OpenClProvider implements DeviceProvider {
  /** The open drivers, for {@link OpenCl}. */
  private static final Map<Long, OpenClDriver> OPEN = new ConcurrentHashMap<>();

  private static volatile List<ClDevice> devices = List.of();
  private static volatile List<String> leftOut = List.of();

  /** Creates the provider, for {@link java.util.ServiceLoader}. */
  public OpenClProvider() {}

  @Override
  public List<DeviceType> types() {
    return List.of(DeviceType.OPENCL);
  }

  @Override
  public Availability probe(DeviceType type) {
    String missing = find();
    return missing == null ? new Availability.Ready(devices.size()) : new Availability.Missing(missing);
  }

  /** Looks for devices, until some are found. Returns null after success, otherwise the reason. */
  private static synchronized @Nullable String find() {
    if (!devices.isEmpty()) return null;
    String missing = ClLibrary.missing();
    if (missing != null) return missing;
    try (SignalHandlers _ = SignalHandlers.save()) {
      ClDevice.Found found = ClDevice.find();
      leftOut = found.leftOut();
      devices = found.devices();
      return found.reason();
    }
  }

  @Override
  public DeviceDriver open(DeviceType type, long id) {
    String missing = find();
    if (missing != null) throw new DeviceException(Errno.ENOSYS, missing);
    try (SignalHandlers _ = SignalHandlers.save()) {
      OpenClDriver driver = OpenClDriver.open(devices.get((int) id), "OPENCL:" + id);
      OPEN.put(id, driver);
      return driver;
    }
  }

  @Override
  public String describe(DeviceType type, long id) {
    return devices.get((int) id).description();
  }

  @Override
  public List<String> leftOut(DeviceType type) {
    return leftOut;
  }

  /** Returns another open driver to whose memory an address belongs; null if no such driver exists. */
  static @Nullable OpenClDriver otherWith(OpenClDriver driver, long address) {
    if (OPEN.size() < 2 || driver.has(address)) return null;
    for (OpenClDriver other : OPEN.values()) {
      if (other != driver && other.has(address)) return other;
    }
    return null;
  }

  static OpenClDriver driver(Device device) {
    if (!device.type().equals(DeviceType.OPENCL))
      throw new IllegalArgumentException(device + " is not an OpenCL device");
    OpenClDriver driver = OPEN.get(device.id());
    if (driver == null) throw new IllegalArgumentException(device + " is not served by this backend");
    return driver;
  }
}
