// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is created, mapped at reserved addresses, and made accessible to this GPU and to each GPU that reaches
 * it.
 *
 * <p>Peer access that is enabled between GPUs does not apply to such memory. Only such memory has fabric handles.
 */
final class Mappings {
  /** The condition for fabric handles in a process. No attribute reports it. */
  static final String CHANNEL =
      "fabric handles need an IMEX channel, a file in /dev/nvidia-caps-imex-channels that both processes may use";

  private static final int PROPERTIES_SIZE = 32;
  static final int ACCESS_SIZE = 12;

  private final Gpu gpu;

  /** The properties of an allocation. They and {@link #unit} are queried once. */
  private @Nullable MemorySegment properties;

  /** All sizes are multiples of this number of bytes. */
  private long unit;

  /** The GPUs with access; queried once. */
  private @Nullable MemorySegment access;

  Mappings(Gpu gpu) {
    this.gpu = gpu;
  }

  /** Returns whether the device has fabric handles. Only their use shows whether the process may use them. */
  boolean hasFabric() {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.DEVICE_GET_ATTRIBUTE.call(scratch.address(), CuMap.HANDLE_TYPE_FABRIC_SUPPORTED, gpu.device());
    return code == Cu.SUCCESS && scratch.get(JAVA_INT, 0) != 0;
  }

  private synchronized MemorySegment properties() {
    MemorySegment known = properties;
    if (known != null) return known;
    MemorySegment asked = Arena.ofAuto().allocate(PROPERTIES_SIZE, 8);
    asked.set(JAVA_INT, 0, 1); // CU_MEM_ALLOCATION_TYPE_PINNED
    asked.set(JAVA_INT, 4, CuMap.HANDLE_TYPE_FABRIC);
    asked.set(JAVA_INT, 8, 1); // CU_MEM_LOCATION_TYPE_DEVICE
    asked.set(JAVA_INT, 12, gpu.device());
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = Cu.MEM_GET_ALLOCATION_GRANULARITY.call(scratch.address(), asked.address(), 0);
    gpu.leave();
    gpu.check(code, Cu.MEM_GET_ALLOCATION_GRANULARITY);
    unit = scratch.get(JAVA_LONG, 0);
    properties = asked;
    return asked;
  }

