// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.List;
import java.util.UUID;
import org.arbalest.device.internal.device.DeviceLookup;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceRegistry;

/**
 * The devices that this process can use, by type and id, by UUID or by place on the PCI bus. Nothing has to be closed,
 * and any thread may call all methods. A missing device is an answer with a reason, never a failure at class loading
 * (DEV-13).
 *
 * <p>A device other than the CPU needs its backend on the class path or module path, such as the artifact
 * {@code arbalest-device-cuda}. {@link DeviceType} lists the artifacts.
 */
public final class Devices {
  private Devices() {}

  /**
   * Returns the CPU, the device of main memory.
   *
   * @throws IllegalCallerException if the JVM denies native access to this library; the message names the flag to start
   *     the JVM with (DEV-20)
   * @throws UnsupportedOperationException if the JVM has no native calls
   */
  public static Device cpu() {
    return CpuDevice.get();
  }

  /**
   * Returns whether the driver for a type of device works, and how many devices it has; if it does not work, why.
   *
   * @return {@link Availability.Ready}, also for a driver that works but has no device; or {@link Availability.Missing}
   *     with the reason, such as the name of the artifact that the class path or module path lacks
   */
  public static Availability availability(DeviceType type) {
    return DeviceRegistry.availability(type);
  }

  /**
   * Returns a device that can be used. If the device was missing before, this call looks for it again (DEV-18).
   *
   * @param type the kind of device
   * @param id the number within the kind. −1 and 0 both mean the CPU; −1 is also host memory of no particular GPU
   *     (DEV-16)
   * @throws DeviceException with {@code ENOSYS} and the reason if the device is unavailable; with the driver's error if
   *     the device cannot be opened
   * @throws IllegalCallerException if the JVM denies native access to this library (DEV-20). If the JVM denies it only
   *     to a backend, the backend's devices are unavailable
   */
  public static Device device(DeviceType type, long id) {
    return DeviceRegistry.device(type, id);
  }

  /**
   * Returns the device of a kind that has a UUID; opens no other device. A UUID is the same in all processes,
   * regardless of the ids that they see. Pinned and managed memory of a GPU has the GPU's UUID.
   *
   * @param uuid the UUID, as {@code nvidia-smi -L} writes it after {@code GPU-} or {@code MIG-}; HIP's are 16
   *     characters, taken as the 16 bytes
   * @throws DeviceException with {@code ENOSYS} if no device that this process sees has the UUID, or several have it;
   *     the message lists the devices
   */
  public static Device device(DeviceType type, UUID uuid) {
    return DeviceLookup.byUuid(type, uuid);
  }

  /**
   * Returns the device of a kind at a place on the PCI bus; opens no other device.
   *
   * @param pciBusId the place, such as {@code 0000:3b:00.0}. Domain and function may be absent, and are 0 then. A
   *     domain may have 8 digits, as {@code nvidia-smi} writes it. Letters may have either case
   * @throws DeviceException with {@code ENOSYS} if this process sees no device there, or several, such as parts of one
   *     GPU; the message lists the devices
   */
  public static Device deviceAt(DeviceType type, String pciBusId) {
    return DeviceLookup.byPciBusId(type, pciBusId);
  }

  /**
   * Returns the available kinds of devices, and the missing ones with the reason: each kind that a backend serves, and
   * the usual GPUs. Opens no device.
   */
  public static List<DeviceStatus> status() {
    return DeviceRegistry.status();
  }

  /** Returns {@link #status} as text for people: a line for each device, and for each missing kind. */
  public static String describe() {
    return DeviceRegistry.describe();
  }
}
