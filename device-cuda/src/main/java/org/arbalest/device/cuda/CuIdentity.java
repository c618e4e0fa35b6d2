// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.UUID;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.spi.Identities;

/** Which GPU an ordinal is, as the driver says it, for devices that need not be open. */
final class CuIdentity {
  /** Where the driver has no such attribute (before 12.2), Linux knows it. */
  static final int HOST_NUMA_ID = 134;

  private static final MethodHandle DEVICE_GET_UUID = Cu.optional("cuDeviceGetUuid_v2", JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEVICE_GET_PCI_BUS_ID = Cu.function("cuDeviceGetPCIBusId", JAVA_LONG, JAVA_INT, JAVA_INT);

  private CuIdentity() {}

  /** Of a part of a GPU (MIG) the UUID is the part's, and the place on the bus the whole one's. */
  static DeviceIdentity of(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(64, 8);
      Gpu.check(Cu.deviceGet(out.address(), ordinal), "cuDeviceGet", "CUDA:" + ordinal);
      int device = out.get(JAVA_INT, 0);
      int code = deviceGetUuid(out.address(), device);
      if (code != Cu.NOT_SUPPORTED) Gpu.check(code, "cuDeviceGetUuid", "CUDA:" + ordinal);
      UUID uuid = code == Cu.SUCCESS ? Identities.uuid(out.asSlice(0, 16).toArray(JAVA_BYTE)) : null;
      Gpu.check(deviceGetPciBusId(out.address(), (int) out.byteSize(), device), "cuDeviceGetPCIBusId", "CUDA:" + ordinal);
      DeviceIdentity identity = Identities.onPci(uuid, out.getString(0));
      boolean knowsNode = Cu.deviceGetAttribute(out.address(), HOST_NUMA_ID, device) == Cu.SUCCESS;
      return knowsNode ? new DeviceIdentity(uuid, identity.pciBusId(), out.get(JAVA_INT, 0)) : identity;
    }
  }

  private static int deviceGetUuid(long uuid, int device) {
    try {
      return (int) DEVICE_GET_UUID.invokeExact(uuid, device);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  private static int deviceGetPciBusId(long text, int size, int device) {
    try {
      return (int) DEVICE_GET_PCI_BUS_ID.invokeExact(text, size, device);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }
}
