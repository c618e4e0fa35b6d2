// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The driver API's functions for devices, contexts, streams and events, by their names; those for memory are in {@link CuMemory}. Handles and
 * pointers are longs; what is returned is a {@code CUresult}. A function that an older driver lacks returns {@link #NOT_SUPPORTED}.
 *
 * <p>None is called with interpreter shortcuts: the driver may hold a lock that a thread in one of our callbacks waits for.
 */
final class Cu {
  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_CONTEXT = 201;
  static final int INVALID_HANDLE = 400;
  static final int NOT_READY = 600;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;
  static final int NOT_PERMITTED = 800;
  static final int NOT_SUPPORTED = 801;
  static final int CAPTURE_UNSUPPORTED = 900;
  static final int CAPTURE_IMPLICIT = 906;
  static final int CAPTURED_EVENT = 907;

  static final int COMPUTE_CAPABILITY_MAJOR = 75;
  static final int COMPUTE_CAPABILITY_MINOR = 76;
  static final int PAGEABLE_MEMORY_ACCESS = 88;
  static final int CONCURRENT_MANAGED_ACCESS = 89;
  static final int PAGEABLE_BY_HOST_PAGE_TABLES = 100;
  static final int MEMORY_POOLS_SUPPORTED = 115;

  static final int EVENT_BLOCKING_SYNC = 1;
  static final int EVENT_DISABLE_TIMING = 2;
  static final int STREAM_NON_BLOCKING = 1;

  /** {@code CU_STREAM_LEGACY}: the default stream by its name. */
  static final int LEGACY_STREAM = 1;
  static final int PER_THREAD_STREAM = 2;

  private static final MethodHandle INIT = function("cuInit", JAVA_INT);
  private static final MethodHandle DRIVER_GET_VERSION = function("cuDriverGetVersion", JAVA_LONG);
  private static final MethodHandle GET_ERROR_NAME = function("cuGetErrorName", JAVA_INT, JAVA_LONG);
  private static final MethodHandle DEVICE_GET_COUNT = function("cuDeviceGetCount", JAVA_LONG);
  private static final MethodHandle DEVICE_GET = function("cuDeviceGet", JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEVICE_GET_NAME = function("cuDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_TOTAL_MEM = function("cuDeviceTotalMem_v2", JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEVICE_GET_ATTRIBUTE = function("cuDeviceGetAttribute", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_CAN_ACCESS_PEER = function("cuDeviceCanAccessPeer", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle PRIMARY_CTX_RETAIN = function("cuDevicePrimaryCtxRetain", JAVA_LONG, JAVA_INT);
  private static final MethodHandle PRIMARY_CTX_RELEASE = function("cuDevicePrimaryCtxRelease_v2", JAVA_INT);
  private static final MethodHandle CTX_PUSH_CURRENT = function("cuCtxPushCurrent_v2", JAVA_LONG);
  private static final MethodHandle CTX_POP_CURRENT = function("cuCtxPopCurrent_v2", JAVA_LONG);
  private static final MethodHandle CTX_ENABLE_PEER_ACCESS = function("cuCtxEnablePeerAccess", JAVA_LONG, JAVA_INT);
  private static final MethodHandle STREAM_CREATE = function("cuStreamCreate", JAVA_LONG, JAVA_INT);
  private static final MethodHandle STREAM_DESTROY = function("cuStreamDestroy_v2", JAVA_LONG);
  private static final MethodHandle STREAM_QUERY = function("cuStreamQuery", JAVA_LONG);
  private static final MethodHandle STREAM_SYNCHRONIZE = function("cuStreamSynchronize", JAVA_LONG);
  private static final MethodHandle STREAM_GET_CTX = function("cuStreamGetCtx", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle STREAM_WAIT_EVENT = function("cuStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle LAUNCH_HOST_FUNC = function("cuLaunchHostFunc", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_CREATE = function("cuEventCreate", JAVA_LONG, JAVA_INT);
  private static final MethodHandle EVENT_DESTROY = function("cuEventDestroy_v2", JAVA_LONG);
  private static final MethodHandle EVENT_RECORD = function("cuEventRecord", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_QUERY = function("cuEventQuery", JAVA_LONG);
  private static final MethodHandle EVENT_SYNCHRONIZE = function("cuEventSynchronize", JAVA_LONG);

  /** A few words for what is returned through pointers, for each thread. */
  private static final ThreadLocal<MemorySegment> SCRATCH = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private Cu() {}

  static MethodHandle function(String name, MemoryLayout... arguments) {
    return CuLibrary.declare(name, FunctionDescriptor.of(JAVA_INT, arguments), false);
  }

  static MethodHandle optional(String name, MemoryLayout... arguments) {
    return CuLibrary.declare(name, FunctionDescriptor.of(JAVA_INT, arguments), true);
  }

  /** This thread's words; what is in them is good until the next call that uses them. */
  static MemorySegment scratch() {
    return SCRATCH.get();
  }

  static int init(int flags) {
    try {
      return (int) INIT.invokeExact(flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int driverGetVersion(long version) {
    try {
      return (int) DRIVER_GET_VERSION.invokeExact(version);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getErrorName(int code, long name) {
    try {
      return (int) GET_ERROR_NAME.invokeExact(code, name);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceGetCount(long count) {
    try {
      return (int) DEVICE_GET_COUNT.invokeExact(count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceGet(long device, int ordinal) {
    try {
      return (int) DEVICE_GET.invokeExact(device, ordinal);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceGetName(long name, int length, int device) {
    try {
      return (int) DEVICE_GET_NAME.invokeExact(name, length, device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceTotalMem(long bytes, int device) {
    try {
      return (int) DEVICE_TOTAL_MEM.invokeExact(bytes, device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceGetAttribute(long value, int attribute, int device) {
    try {
      return (int) DEVICE_GET_ATTRIBUTE.invokeExact(value, attribute, device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceCanAccessPeer(long can, int device, int peer) {
    try {
      return (int) DEVICE_CAN_ACCESS_PEER.invokeExact(can, device, peer);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int primaryCtxRetain(long context, int device) {
    try {
      return (int) PRIMARY_CTX_RETAIN.invokeExact(context, device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int primaryCtxRelease(int device) {
    try {
      return (int) PRIMARY_CTX_RELEASE.invokeExact(device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int ctxPushCurrent(long context) {
    try {
      return (int) CTX_PUSH_CURRENT.invokeExact(context);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int ctxPopCurrent(long context) {
    try {
      return (int) CTX_POP_CURRENT.invokeExact(context);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int ctxEnablePeerAccess(long peer, int flags) {
    try {
      return (int) CTX_ENABLE_PEER_ACCESS.invokeExact(peer, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamCreate(long stream, int flags) {
    try {
      return (int) STREAM_CREATE.invokeExact(stream, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamDestroy(long stream) {
    try {
      return (int) STREAM_DESTROY.invokeExact(stream);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamQuery(long stream) {
    try {
      return (int) STREAM_QUERY.invokeExact(stream);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamSynchronize(long stream) {
    try {
      return (int) STREAM_SYNCHRONIZE.invokeExact(stream);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamGetCtx(long stream, long context) {
    try {
      return (int) STREAM_GET_CTX.invokeExact(stream, context);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamWaitEvent(long stream, long event, int flags) {
    try {
      return (int) STREAM_WAIT_EVENT.invokeExact(stream, event, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int launchHostFunc(long stream, long function, long userData) {
    try {
      return (int) LAUNCH_HOST_FUNC.invokeExact(stream, function, userData);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventCreate(long event, int flags) {
    try {
      return (int) EVENT_CREATE.invokeExact(event, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventDestroy(long event) {
    try {
      return (int) EVENT_DESTROY.invokeExact(event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventRecord(long event, long stream) {
    try {
      return (int) EVENT_RECORD.invokeExact(event, stream);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventQuery(long event) {
    try {
      return (int) EVENT_QUERY.invokeExact(event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int eventSynchronize(long event) {
    try {
      return (int) EVENT_SYNCHRONIZE.invokeExact(event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** A call by a handle of the right type throws nothing. */
  static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }
}
