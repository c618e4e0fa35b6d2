// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.UUID;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.spi.Identities;

/** The identity of the GPU with an ordinal, as HIP reports it. The device need not be open. */
final class HipIdentity {
  private HipIdentity() {}

  /**
   * Returns the identity of a GPU. HIP's 16 bytes are not random. They are characters, the number in the hardware, and
   * parts of a GPU may have the same.
   */
  static DeviceIdentity of(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(64, 8);
      int code = Hip.DEVICE_GET_UUID.call(out.address(), ordinal);
      if (code == Hip.NOT_SUPPORTED) {
        HipErrors.forget();
      } else {
        Gpu.check(code, Hip.DEVICE_GET_UUID, "ROCM:" + ordinal);
      }
      UUID uuid = code == Hip.SUCCESS ? Identities.uuid(out.asSlice(0, 16).toArray(JAVA_BYTE)) : null;
      Gpu.check(Hip.DEVICE_GET_PCI_BUS_ID.call(out.address(), (int) out.byteSize(), ordinal),
          Hip.DEVICE_GET_PCI_BUS_ID, "ROCM:" + ordinal);
      return Identities.onPci(uuid, out.getString(0));
    }
  }
}
