// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.arbalest.device.Availability;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an executor's devices.
 *
 * @param name of the type, or {@code auto}
 * @param resource Spark's name of the resource that assigns devices to tasks
 * @param tasks the number of tasks that may use a device at the same time, in one executor
 * @param poolBytes the size of the pool of device memory, in bytes
 */
record DeviceSettings(String name, String resource, int tasks, long poolBytes) {
  static final String DEVICE = "spark.arbalest.device";
  static final String RESOURCE = DEVICE + ".resource";
  static final String TASKS = DEVICE + ".tasks";
  static final String POOL = DEVICE + ".pool";
  private static final String AUTO = "auto";

  private static final Map<String, DeviceType> TYPES =
      Map.of("cuda", DeviceType.CUDA, "rocm", DeviceType.ROCM, "opencl", DeviceType.OPENCL, "cpu", DeviceType.CPU);
  static final List<DeviceType> BEST_FIRST = List.of(DeviceType.CUDA, DeviceType.ROCM, DeviceType.OPENCL);

  DeviceSettings {
    if (!name.equals(AUTO) && !TYPES.containsKey(name)) {
      throw new IllegalArgumentException(DEVICE + " is " + name + ", but must be auto, cuda, rocm, opencl or cpu");
    }
    if (tasks < 1) throw new IllegalArgumentException(TASKS + " is " + tasks + ", and is at least 1");
  }

  static DeviceSettings of(SparkConf conf) {
    return new DeviceSettings(
        conf.get(DEVICE, AUTO).toLowerCase(Locale.ROOT), conf.get(RESOURCE, "gpu"), conf.getInt(TASKS, 2),
        conf.getSizeAsBytes(POOL, "1g"));
  }

  /**
   * Returns the device for a task.
   *
   * @param addresses the addresses that Spark has assigned to the task; only the first is used
   */
  Device device(List<String> addresses) {
    DeviceType type = type();
    if (type.equals(DeviceType.CPU)) return Devices.cpu();
    if (Devices.availability(type) instanceof Availability.Missing missing) {
      throw new IllegalStateException(
          DEVICE + " is " + name + ", which this executor does not have: " + missing.reason());
    }
    return addresses.isEmpty() ? Devices.device(type, 0) : at(type, addresses.getFirst());
  }

  private DeviceType type() {
    DeviceType asked = TYPES.get(name);
    if (asked != null) return asked;
    for (DeviceType type : BEST_FIRST) {
      if (Devices.availability(type) instanceof Availability.Ready) return type;
    }
    return DeviceType.CPU;
  }

  /** Returns which device {@code auto} has selected and why; null if the configuration names the type. */
  @Nullable
  String choice(Device device) {
    if (!name.equals(AUTO)) return null;
    var missing = new ArrayList<String>();
    for (DeviceType type : BEST_FIRST) {
      if (type.equals(device.type())) break;
      if (Devices.availability(type) instanceof Availability.Missing absent) missing.add(type + ": " + absent.reason());
    }
    return "tasks use the device " + device + ", because " + DEVICE + " is " + AUTO
        + (missing.isEmpty() ? "" : " and others are missing (" + String.join("; ", missing) + ")")
        + "; name a type in the configuration if all executors must use the same";
  }

  /**
   * Returns the device at an address. The formats are those of Spark's discovery scripts, from {@code nvidia-smi} and
   * similar programs.
   */
  private Device at(DeviceType type, String address) {
    if (address.chars().allMatch(Character::isDigit))
      return Devices.device(type, parsed(address, () -> Long.parseLong(address)));
    if (address.startsWith("GPU-"))
      return Devices.device(type, parsed(address, () -> UUID.fromString(address.substring("GPU-".length()))));
    if (address.contains(":")) return Devices.deviceAt(type, address);
    throw new IllegalArgumentException(unknown(address));
  }

  private <T> T parsed(String address, Supplier<T> how) {
    try {
      return how.get();
    } catch (IllegalArgumentException e) { // includes NumberFormatException
      throw new IllegalArgumentException(unknown(address), e);
    }
  }

  private String unknown(String address) {
    return "Spark has assigned the address " + address + " of the resource " + resource
        + ", and devices are known by a number, as GPU-<UUID>, or by a PCI bus id";
  }
}
