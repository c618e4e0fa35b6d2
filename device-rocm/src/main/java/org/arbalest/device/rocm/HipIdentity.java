// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.UUID;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.spi.Identities;

/** Which GPU an ordinal is, as HIP says it, for devices that need not be open. */
final class HipIdentity {
  private static final MethodHandle DEVICE_GET_UUID = Hip.optional("hipDeviceGetUuid", JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEVICE_GET_PCI_BUS_ID = Hip.function("hipDeviceGetPCIBusId", JAVA_LONG, JAVA_INT, JAVA_INT);

  private HipIdentity() {}

  /** HIP's 16 bytes are not random ones but characters, the number in the hardware; parts of a GPU may have the same. */
  static DeviceIdentity of(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(64, 8);
      int code = deviceGetUuid(out.address(), ordinal);
      if (code == Hip.NOT_SUPPORTED) {
        HipErrors.forget();
      } else {
        Gpu.check(code, "hipDeviceGetUuid", "ROCM:" + ordinal);
      }
      UUID uuid = code == Hip.SUCCESS ? Identities.uuid(out.asSlice(0, 16).toArray(JAVA_BYTE)) : null;
      Gpu.check(deviceGetPciBusId(out.address(), (int) out.byteSize(), ordinal), "hipDeviceGetPCIBusId", "ROCM:" + ordinal);
      return Identities.onPci(uuid, out.getString(0));
    }
  }

  private static int deviceGetUuid(long uuid, int device) {
    try {
      return (int) DEVICE_GET_UUID.invokeExact(uuid, device);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  private static int deviceGetPciBusId(long text, int size, int device) {
    try {
      return (int) DEVICE_GET_PCI_BUS_ID.invokeExact(text, size, device);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }
}
