// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;

/** Main memory of the application that is pinned in place, for all GPUs. */
final class Registrations {
  private Registrations() {}

  static void pin(Gpu gpu, long address, long bytes) {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enter();
    int code = Hip.HOST_REGISTER.call(address, bytes, HipRegister.PORTABLE | HipRegister.MAPPED);
    int asked = code == Hip.SUCCESS ? Hip.HOST_GET_DEVICE_POINTER.call(scratch.address(), address, 0) : Hip.SUCCESS;
    long there = scratch.get(JAVA_LONG, 0);
    boolean isGood = code == Hip.SUCCESS && asked == Hip.SUCCESS && there == address;
    int undone = code != Hip.SUCCESS || isGood ? Hip.SUCCESS : Hip.HOST_UNREGISTER.call(address);
    gpu.leave(before);
    if (isGood) return;
    DeviceException failure = failure(gpu, code, asked, bytes + " bytes at 0x" + Long.toHexString(address));
    if (undone != Hip.SUCCESS) failure.addSuppressed(gpu.error(Hip.HOST_UNREGISTER, undone, ""));
    throw failure;
  }

  private static DeviceException failure(Gpu gpu, int code, int asked, String what) {
    if (code != Hip.SUCCESS) return gpu.error(Hip.HOST_REGISTER, code, what);
    if (asked != Hip.SUCCESS) return gpu.error(Hip.HOST_GET_DEVICE_POINTER, asked, what);
    return gpu.error(Hip.HOST_REGISTER, Hip.NOT_SUPPORTED, what + ": the GPU has it at another address");
  }

  static void unpin(Gpu gpu, long address) {
    HipCapture.relax();
    int code = Hip.HOST_UNREGISTER.call(address);
    HipCapture.restore();
    if (code != Hip.SUCCESS && code != Hip.DEINITIALIZED) {
      throw gpu.error(Hip.HOST_UNREGISTER, code, "0x" + Long.toHexString(address));
    }
  }
}
