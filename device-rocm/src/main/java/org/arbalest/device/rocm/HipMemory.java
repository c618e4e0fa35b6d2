// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;

/** HIP's functions for memory and copies; see {@link Hip}. */
final class HipMemory {
  static final int POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3;
  static final int POOL_RELEASE_THRESHOLD = 4;
  static final int HOST_MALLOC_PORTABLE = 1;

  /** Without it, {@code PORTABLE} alone gives memory that the CPU may see the GPU's writes to late. */
  static final int HOST_MALLOC_COHERENT = 0x40000000;

  /** What {@link #kindOf} answers. */
  static final int PAGEABLE = 0;

  static final int PINNED = 1;
  static final int ON_DEVICE = 2;

  private static final MethodHandle MEM_GET_INFO = Hip.function("hipMemGetInfo", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MALLOC = Hip.function("hipMalloc", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FREE = Hip.function("hipFree", JAVA_LONG);
  private static final MethodHandle HOST_MALLOC = Hip.function("hipHostMalloc", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle HOST_FREE = Hip.function("hipHostFree", JAVA_LONG);
  private static final MethodHandle MEM_POOL_CREATE = Hip.optional("hipMemPoolCreate", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_POOL_DESTROY = Hip.optional("hipMemPoolDestroy", JAVA_LONG);
  private static final MethodHandle MEM_POOL_SET_ATTRIBUTE = Hip.optional("hipMemPoolSetAttribute", JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MEM_POOL_SET_ACCESS = Hip.optional("hipMemPoolSetAccess", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_POOL_TRIM_TO = Hip.optional("hipMemPoolTrimTo", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MALLOC_FROM_POOL_ASYNC = Hip.optional("hipMallocFromPoolAsync", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle FREE_ASYNC = Hip.optional("hipFreeAsync", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle DRV_POINTER_GET_ATTRIBUTES = Hip.function("hipDrvPointerGetAttributes", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private HipMemory() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int memGetInfo(long free, long total) {
    try {
      return (int) MEM_GET_INFO.invokeExact(free, total);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int malloc(long address, long bytes) {
    try {
      return (int) MALLOC.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int free(long address) {
    try {
      return (int) FREE.invokeExact(address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int hostMalloc(long address, long bytes, int flags) {
    try {
      return (int) HOST_MALLOC.invokeExact(address, bytes, flags);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int hostFree(long address) {
    try {
      return (int) HOST_FREE.invokeExact(address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int memPoolCreate(long pool, long properties) {
    try {
      return (int) MEM_POOL_CREATE.invokeExact(pool, properties);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int memPoolDestroy(long pool) {
    try {
      return (int) MEM_POOL_DESTROY.invokeExact(pool);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int memPoolSetAttribute(long pool, int attribute, long value) {
    try {
      return (int) MEM_POOL_SET_ATTRIBUTE.invokeExact(pool, attribute, value);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int memPoolSetAccess(long pool, long list, long count) {
    try {
      return (int) MEM_POOL_SET_ACCESS.invokeExact(pool, list, count);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int memPoolTrimTo(long pool, long bytes) {
    try {
      return (int) MEM_POOL_TRIM_TO.invokeExact(pool, bytes);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int mallocFromPoolAsync(long address, long bytes, long pool, long stream) {
    try {
      return (int) MALLOC_FROM_POOL_ASYNC.invokeExact(address, bytes, pool, stream);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int freeAsync(long address, long stream) {
    try {
      return (int) FREE_ASYNC.invokeExact(address, stream);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  static int drvPointerGetAttributes(int count, long attributes, long values, long address) {
    try {
      return (int) DRV_POINTER_GET_ATTRIBUTES.invokeExact(count, attributes, values, address);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  /**
   * What kind of memory an address is in, or the code that HIP failed with, negated.
   *
   * <p>By the one call that knows nothing of pageable memory and still is no error, which others would find by {@code hipGetLastError}. Not by the
   * memory type: its numbers have changed, and older releases look for it behind an address that they do not know.
   */
  static int kindOf(long address) {
    HipThread thread = HipThread.current();
    int code = drvPointerGetAttributes(HipThread.ASKED, thread.attributes, thread.values, address);
    if (code != Hip.SUCCESS) return -code;
    if (thread.ordinal() < 0) return PAGEABLE;
    return thread.hostPointer() != 0 ? PINNED : ON_DEVICE;
  }
}
