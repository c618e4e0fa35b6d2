// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * The rejection of addresses and events from outside that are recognizably wrong (DEV-27).
 *
 * <p>HIP knows addresses; an address passes if HIP cannot classify it. HIP treats an event as a pointer, and follows
 * it. The check for events therefore does not call HIP: it rejects only values that cannot be pointers.
 */
final class HipAddress {
  /** The size of the first page, in bytes. Nothing is ever mapped there. */
  private static final long FIRST_PAGE = 4096;

  /** Whether GPUs read any memory. The attribute for this has a different number in each major release. */
  private static final boolean READS_PAGEABLE = "1".equals(System.getenv("HSA_XNACK"));

  private HipAddress() {}

  /** Rejects an address that is not in a GPU's memory of the given kind. Allowed while a graph is captured. */
  static void check(Gpu gpu, DeviceType type, long address) {
    int kind = HipMemory.kindOf(address);
    if (kind < 0) HipErrors.forget();
    String place = elsewhere(gpu, type, kind, HipThread.current().ordinal());
    if (place == null) return;
    throw new DeviceException(Errno.EINVAL, "0x" + Long.toHexString(address) + " is " + place
        + ", but the array is declared on " + type + ":" + gpu.ordinal);
  }

  /** Returns the kind of memory at an address that is not in the GPU's own memory, or is unknown; otherwise null. */
  static @Nullable String outside(Gpu gpu, long address) {
    int kind = HipMemory.kindOf(address);
    if (kind < 0) HipErrors.forget();
    if (kind < 0 || kind == HipMemory.PAGEABLE) return "unknown to HIP";
    if (kind == HipMemory.PINNED) return "pinned or managed memory";
    int ordinal = HipThread.current().ordinal();
    return ordinal == gpu.ordinal ? null : "memory of ROCM:" + ordinal;
  }

  private static @Nullable String elsewhere(Gpu gpu, DeviceType type, int kind, int ordinal) {
    boolean isHost = type.equals(DeviceType.ROCM_HOST);
    if (kind == HipMemory.PAGEABLE) return isHost || READS_PAGEABLE ? null : "pageable main memory";
    if (kind != HipMemory.ON_DEVICE) return null;
    return !isHost && ordinal == gpu.ordinal ? null : "memory of ROCM:" + ordinal;
  }

  /** Returns whether a handle cannot be a pointer. */
  static boolean isImpossible(long handle) {
    return handle >= 0 && handle < FIRST_PAGE;
  }

  static void checkEvent(Gpu gpu, long event) {
    if (event != 0 && isImpossible(event)) {
      throw new DeviceException(Errno.EINVAL,
          "its sync_event points to 0x" + Long.toHexString(event) + ", which is not an event of " + gpu.name);
    }
  }
}
