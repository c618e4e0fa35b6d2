// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.List;
import java.util.UUID;
import org.arbalest.device.internal.device.DeviceLookup;
import org.arbalest.device.internal.device.DeviceRegistry;

/**
 * Finds devices. What is missing is an answer with a reason, never a failure at class loading (DEV-13). Safe on any
 * thread.
 */
public final class Devices {
  private Devices() {}

  /**
   * Main memory.
   *
   * @throws IllegalCallerException if the JVM does not let this library call C; names the flag to start it with
   *     (DEV-20)
   */
  public static Device cpu() {
    return DeviceRegistry.cpu();
  }

  /** Whether devices of a type can be used here, and if not, why. */
  public static Availability availability(DeviceType type) {
    return DeviceRegistry.availability(type);
  }

  /**
   * A device that can be used. One that was missing before is looked for again, now (DEV-18).
   *
   * @param type the kind of device
   * @param id which one of its kind; −1 and 0 both mean the CPU; −1 is also host memory that is no GPU's in particular
   *     (DEV-16)
   * @throws DeviceException with {@code ENOSYS} and the reason if it is not available, or what its driver fails with
   *     when it is opened
   * @throws IllegalCallerException if the JVM does not let this library call C (DEV-20); that a backend may not is a
   *     reason why it is not available
   */
  public static Device device(DeviceType type, long id) {
    return DeviceRegistry.device(type, id);
  }

  /**
   * The device of a kind that has a UUID, which is the same in all processes, whatever ids they see; opens no other. Of
   * a GPU's pinned and managed memory it is the GPU's.
   *
   * @param uuid as {@code nvidia-smi -L} writes it behind {@code GPU-} or {@code MIG-}; HIP's are 16 characters, taken
   *     for the 16 bytes
   * @throws DeviceException with {@code ENOSYS} if none that this process sees has it, or several have: says which
   *     there are
   */
  public static Device device(DeviceType type, UUID uuid) {
    return DeviceLookup.byUuid(type, uuid);
  }

  /**
   * The device of a kind that is somewhere on the PCI bus; opens no other.
   *
   * @param pciBusId such as {@code 0000:3b:00.0}; also without domain and function, which are 0 then, with a domain of
   *     8 digits, as {@code nvidia-smi} writes it, and in any case of letters
   * @throws DeviceException with {@code ENOSYS} if none that this process sees is there, or several are, as parts of
   *     one GPU: says which there are
   */
  public static Device deviceAt(DeviceType type, String pciBusId) {
    return DeviceLookup.byPciBusId(type, pciBusId);
  }

  /**
   * What is there, and what is missing and why: of every kind that a backend serves, and of the usual GPUs. Opens
   * nothing.
   */
  public static List<DeviceStatus> status() {
    return DeviceRegistry.status();
  }

  /** {@link #status} for people: a line for each device, and for each kind that is missing. */
  public static String describe() {
    return DeviceRegistry.describe();
  }
}
