// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which piece of hardware a device is, whatever number a process knows it by: ordinals change with
 * {@code CUDA_VISIBLE_DEVICES} and its kind.
 *
 * @param uuid as the runtime says it, or null; of a part of a GPU (MIG) the part's own
 * @param pciBusId such as {@code 0000:3b:00.0}, in lower case as Linux has it, or null; parts of a GPU have the same
 * @param numaNode the node of main memory that is next to it, or −1 if nobody knows
 */
public record DeviceIdentity(@Nullable UUID uuid, @Nullable String pciBusId, int numaNode) {
  /** Nobody knows. */
  public static final DeviceIdentity UNKNOWN = new DeviceIdentity(null, null, -1);
}
