// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.cpu;

import java.util.List;
import org.arbalest.device.Availability;
import org.arbalest.device.DeviceType;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.DeviceProvider;

/** Serves main memory. */
public final class CpuProvider implements DeviceProvider {
  /** For {@link java.util.ServiceLoader}. */
  public CpuProvider() {}

  @Override
  public List<DeviceType> types() {
    return List.of(DeviceType.CPU);
  }

  @Override
  public Availability probe(DeviceType type) {
    return new Availability.Ready(1);
  }

  @Override
  public DeviceDriver open(DeviceType type, long id) {
    return new CpuDriver();
  }

  @Override
  public String describe(DeviceType type, long id) {
    Runtime runtime = Runtime.getRuntime();
    return System.getProperty("os.name") + " on " + System.getProperty("os.arch") + ", " + runtime.availableProcessors()
        + " processors";
  }
}
