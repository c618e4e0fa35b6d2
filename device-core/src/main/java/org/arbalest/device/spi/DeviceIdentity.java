// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which piece of hardware a device is, whatever number a process knows it by: ordinals change with {@code CUDA_VISIBLE_DEVICES} and its kind.
 *
 * @param uuid as the runtime says it, or null; of a part of a GPU (MIG) the part's own
 * @param pciBusId such as {@code 0000:3b:00.0}, in lower case as Linux has it, or null; parts of a GPU have the same
 * @param numaNode the node of main memory that is next to it, or −1 if nobody knows
 */
public record DeviceIdentity(@Nullable UUID uuid, @Nullable String pciBusId, int numaNode) {
  /** Nobody knows. */
  public static final DeviceIdentity UNKNOWN = new DeviceIdentity(null, null, -1);

  /** A device on the PCI bus, next to the node that Linux says. */
  public static DeviceIdentity onPci(@Nullable UUID uuid, String pciBusId) {
    String id = pciBusId.toLowerCase(Locale.ROOT);
    return new DeviceIdentity(uuid, id, numaNode(Path.of("/sys/bus/pci/devices"), id));
  }

  /** The 16 bytes of a UUID, in the order in which it is written. */
  public static UUID uuid(byte[] bytes) {
    ByteBuffer words = ByteBuffer.wrap(bytes);
    return new UUID(words.getLong(), words.getLong());
  }

  static int numaNode(Path devices, String pciBusId) {
    try {
      return Integer.parseInt(Files.readString(devices.resolve(pciBusId).resolve("numa_node")).strip());
    } catch (IOException | IllegalArgumentException _) { // another system, or a bus id that is no name of a folder
      return -1;
    }
  }
}