  /** Returns read and write access for this GPU and for the GPUs that reach its memory. */
  synchronized MemorySegment access() {
    MemorySegment known = access;
    if (known != null) return known;
    MemorySegment scratch = Cu.scratch();
    Gpu.check(Cu.DEVICE_GET_COUNT.call(scratch.address()), Cu.DEVICE_GET_COUNT, gpu.name);
    int devices = scratch.get(JAVA_INT, 0);
    MemorySegment list = Arena.ofAuto().allocate((long) ACCESS_SIZE * devices, 4);
    int let = 0;
    for (int i = 0; i < devices; i++) {
      gpu.check(Cu.DEVICE_GET.call(scratch.address(), i), Cu.DEVICE_GET);
      int device = scratch.get(JAVA_INT, 0);
      if (device != gpu.device()) {
        gpu.check(Cu.DEVICE_CAN_ACCESS_PEER.call(scratch.address(), device, gpu.device()), Cu.DEVICE_CAN_ACCESS_PEER);
        if (scratch.get(JAVA_INT, 0) == 0) continue;
      }
      long at = (long) ACCESS_SIZE * let++;
      list.set(JAVA_INT, at, 1); // CU_MEM_LOCATION_TYPE_DEVICE
      list.set(JAVA_INT, at + 4, device);
      list.set(JAVA_INT, at + 8, 3); // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    }
    access = list.asSlice(0, (long) ACCESS_SIZE * let);
    return access;
  }

  /** Creates and maps memory, writes its address to {@code out}, and returns the driver's code of the creation. */
  int tryCreate(MemorySegment out, long bytes) {
    MemorySegment asked = properties();
    long size = sizeOf(bytes);
    if (size < bytes) return Cu.OUT_OF_MEMORY;
    MemorySegment list = access();
    gpu.enter();
    try {
      int code = Cu.MEM_CREATE.call(out.address(), size, asked.address(), 0);
      if (code == Cu.SUCCESS) out.set(JAVA_LONG, 0, map(out.get(JAVA_LONG, 0), size, list));
      if (code != Cu.NOT_PERMITTED) return code;
      throw new DeviceException(Errno.ENOSYS, Cu.MEM_CREATE.label() + " on " + gpu.name + " failed: "
          + CuErrors.describe(code) + "; " + CHANNEL);
    } finally {
      gpu.leave();
    }
  }

  /** Returns the size of the allocation for a number of bytes. {@link #properties()} must have returned before. */
  private long sizeOf(long bytes) {
    return (bytes + unit - 1) & -unit;
  }

  /** Maps memory that another process created, and returns its address. */
  long open(MemorySegment handle, long bytes) {
    MemorySegment scratch = Cu.scratch();
    MemorySegment list = access();
    gpu.enter();
    try {
      int code = Cu.MEM_IMPORT_FROM_SHAREABLE_HANDLE.call(scratch.address(), handle.address(),
          CuMap.HANDLE_TYPE_FABRIC);
      if (code != Cu.SUCCESS) throw refused(code);
      return map(scratch.get(JAVA_LONG, 0), bytes, list);
    } finally {
      gpu.leave();
    }
  }

  private DeviceException refused(int code) {
    String what = Cu.MEM_IMPORT_FROM_SHAREABLE_HANDLE.label() + " on " + gpu.name + " failed: "
        + CuErrors.describe(code);
    if (code == Cu.NOT_PERMITTED) return new DeviceException(Errno.ENOSYS, what + "; " + CHANNEL);
    if (code == Cu.INVALID_VALUE)
      return DeviceException.invalid(what + "; the shared memory was freed, or the process that shared it has ended");
    return gpu.error(Cu.MEM_IMPORT_FROM_SHAREABLE_HANDLE, code, "");
  }

  /**
   * Maps memory, and returns its address. The handle is released in all cases: the memory stays as long as it is
   * mapped. The context must be current.
   */
  private long map(long handle, long size, MemorySegment list) {
    try {
      MemorySegment scratch = Cu.scratch();
      gpu.check(Cu.MEM_ADDRESS_RESERVE.call(scratch.address(), size, 0, 0, 0), Cu.MEM_ADDRESS_RESERVE);
      long address = scratch.get(JAVA_LONG, 0);
      int mapped = Cu.MEM_MAP.call(address, size, 0, handle, 0);
      int let = mapped == Cu.SUCCESS
          ? Cu.MEM_SET_ACCESS.call(address, size, list.address(), list.byteSize() / ACCESS_SIZE)
          : Cu.SUCCESS;
      if (mapped == Cu.SUCCESS && let == Cu.SUCCESS) return address;
      if (mapped != Cu.SUCCESS) giveAddresses(address, size);
      if (let != Cu.SUCCESS)
        Frees.CALLS.goOn(unmap(address, size), () -> inContext(() -> unmap(address, size)),
            failed -> gpu.error(Cu.MEM_UNMAP, failed, at(address)));
      throw mapped != Cu.SUCCESS
          ? gpu.error(Cu.MEM_MAP, mapped, size + " bytes")
          : gpu.error(Cu.MEM_SET_ACCESS, let, size + " bytes");
    } finally {
      release(handle);
    }
  }

  /** Releases a handle, but does not unmap its memory. The context must be current. */
  void release(long handle) {
    Frees.CALLS.goOn(Cu.MEM_RELEASE.call(handle), () -> inContext(() -> Cu.MEM_RELEASE.call(handle)),
        failed -> gpu.error(Cu.MEM_RELEASE, failed, at(handle)));
  }

  /**
   * Unmaps memory from {@link #tryCreate}, and returns the driver's code. Waits for the GPU. The context must be
   * current.
   */
  int free(long address, long bytes) {
    return unmap(address, sizeOf(bytes));
  }

  /**
   * Unmaps memory from {@link #open}, and returns the driver's code. Waits for the GPU. The context must be current.
   */
  int unmap(long address, long size) {
    int code = Cu.MEM_UNMAP.call(address, size);
    if (code == Cu.SUCCESS) giveAddresses(address, size);
    return code;
  }

  private void giveAddresses(long address, long size) {
    Frees.CALLS.goOn(Cu.MEM_ADDRESS_FREE.call(address, size), () -> inContext(() -> Cu.MEM_ADDRESS_FREE.call(address,
        size)),
        failed -> gpu.error(Cu.MEM_ADDRESS_FREE, failed, at(address)));
  }

  private int inContext(IntSupplier call) {
    int code = gpu.push();
    if (code != Cu.SUCCESS) return code;
    code = call.getAsInt();
    gpu.leave();
    return code;
  }

  private static String at(long address) {
    return "0x" + Long.toHexString(address);
  }
}
