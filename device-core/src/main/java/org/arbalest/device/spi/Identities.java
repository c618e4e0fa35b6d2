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

/** A factory of {@link DeviceIdentity} from the values that runtimes report. */
public final class Identities {
  private Identities() {}

  /**
   * Returns the identity of a PCI device, with the NUMA node that Linux reports for it.
   *
   * @param pciBusId the bus id, in upper or lower case
   */
  public static DeviceIdentity onPci(@Nullable UUID uuid, String pciBusId) {
    String id = pciBusId.toLowerCase(Locale.ROOT);
    return new DeviceIdentity(uuid, id, numaNode(Path.of("/sys/bus/pci/devices"), id));
  }

  /** Converts the 16 bytes of a UUID, in the order of its text. */
  public static UUID uuid(byte[] bytes) {
    ByteBuffer words = ByteBuffer.wrap(bytes);
    return new UUID(words.getLong(), words.getLong());
  }

  static int numaNode(Path devices, String pciBusId) {
    try {
      return Integer.parseInt(Files.readString(devices.resolve(pciBusId).resolve("numa_node")).strip());
      // another operating system, or a bus id that is not a folder's name
    } catch (IOException | IllegalArgumentException _) {
      return -1;
    }
  }
}
