// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.UUID;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.spi.Identities;

/** The identity of the GPU with an ordinal, as the driver reports it. The device need not be open. */
final class CuIdentity {
  /**
   * The attribute for the main memory next to a GPU. A driver before 12.2 does not have it; Linux then supplies the
   * value.
   */
  static final int HOST_NUMA_ID = 134;

  private CuIdentity() {}

  /**
   * Returns the identity of a GPU. For a part of a GPU (MIG), the UUID is that of the part, and the place on the bus
   * that of the whole GPU.
   */
  static DeviceIdentity of(int ordinal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment out = arena.allocate(64, 8);
      Gpu.check(Cu.DEVICE_GET.call(out.address(), ordinal), Cu.DEVICE_GET, "CUDA:" + ordinal);
      int device = out.get(JAVA_INT, 0);
      int code = Cu.DEVICE_GET_UUID.call(out.address(), device);
      if (code != Cu.NOT_SUPPORTED) Gpu.check(code, Cu.DEVICE_GET_UUID, "CUDA:" + ordinal);
      UUID uuid = code == Cu.SUCCESS ? Identities.uuid(out.asSlice(0, 16).toArray(JAVA_BYTE)) : null;
      Gpu.check(Cu.DEVICE_GET_PCI_BUS_ID.call(out.address(), (int) out.byteSize(), device), Cu.DEVICE_GET_PCI_BUS_ID,
          "CUDA:" + ordinal);
      DeviceIdentity identity = Identities.onPci(uuid, out.getString(0));
      boolean knowsNode = Cu.DEVICE_GET_ATTRIBUTE.call(out.address(), HOST_NUMA_ID, device) == Cu.SUCCESS;
      return knowsNode ? new DeviceIdentity(uuid, identity.pciBusId(), out.get(JAVA_INT, 0)) : identity;
    }
  }
}
