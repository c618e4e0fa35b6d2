// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.List;

/**
 * What is there of one kind of device.
 *
 * @param type the kind
 * @param availability how many there are, or why there are none
 * @param descriptions one line about each, in the order of their ids
 */
public record DeviceStatus(DeviceType type, Availability availability, List<String> descriptions) {
  /** Copies the list. */
  public DeviceStatus {
    descriptions = List.copyOf(descriptions);
  }

  /** Such as {@code CUDA: 1 device (NVIDIA H100 PCIe, 80 GiB)}. */
  @Override
  public String toString() {
    return type + ": " + availability + (descriptions.isEmpty() ? "" : " (" + String.join("; ", descriptions) + ")");
  }
}
