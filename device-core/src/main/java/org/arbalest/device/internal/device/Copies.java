// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/** Copies of raw memory between any two devices. Each copy is complete when the call returns. */
final class Copies {
  private Copies() {}

  /**
   * Copies a whole buffer to the start of another buffer. The copy goes through main memory if no driver reaches both.
   */
  static void copy(DeviceBuffer from, DeviceBuffer to) {
    if (from.size() == 0) return;
    Device worker = worker(from, to);
    if (worker != null) {
      copy(worker, from, to);
      return;
    }
    try (DeviceBuffer staging = CpuDevice.get().allocate(from.size())) {
      copy(from.device(), from, staging);
      copy(to.device(), staging, to);
    }
  }

  private static void copy(Device worker, DeviceBuffer from, DeviceBuffer to) {
    if (from.isCpuAccessible() && to.isCpuAccessible()) {
      NativeHeap.copy(from.address(), to.address(), from.size());
      return;
    }
    DeviceStream stream = worker.defaultStream();
    stream.copy(from, to);
    stream.synchronize();
  }

  /** Returns the device whose stream can copy between two buffers, or null if neither device can. */
  private static @Nullable Device worker(DeviceBuffer from, DeviceBuffer to) {
    Device source = from.device();
    Device target = to.device();
    if (from.isCpuAccessible() || target.equals(source) || DeviceImpl.unwrap(target).reaches(source)) return target;
    return to.isCpuAccessible() || DeviceImpl.unwrap(source).reaches(target) ? source : null;
  }
}
