// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * The rejection of addresses and events from outside that are recognizably wrong (DEV-27).
 *
 * <p>The driver knows addresses; an address passes if the driver cannot classify it. The driver treats an event as a
 * pointer, and follows it. The check for events therefore does not call the driver: it rejects only values that cannot
 * be pointers.
 */
final class CuAddress {
  private static final int IS_MANAGED = 8;
  private static final int DEVICE_ORDINAL = 9;
  private static final int PAGEABLE_MEMORY_ACCESS = 88;

  /** The size of the first page, in bytes. Nothing is ever mapped there. */
  private static final long FIRST_PAGE = 4096;

  private CuAddress() {}

  /** Rejects an address that is not in a GPU's memory of the given kind. Allowed while a graph is captured. */
  static void check(Gpu gpu, DeviceType type, long address) {
    Place found = Place.of(gpu, address);
    String place = elsewhere(gpu, type, found.kind, found.ordinal, found.isManaged);
    if (place == null) return;
    throw new DeviceException(Errno.EINVAL, "0x" + Long.toHexString(address) + " is " + place
        + ", but the array is declared on " + type + ":" + gpu.ordinal);
  }

  /** Returns the kind of memory at an address that is not in the GPU's own memory, or is unknown; otherwise null. */
  static @Nullable String outside(Gpu gpu, long address) {
    Place found = Place.of(gpu, address);
    if (found.kind == CuMemory.PAGEABLE) return "pageable main memory";
    if (found.kind == CuMemory.PINNED) return "pinned main memory";
    if (found.kind != CuMemory.ON_DEVICE || found.ordinal < 0) return "unknown to the driver";
    if (found.isManaged) return "managed memory";
    return found.ordinal == gpu.ordinal ? null : "memory of CUDA:" + found.ordinal;
  }

  /** The kind of memory at an address, by the driver. Memory that is not on a device has the GPU's ordinal. */
  private record Place(int kind, int ordinal, boolean isManaged) {
    static Place of(Gpu gpu, long address) {
      gpu.enterOrdered();
      int kind = CuMemory.kindOf(address);
      int ordinal = kind == CuMemory.ON_DEVICE ? attribute(DEVICE_ORDINAL, address) : gpu.ordinal;
      boolean isManaged = kind == CuMemory.ON_DEVICE && attribute(IS_MANAGED, address) != 0; // or unknown
      gpu.leave();
      return new Place(kind, ordinal, isManaged);
    }
  }

  private static @Nullable String elsewhere(Gpu gpu, DeviceType type, int kind, int ordinal, boolean isManaged) {
    boolean isHost = type.equals(DeviceType.CUDA_HOST);
    if (kind == CuMemory.PAGEABLE) {
      // the CPU can read the memory, or the GPU reads any memory, as on GH200
      boolean may = isHost || Gpu.attribute(gpu.ordinal, PAGEABLE_MEMORY_ACCESS) != 0;
      return may ? null : "pageable main memory";
    }
    if (kind != CuMemory.ON_DEVICE || isManaged || ordinal < 0) return null;
    return type.equals(DeviceType.CUDA) && ordinal == gpu.ordinal ? null : "memory of CUDA:" + ordinal;
  }

  /** Returns an attribute that is an int; −1 if the query fails. The context must be current. */
  private static int attribute(int attribute, long address) {
    MemorySegment scratch = Cu.scratch();
    scratch.set(JAVA_INT, 0, 0); // some attributes are one byte
    return Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), attribute, address) == Cu.SUCCESS
        ? scratch.get(JAVA_INT, 0)
        : -1;
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
