// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.SharedHandle;
import org.jspecify.annotations.Nullable;

/**
 * The sharing of memory that another library took from a pool with fabric handles. A handle has 64 bytes for the pool
 * and 64 for the allocation, behind a byte with its form.
 *
 * <p>The driver unmaps an allocation with the first free, however often it was imported. Therefore this process imports
 * each allocation once, and counts the users. This is also right for a driver that counts the imports. The tables are
 * common to all GPUs, and the driver, not a message, says which GPU has the memory, and how much.
 *
 * <p>One lock guards the tables and these calls of the driver: a driver ended a process when one thread destroyed a
 * pool while another thread exported one (NVIDIA/cuda-python issue 2784).
 */
final class PoolSharing {
  /** The first byte of a handle. */
  static final int FORM = 3;

  private static final int HALF = SharedHandle.BYTES;
  private static final int LENGTH = 1 + 2 * HALF;

  /** CUDA 13.0. Its driver ended the process in imports of more than 4 GiB (PozzettiAndrea/comfy-env, pool-ipc). */
  private static final int CRASHING = 13000;

  private static final int RANGE_START = 11;
  private static final int RANGE_SIZE = 12;

  private static final ReentrantLock LOCK = new ReentrantLock();

  /** The imported allocations: a list whose changes allocate nothing, and so cannot fail. */
  private static @Nullable Imported memories;

  /** The imported pools, likewise. */
  private static @Nullable ImportedPool pools;

  /** The last handle of each pool that this process has exported. */
  private static final Map<Long, byte[]> EXPORTED = new HashMap<>();

  private final Gpu gpu;
  private final Mappings mappings;

  /** The access of the GPUs that reach this one's memory; queried once. */
  private @Nullable Access access;

  PoolSharing(Gpu gpu, Mappings mappings) {
    this.gpu = gpu;
    this.mappings = mappings;
  }

  /** Lists of other GPUs for {@code cuMemPoolSetAccess}: one that permits access, and one that takes it back. */
  private record Access(MemorySegment given, MemorySegment taken) {
    static int set(ImportedPool pool, MemorySegment list) {
      long count = list.byteSize() / Mappings.ACCESS_SIZE;
      return count == 0 ? Cu.SUCCESS : Cu.MEM_POOL_SET_ACCESS.call(pool.pool, list.address(), count);
    }
  }

  /** A pool of another process that is imported while memory of it is. */
  private static final class ImportedPool {
    final Gpu gpu;

    /** A handle of memory in the pool. */
    final byte[] handle;

    final Access access;
    long pool;
    int memories;
    @Nullable ImportedPool next;

    ImportedPool(Gpu gpu, byte[] handle, Access access) {
      this.gpu = gpu;
      this.handle = handle;
      this.access = access;
    }
  }

  /** An imported allocation. The driver's answers are complete if {@link #bytes} is not negative. */
  private static final class Imported {
    final byte[] handle;
    final ImportedPool pool;
    long base;
    long bytes = -1;
    int ordinal = -1;
    int users;
    @Nullable Imported next;

    Imported(byte[] handle, ImportedPool pool) {
      this.handle = handle;
      this.pool = pool;
    }
  }

  /** Returns whether another process sent a handle of this form. */
  static boolean isOfPool(byte[] handle) {
    return handle.length == LENGTH && handle[0] == FORM;
  }

  /** Returns the reason why memory of a pool with fabric handles cannot be shared; null if it can. */
  static @Nullable String refusal(long address) {
    if (mayCrash())
      return "is in a pool, and the driver for CUDA 13.0 may end a process that opens a pool's memory";
    LOCK.lock();
    try {
      for (Imported memory = memories; memory != null; memory = memory.next) {
        if (address >= memory.base && address - memory.base < memory.bytes)
          return "is in a pool of another process, which alone can share it";
      }
      return null;
    } finally {
      LOCK.unlock();
    }
  }

  private static boolean mayCrash() {
    MemorySegment scratch = Cu.scratch();
    return Cu.DRIVER_GET_VERSION.call(scratch.address()) == Cu.SUCCESS && scratch.get(JAVA_INT, 0) == CRASHING;
  }

