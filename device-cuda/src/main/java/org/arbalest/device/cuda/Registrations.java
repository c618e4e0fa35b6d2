// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/** Main memory of the application that is pinned in place, for all GPUs. */
final class Registrations {
  private Registrations() {}

  static void pin(Gpu gpu, long address, long bytes) {
    if (Gpu.attribute(gpu.ordinal, CuRegister.CAN_USE_HOST_POINTER) == 0) {
      throw gpu.error(Cu.MEM_HOST_REGISTER, Cu.NOT_SUPPORTED,
          what(address, bytes) + ": the GPU has it at another address (canUseHostPointerForRegisteredMem is 0)");
    }
    gpu.enter();
    int code = Cu.MEM_HOST_REGISTER.call(address, bytes, CuRegister.PORTABLE | CuRegister.DEVICE_MAP);
    gpu.leave();
    if (code != Cu.SUCCESS) throw gpu.error(Cu.MEM_HOST_REGISTER, code, what(address, bytes));
  }

  static void unpin(Gpu gpu, long address) {
    gpu.enter();
    int code = Cu.MEM_HOST_UNREGISTER.call(address);
    gpu.leave();
    if (code != Cu.SUCCESS && code != Cu.DEINITIALIZED) {
      throw gpu.error(Cu.MEM_HOST_UNREGISTER, code, "0x" + Long.toHexString(address));
    }
  }

  private static String what(long address, long bytes) {
    return bytes + " bytes at 0x" + Long.toHexString(address);
  }
}
