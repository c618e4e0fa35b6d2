// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The hardware identity of a device, independent of its number in a process. Numbers change with
 * {@code CUDA_VISIBLE_DEVICES} and similar variables. An immutable value, which any thread may use.
 *
 * @param uuid the UUID that the runtime reports, or null; for a part of a GPU (MIG), the UUID of the part
 * @param pciBusId the place on the PCI bus, such as {@code 0000:3b:00.0}, in lower case as in Linux, or null; all parts
 *     of a GPU have the same
 * @param numaNode the NUMA node of the main memory next to the device, or −1 if unknown
 */
public record DeviceIdentity(@Nullable UUID uuid, @Nullable String pciBusId, int numaNode) {
  /** The identity of a device about which nothing is known. */
  public static final DeviceIdentity UNKNOWN = new DeviceIdentity(null, null, -1);
}