  /** Returns the size of the allocation that begins at an address; negative if it begins elsewhere, or is unknown. */
  static long sizeOf(MemorySegment scratch, long base) {
    if (Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), RANGE_START, base) != Cu.SUCCESS) return -1;
    if (scratch.get(JAVA_LONG, 0) != base) return -1;
    if (Cu.POINTER_GET_ATTRIBUTE.call(scratch.address(), RANGE_SIZE, base) != Cu.SUCCESS) return -1;
    return scratch.get(JAVA_LONG, 0);
  }

  /**
   * Returns the handle of an allocation.
   *
   * @param base the start of the allocation
   */
  byte[] export(long pool, long base) {
    byte[] handle = new byte[LENGTH];
    handle[0] = FORM;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment halves = arena.allocate(2L * HALF, 8);
      int pooled;
      int pointed;
      LOCK.lock();
      try {
        gpu.enter();
        pooled = Cu.MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE.call(halves.address(), pool, CuMap.HANDLE_TYPE_FABRIC, 0);
        pointed = pooled == Cu.SUCCESS ? Cu.MEM_POOL_EXPORT_POINTER.call(halves.address() + HALF, base) : pooled;
        gpu.leave();
        MemorySegment.copy(halves, JAVA_BYTE, 0, handle, 1, 2 * HALF);
        if (pointed == Cu.SUCCESS) EXPORTED.put(pool, handle);
      } finally {
        LOCK.unlock();
      }
      if (pooled != Cu.SUCCESS) throw notExported(Cu.MEM_POOL_EXPORT_TO_SHAREABLE_HANDLE, pooled);
      if (pointed != Cu.SUCCESS) throw notExported(Cu.MEM_POOL_EXPORT_POINTER, pointed);
      return handle;
    }
  }

  private DeviceException notExported(CuFunction function, int code) {
    if (code != Cu.NOT_PERMITTED && code != Cu.NOT_SUPPORTED) return gpu.error(function, code, "");
    return DeviceException.invalid(function.label() + " on " + gpu.name + " failed: " + CuErrors.describe(code) + "; "
        + Mappings.CHANNEL);
  }

  /** Opens an allocation of another process, and returns its address. */
  long open(byte[] handle, long bytes) {
    for (int from = 1; from < LENGTH; from += HALF) {
      if (isZero(handle, from))
        throw DeviceException.invalid("the bytes " + from + " to " + (from + HALF - 1)
            + " of an allocation's handle are all zero");
    }
    if (mayCrash()) throw new DeviceException(Errno.ENOSYS, gpu.name + " cannot open memory of a pool of another "
        + "process: the driver for CUDA 13.0 may end the process there; share memory of shareableMemory(), or use "
        + "another driver");
    Access others = access();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment halves = arena.allocate(2L * HALF, 8);
      MemorySegment.copy(handle, 1, halves, JAVA_BYTE, 0, 2 * HALF);
      MemorySegment out = arena.allocate(JAVA_LONG);
      ImportedPool newPool = new ImportedPool(gpu, handle, others);
      LOCK.lock();
      try {
        for (byte[] own : EXPORTED.values()) {
          if (isSamePool(own, handle)) throw DeviceException.invalid("the message names a pool of this process");
        }
        Imported memory = find(handle);
        if (memory == null) memory = importNow(handle, newPool, halves, out);
        try {
          check(memory, bytes);
          memory.users++;
          return memory.base;
        } finally {
          if (memory.users == 0) freeUnused(memory);
        }
      } finally {
        LOCK.unlock();
      }
    }
  }

  private static boolean isZero(byte[] handle, int from) {
    for (int i = from; i < from + HALF; i++) {
      if (handle[i] != 0) return false;
    }
    return true;
  }

  private void check(Imported memory, long bytes) {
    if (memory.bytes < 0 || memory.ordinal < 0)
      throw gpu.error(Cu.POINTER_GET_ATTRIBUTE, Cu.INVALID_VALUE, "the place of a pool's memory");
    if (memory.ordinal != gpu.ordinal)
      throw DeviceException.invalid("an allocation is declared on " + gpu.name + ", but is on CUDA:" + memory.ordinal);
    if (memory.bytes < bytes)
      throw DeviceException
          .invalid("an allocation is declared with " + bytes + " bytes, but has " + memory.bytes);
  }

  /**
   * Imports an allocation, and its pool unless it is imported. Adds both to the tables; the allocation has no users
   * yet. If this throws, nothing was imported.
   *
   * <p>A known address means that the allocation is imported, and was exported with another handle. The driver does not
   * count this import. With a driver that does, the allocation stays imported until the process ends.
   */
  private Imported importNow(byte[] handle, ImportedPool newPool, MemorySegment halves, MemorySegment out) {
    ImportedPool known = findPool(handle);
    ImportedPool pool = known == null ? newPool : known;
    Imported memory = new Imported(handle, pool);
    int pooled = Cu.SUCCESS;
    int let = Cu.SUCCESS;
    int opened = Cu.SUCCESS;
    Imported same = null;
    gpu.enter();
    try {
      if (known == null) {
        pooled = Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE.call(out.address(), halves.address(),
            CuMap.HANDLE_TYPE_FABRIC, 0);
        if (pooled == Cu.SUCCESS) {
          pool.pool = out.get(JAVA_LONG, 0);
          pool.next = pools;
          pools = pool;
          let = Access.set(pool, pool.access.given);
        }
      }
      if (pooled == Cu.SUCCESS && let == Cu.SUCCESS) {
        opened = Cu.MEM_POOL_IMPORT_POINTER.call(out.address(), pool.pool, halves.address() + HALF);
        if (opened == Cu.SUCCESS) {
          memory.base = out.get(JAVA_LONG, 0);
          same = at(memory.base);
          if (same == null) {
            link(memory);
            pool.memories++;
            memory.bytes = sizeOf(out, memory.base);
            int placed =
                Cu.POINTER_GET_ATTRIBUTE.call(out.address(), CuMemory.POINTER_DEVICE_ORDINAL, memory.base);
            if (placed == Cu.SUCCESS) memory.ordinal = out.get(JAVA_INT, 0);
          }
        }
      }
    } finally {
      gpu.leave();
      if (pool.memories == 0 && pool.pool != 0) destroy(pool);
    }
    check(pooled, Cu.MEM_POOL_IMPORT_FROM_SHAREABLE_HANDLE);
    gpu.check(let, Cu.MEM_POOL_SET_ACCESS);
    check(opened, Cu.MEM_POOL_IMPORT_POINTER);
    return same == null ? memory : same;
  }

  private void check(int code, CuFunction function) {
    if (code == Cu.SUCCESS) return;
    String what = function.label() + " on " + gpu.name + " failed: " + CuErrors.describe(code);
    if (code == Cu.NOT_PERMITTED) throw new DeviceException(Errno.ENOSYS, what + "; " + Mappings.CHANNEL);
    if (code == Cu.INVALID_VALUE)
      throw DeviceException.invalid(what + "; the shared memory was freed, or the process that shared it has ended");
    throw gpu.error(function, code, "");
  }

  /** Removes a user of an allocation, and frees the allocation after the last one. */
  void close(long base) {
    int code;
    LOCK.lock();
    try {
      Imported memory = at(base);
      if (memory == null || memory.users == 0) return;
      if (memory.users > 1) {
        memory.users--;
        return;
      }
      code = free(memory);
      if (code == Cu.SUCCESS) memory.users = 0;
    } finally {
      LOCK.unlock();
    }
    gpu.check(code, Cu.MEM_FREE);
  }

  /** Frees an allocation that was imported, but cannot be used. If that fails, the next user finds it imported. */
  private static void freeUnused(Imported memory) {
    int code = free(memory);
    if (code == Cu.SUCCESS) return;
    Frees.CALLS.goOn(code, () -> {
      LOCK.lock();
      try {
        return memory.users > 0 || at(memory.base) != memory ? Cu.SUCCESS : free(memory);
      } finally {
        LOCK.unlock();
      }
    }, failed -> memory.pool.gpu.error(Cu.MEM_FREE, failed, "memory of another process's pool"));
  }

  /**
   * Frees an allocation, and destroys its pool after the last one. Returns the driver's code: if it is not
   * {@link Cu#SUCCESS}, the allocation is still imported. Nothing throws after the free. The driver does not wait for
   * the GPU, which may not use the memory any more.
   */
  private static int free(Imported memory) {
    ImportedPool pool = memory.pool;
    boolean isFreed = false;
    unlink(memory); // first, so that no user finds an address that is not mapped
    try {
      int code = pool.gpu.push();
      if (code == Cu.SUCCESS) {
        code = Cu.MEM_FREE.call(memory.base);
        isFreed = code == Cu.SUCCESS || code == Cu.DEINITIALIZED;
        leave(pool.gpu);
      } else {
        isFreed = code == Cu.DEINITIALIZED;
      }
      return isFreed ? Cu.SUCCESS : code;
    } finally {
      if (!isFreed) {
        link(memory);
      } else if (--pool.memories == 0) {
        destroy(pool);
      }
    }
  }

  /** Leaves the context after a call that is not undone. A failure, such as too little memory, is only logged. */
  private static void leave(Gpu gpu) {
    try {
      gpu.leave();
    } catch (Throwable t) {
      CuErrors.report("restoring the thread's context", t);
    }
  }

  /** Removes a pool from the table, and destroys it. A failure is only logged. */
  private static void destroy(ImportedPool pool) {
    unlink(pool);
    try {
      Frees.CALLS.goOn(destroyNow(pool), () -> {
        LOCK.lock();
        try {
          return destroyNow(pool);
        } finally {
          LOCK.unlock();
        }
      }, failed -> pool.gpu.error(Cu.MEM_POOL_DESTROY, failed, "a pool of another process"));
    } catch (Throwable t) {
      CuErrors.report("destroying a pool of another process", t);
    }
  }

  /**
   * Destroys a pool, and returns the driver's code. The next pool may get the same handle, with the access that this
   * one has (NVIDIA/cuda-python, bug 5698116). Therefore the access of other GPUs is taken back before. This can fail:
   * a message may have named another GPU than the pool's.
   */
  private static int destroyNow(ImportedPool pool) {
    int code = pool.gpu.push();
    if (code != Cu.SUCCESS) return code;
    Access.set(pool, pool.access.taken);
    code = Cu.MEM_POOL_DESTROY.call(pool.pool);
    leave(pool.gpu);
    return code;
  }

  /** Returns the access of the GPUs that reach this one's memory, except this one, which has it. */
  private synchronized Access access() {
    Access known = access;
    if (known != null) return known;
    MemorySegment all = mappings.access();
    MemorySegment given = Arena.ofAuto().allocate(all.byteSize(), 4);
    long size = 0;
    for (long at = 0; at < all.byteSize(); at += Mappings.ACCESS_SIZE) {
      if (all.get(JAVA_INT, at + 4) == gpu.device()) continue;
      MemorySegment.copy(all, at, given, size, Mappings.ACCESS_SIZE);
      size += Mappings.ACCESS_SIZE;
    }
    MemorySegment taken = Arena.ofAuto().allocate(all.byteSize(), 4).copyFrom(given);
    for (long at = 0; at < size; at += Mappings.ACCESS_SIZE) taken.set(JAVA_INT, at + 8, 0); // PROT_NONE
    known = new Access(given.asSlice(0, size), taken.asSlice(0, size));
    access = known;
    return known;
  }

  private static @Nullable Imported find(byte[] handle) {
    Imported memory = memories;
    while (memory != null && !Arrays.equals(memory.handle, handle)) memory = memory.next;
    return memory;
  }

  private static @Nullable Imported at(long base) {
    Imported memory = memories;
    while (memory != null && memory.base != base) memory = memory.next;
    return memory;
  }

  private static void link(Imported memory) {
    memory.next = memories;
    memories = memory;
  }

  private static void unlink(Imported memory) {
    if (memories == memory) {
      memories = memory.next;
      return;
    }
    for (Imported before = memories; before != null; before = before.next) {
      if (before.next != memory) continue;
      before.next = memory.next;
      return;
    }
  }

  private static @Nullable ImportedPool findPool(byte[] handle) {
    ImportedPool pool = pools;
    while (pool != null && !isSamePool(pool.handle, handle)) pool = pool.next;
    return pool;
  }

  private static boolean isSamePool(byte[] handle, byte[] other) {
    return Arrays.equals(handle, 1, 1 + HALF, other, 1, 1 + HALF);
  }

  private static void unlink(ImportedPool pool) {
    if (pools == pool) {
      pools = pool.next;
      return;
    }
    for (ImportedPool before = pools; before != null; before = before.next) {
      if (before.next != pool) continue;
      before.next = pool.next;
      return;
    }
  }
}
