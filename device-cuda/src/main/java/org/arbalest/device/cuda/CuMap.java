// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;

/** The driver API's functions for memory that is created, and mapped where addresses were reserved; from CUDA 10.2, fabric handles from 12.3. See {@link Cu}. */
final class CuMap {
  static final int HANDLE_TYPE_FABRIC = 8;
  static final int HANDLE_TYPE_FABRIC_SUPPORTED = 128;

  /** Of a pointer. */
  static final int ALLOWED_HANDLE_TYPES = 14;

  private static final MethodHandle MEM_GET_ALLOCATION_GRANULARITY = Cu.optional("cuMemGetAllocationGranularity", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle MEM_CREATE = Cu.optional("cuMemCreate", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_RELEASE = Cu.optional("cuMemRelease", JAVA_LONG);
  private static final MethodHandle MEM_RETAIN_ALLOCATION_HANDLE = Cu.optional("cuMemRetainAllocationHandle", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_ADDRESS_RESERVE = Cu.optional("cuMemAddressReserve", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_ADDRESS_FREE = Cu.optional("cuMemAddressFree", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_MAP = Cu.optional("cuMemMap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_UNMAP = Cu.optional("cuMemUnmap", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_SET_ACCESS = Cu.optional("cuMemSetAccess", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MEM_EXPORT_TO_SHAREABLE_HANDLE = Cu.optional("cuMemExportToShareableHandle", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG);
  private static final MethodHandle MEM_IMPORT_FROM_SHAREABLE_HANDLE = Cu.optional("cuMemImportFromShareableHandle", JAVA_LONG, JAVA_LONG, JAVA_INT);

  private CuMap() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int getAllocationGranularity(long bytes, long properties, int option) {
    try {
      return (int) MEM_GET_ALLOCATION_GRANULARITY.invokeExact(bytes, properties, option);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int create(long handle, long bytes, long properties, long flags) {
    try {
      return (int) MEM_CREATE.invokeExact(handle, bytes, properties, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int release(long handle) {
    try {
      return (int) MEM_RELEASE.invokeExact(handle);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int retain(long handle, long address) {
    try {
      return (int) MEM_RETAIN_ALLOCATION_HANDLE.invokeExact(handle, address);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int addressReserve(long out, long bytes, long alignment, long hint, long flags) {
    try {
      return (int) MEM_ADDRESS_RESERVE.invokeExact(out, bytes, alignment, hint, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int addressFree(long address, long bytes) {
    try {
      return (int) MEM_ADDRESS_FREE.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int map(long address, long bytes, long offset, long handle, long flags) {
    try {
      return (int) MEM_MAP.invokeExact(address, bytes, offset, handle, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int unmap(long address, long bytes) {
    try {
      return (int) MEM_UNMAP.invokeExact(address, bytes);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int setAccess(long address, long bytes, long list, long count) {
    try {
      return (int) MEM_SET_ACCESS.invokeExact(address, bytes, list, count);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int exportTo(long out, long handle, int type, long flags) {
    try {
      return (int) MEM_EXPORT_TO_SHAREABLE_HANDLE.invokeExact(out, handle, type, flags);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  static int importFrom(long handle, long from, int type) {
    try {
      return (int) MEM_IMPORT_FROM_SHAREABLE_HANDLE.invokeExact(handle, from, type);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }
}
