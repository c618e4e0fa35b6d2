// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.List;

/**
 * The status of one kind of device: its devices, or the reason why they are missing. An immutable value, which any
 * thread may use.
 *
 * @param type the kind
 * @param availability the number of devices, or the reason why they are missing
 * @param descriptions one line for each device, in the order of their ids
 */
public record DeviceStatus(DeviceType type, Availability availability, List<String> descriptions) {
  /** Creates the status; copies the list. */
  public DeviceStatus {
    descriptions = List.copyOf(descriptions);
  }

  /** Returns a line such as {@code CUDA: 1 device (NVIDIA H100 PCIe, 80 GiB)}. */
  @Override
  public String toString() {
    return type + ": " + availability + (descriptions.isEmpty() ? "" : " (" + String.join("; ", descriptions) + ")");
  }
}
