// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.UUID;
import org.arbalest.device.DeviceIdentity;
import org.jspecify.annotations.Nullable;

/** Makes a {@link DeviceIdentity} of what runtimes say. */
public final class Identities {
  private Identities() {}

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
