// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The driver API's functions for memory and copies; see {@link Cu}. */
final class CuMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_ALLOC_PORTABLE = 1;
  static final int ATTACH_GLOBAL = 1;
  static final int POINTER_MEMORY_TYPE = 2;

  static final int POINTER_DEVICE_ORDINAL = 9;

  /** What {@link #kindOf} answers. */
  static final int PAGEABLE = 0;

  /** As {@code CU_MEMORYTYPE_HOST}; what a GPU has is more. */
  static final int PINNED = 1;

  static final int ON_DEVICE = 2;

  private static final MethodHandle MEM_GET_INFO = Cu.function("cuMemGetInfo_v2", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_ALLOC = Cu.function("cuMemAlloc_v2", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_FREE = Cu.function("cuMemFree_v2", JAVA_LONG);
  private static final MethodHandle MEM_HOST_ALLOC = Cu.function("cuMemHostAlloc", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle MEM_FREE_HOST = Cu.function("cuMemFreeHost", JAVA_LONG);
  private static final MethodHandle MEM_ALLOC_MANAGED = Cu.function("cuMemAllocManaged", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle MEM_POOL_CREATE = Cu.optional("cuMemPoolCreate", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_POOL_DESTROY = Cu.optional("cuMemPoolDestroy", JAVA_LONG);
  private static final MethodHandle MEM_POOL_SET_ATTRIBUTE = Cu.optional("cuMemPoolSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MEM_POOL_SET_ACCESS = Cu.optional("cuMemPoolSetAccess", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_POOL_TRIM_TO = Cu.optional("cuMemPoolTrimTo", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_ALLOC_FROM_POOL_ASYNC = Cu.optional("cuMemAllocFromPoolAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_FREE_ASYNC = Cu.optional("cuMemFreeAsync", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle POINTER_GET_ATTRIBUTE = Cu.function("cuPointerGetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG);

  private CuMemory() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int memGetInfo(long free, long total) {
    try {
      return (int) MEM_GET_INFO.invokeExact(free, total);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memAlloc(long address, long bytes) {
    try {
      return (int) MEM_ALLOC.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memFree(long address) {
    try {
      return (int) MEM_FREE.invokeExact(address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memHostAlloc(long address, long bytes, int flags) {
    try {
      return (int) MEM_HOST_ALLOC.invokeExact(address, bytes, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memFreeHost(long address) {
    try {
      return (int) MEM_FREE_HOST.invokeExact(address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memAllocManaged(long address, long bytes, int flags) {
    try {
      return (int) MEM_ALLOC_MANAGED.invokeExact(address, bytes, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memPoolCreate(long pool, long properties) {
    try {
      return (int) MEM_POOL_CREATE.invokeExact(pool, properties);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memPoolDestroy(long pool) {
    try {
      return (int) MEM_POOL_DESTROY.invokeExact(pool);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memPoolSetAttribute(long pool, int attribute, long value) {
    try {
      return (int) MEM_POOL_SET_ATTRIBUTE.invokeExact(pool, attribute, value);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memPoolSetAccess(long pool, long list, long count) {
    try {
      return (int) MEM_POOL_SET_ACCESS.invokeExact(pool, list, count);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memPoolTrimTo(long pool, long bytes) {
    try {
      return (int) MEM_POOL_TRIM_TO.invokeExact(pool, bytes);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memAllocFromPoolAsync(long address, long bytes, long pool, long stream) {
    try {
      return (int) MEM_ALLOC_FROM_POOL_ASYNC.invokeExact(address, bytes, pool, stream);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int memFreeAsync(long address, long stream) {
    try {
      return (int) MEM_FREE_ASYNC.invokeExact(address, stream);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int pointerGetAttribute(long value, int attribute, long address) {
    try {
      return (int) POINTER_GET_ATTRIBUTE.invokeExact(value, attribute, address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  /** What kind of memory an address is in, or the code that the driver failed with, negated. What it does not know is pageable. In the context. */
  static int kindOf(long address) {
    MemorySegment scratch = Cu.scratch();
    int code = pointerGetAttribute(scratch.address(), POINTER_MEMORY_TYPE, address);
    if (code == Cu.INVALID_VALUE) return PAGEABLE;
    return code == Cu.SUCCESS ? Math.min(scratch.get(JAVA_INT, 0), ON_DEVICE) : -code;
  }
}
