// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.SharedHandle;

/**
 * The sharing of memory of pools that have fabric handles: the library's own pool, or another library's. A handle has
 * 64 bytes for the pool and 64 for the allocation, behind a byte with its form.
 *
 * <p>The importing process opens the pool for each allocation, and destroys it at once: the driver keeps a pool until
 * its last allocation is freed.
 */
final class PoolSharing {
  static final int FORM = 3;

  private static final int HANDLES = 2 * SharedHandle.BYTES;

  private final Gpu gpu;
  private final Mappings mappings;

  PoolSharing(Gpu gpu, Mappings mappings) {
    this.gpu = gpu;
    this.mappings = mappings;
  }

  /** Returns whether another process sent a handle of this form. */
  static boolean isOfPool(byte[] handle) {
    return handle.length == 1 + HANDLES && handle[0] == FORM;
  }

  /** Returns the pool of an address if it has fabric handles; otherwise 0. The context must be current. */
  static long poolOf(MemorySegment scratch, long address) {
    scratch.set(JAVA_LONG, 0, 0);
    int types = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), CuMap.ALLOWED_HANDLE_TYPES, address);
    if (types != Cu.SUCCESS || (scratch.get(JAVA_LONG, 0) & CuMap.HANDLE_TYPE_FABRIC) == 0) return 0;
    scratch.set(JAVA_LONG, 0, 0);
    int asked = Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), CuMap.POOL_HANDLE, address);
    return asked == Cu.SUCCESS ? scratch.get(JAVA_LONG, 0) : 0;
  }

  /**
   * Returns the handle of an allocation of a pool.
   *
   * @param base the start of the allocation
   */
  byte[] export(long pool, long base) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handles = arena.allocate(HANDLES, 8);
      gpu.enter();
      int pooled =
          Cu.MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE.call(handles.address(), pool, CuMap.HANDLE_TYPE_FABRIC, 0);
      int pointed = pooled == Cu.SUCCESS
          ? Cu.MEM_POOL_EXPORT_POINTER.call(handles.address() + SharedHandle.BYTES, base)
          : Cu.SUCCESS;
      gpu.leave();
      check(pooled, Cu.MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE);
      gpu.check(pointed, Cu.MEM_POOL_EXPORT_POINTER);
      byte[] bytes = new byte[1 + HANDLES];
      bytes[0] = FORM;
      MemorySegment.copy(handles, JAVA_BYTE, 0, bytes, 1, HANDLES);
      return bytes;
    }
  }

  /** Opens an allocation of another process, and returns its address. */
  long open(byte[] handle, long bytes) {
    MemorySegment access = mappings.access();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment handles = arena.allocate(HANDLES, 8);
      MemorySegment.copy(handle, 1, handles, JAVA_BYTE, 0, HANDLES);
      MemorySegment out = arena.allocate(2 * Long.BYTES, 8);
      gpu.enter();
      int imported = Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE.call(out.address(), handles.address(),
          CuMap.HANDLE_TYPE_FABRIC, 0);
      long pool = out.get(JAVA_LONG, 0);
      int let = imported == Cu.SUCCESS
          ? Cu.MEM_POOL_SET_ACCESS.call(pool, access.address(), access.byteSize() / Mappings.ACCESS_SIZE)
          : Cu.SUCCESS;
      boolean isReady = imported == Cu.SUCCESS && let == Cu.SUCCESS;
      int opened = isReady
          ? Cu.MEM_POOL_IMPORT_POINTER.call(out.address(), pool, handles.address() + SharedHandle.BYTES)
          : Cu.SUCCESS;
      long base = isReady && opened == Cu.SUCCESS ? out.get(JAVA_LONG, 0) : 0;
      int destroyed = imported == Cu.SUCCESS ? Cu.MEM_POOL_DESTROY.call(pool) : Cu.SUCCESS;
      boolean isKnown = base != 0
          && Cu.MEM_GET_ADDRESS_RANGE.call(0, out.address() + Long.BYTES, base) == Cu.SUCCESS;
      boolean isShort = isKnown && out.get(JAVA_LONG, Long.BYTES) < bytes;
      int freed = isShort ? Cu.MEM_FREE.call(base) : Cu.SUCCESS;
      gpu.leave();
      check(imported, Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE);
      gpu.check(let, Cu.MEM_POOL_SET_ACCESS);
      check(opened, Cu.MEM_POOL_IMPORT_POINTER);
      if (destroyed != Cu.SUCCESS) CuErrors.report("closing a pool of another process",
          gpu.error(Cu.MEM_POOL_DESTROY, destroyed, ""));
      if (!isShort) return base;
      var failure = DeviceException
          .invalid("an allocation is declared with " + bytes + " bytes, but has " + out.get(JAVA_LONG, Long.BYTES));
      if (freed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.MEM_FREE, freed, ""));
      throw failure;
    }
  }

  private void check(int code, CuFunction function) {
    if (code == Cu.SUCCESS) return;
    String what = function.label() + " on " + gpu.name + " failed: " + CuErrors.describe(code);
    if (code == Cu.NOT_PERMITTED) throw new DeviceException(Errno.ENOSYS, what + "; " + Mappings.CHANNEL);
    if (code == Cu.INVALID_VALUE)
      throw DeviceException.invalid(what + "; the shared memory was freed, or the process that shared it has ended");
    throw gpu.error(function, code, "");
  }
}
