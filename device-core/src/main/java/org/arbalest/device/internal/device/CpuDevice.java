// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.cpu.CpuDriver;
import org.jspecify.annotations.Nullable;

/** The CPU device. A program that uses only the CPU starts without the {@link DeviceRegistry} and its backends. */
public final class CpuDevice {
  /** Null without native access. */
  static final @Nullable Device CPU =
      NativeAccess.isEnabled() ? new DeviceImpl(DeviceType.CPU, -1, new CpuDriver()) : null;

  private CpuDevice() {}

  /** Returns the CPU device. Throws if native access is not enabled. */
  public static Device get() {
    Device cpu = CPU;
    if (cpu == null) throw NativeAccess.refusal();
    return cpu;
  }
}
