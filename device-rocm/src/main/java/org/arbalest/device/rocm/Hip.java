// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * HIP's functions for devices, streams and events, by their names; those for memory are in {@link HipMemory}. Handles and pointers are longs; what
 * is returned is a {@code hipError_t}. A function that an older release lacks returns {@link #NOT_SUPPORTED}. Only those are here that take no
 * struct whose layout has changed, and no number that a later release counts otherwise.
 *
 * <p>None is called with interpreter shortcuts: HIP may hold a lock that a thread in one of our callbacks waits for.
 */
final class Hip {
  static final int SUCCESS = 0;
  static final int INVALID_VALUE = 1;
  static final int OUT_OF_MEMORY = 2;
  static final int DEINITIALIZED = 4;
  static final int NO_DEVICE = 100;
  static final int INVALID_DEVICE = 101;
  static final int INVALID_CONTEXT = 201;
  static final int INVALID_HANDLE = 400;
  static final int NOT_READY = 600;
  static final int PEER_ACCESS_ALREADY_ENABLED = 704;
  static final int NOT_SUPPORTED = 801;
  static final int CAPTURE_UNSUPPORTED = 900;
  static final int CAPTURE_IMPLICIT = 906;
  static final int CAPTURED_EVENT = 907;

  static final int EVENT_BLOCKING_SYNC = 1;
  static final int EVENT_DISABLE_TIMING = 2;
  static final int STREAM_NON_BLOCKING = 1;

  private static final MethodHandle RUNTIME_GET_VERSION = function("hipRuntimeGetVersion", JAVA_LONG);
  private static final MethodHandle GET_LAST_ERROR = function("hipGetLastError");
  private static final MethodHandle GET_DEVICE_COUNT = function("hipGetDeviceCount", JAVA_LONG);
  private static final MethodHandle GET_DEVICE = function("hipGetDevice", JAVA_LONG);
  private static final MethodHandle SET_DEVICE = function("hipSetDevice", JAVA_INT);
  private static final MethodHandle DEVICE_GET_NAME = function("hipDeviceGetName", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_TOTAL_MEM = function("hipDeviceTotalMem", JAVA_LONG, JAVA_INT);
  private static final MethodHandle DEVICE_CAN_ACCESS_PEER = function("hipDeviceCanAccessPeer", JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle DEVICE_ENABLE_PEER_ACCESS = function("hipDeviceEnablePeerAccess", JAVA_INT, JAVA_INT);
  private static final MethodHandle STREAM_CREATE = function("hipStreamCreateWithFlags", JAVA_LONG, JAVA_INT);
  private static final MethodHandle STREAM_DESTROY = function("hipStreamDestroy", JAVA_LONG);
  private static final MethodHandle STREAM_QUERY = function("hipStreamQuery", JAVA_LONG);
  private static final MethodHandle STREAM_SYNCHRONIZE = function("hipStreamSynchronize", JAVA_LONG);
  private static final MethodHandle STREAM_WAIT_EVENT = function("hipStreamWaitEvent", JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle STREAM_ADD_CALLBACK = function("hipStreamAddCallback", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle LAUNCH_HOST_FUNC = optional("hipLaunchHostFunc", JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_CREATE = function("hipEventCreateWithFlags", JAVA_LONG, JAVA_INT);
  private static final MethodHandle EVENT_DESTROY = function("hipEventDestroy", JAVA_LONG);
  private static final MethodHandle EVENT_RECORD = function("hipEventRecord", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle EVENT_QUERY = function("hipEventQuery", JAVA_LONG);

  private static final MethodHandle GET_ERROR_NAME = HipLibrary.declare("hipGetErrorName", FunctionDescriptor.of(ADDRESS, JAVA_INT), false);

  /** A few words for what is returned through pointers, for each thread. */
  private static final ThreadLocal<MemorySegment> SCRATCH = ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private Hip() {}

  static MethodHandle function(String name, MemoryLayout... arguments) {
    return HipLibrary.declare(name, FunctionDescriptor.of(JAVA_INT, arguments), false);
  }

  static MethodHandle optional(String name, MemoryLayout... arguments) {
    return HipLibrary.declare(name, FunctionDescriptor.of(JAVA_INT, arguments), true);
  }

  /** This thread's words; what is in them is good until the next call that uses them. */
  static MemorySegment scratch() {
    return SCRATCH.get();
  }

  static int runtimeGetVersion(long version) {
    try {
      return (int) RUNTIME_GET_VERSION.invokeExact(version);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getLastError() {
    try {
      return (int) GET_LAST_ERROR.invokeExact();
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getDeviceCount(long count) {
    try {
      return (int) GET_DEVICE_COUNT.invokeExact(count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getDevice(long device) {
    try {
      return (int) GET_DEVICE.invokeExact(device);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int setDevice(int device) {
    try {
      return (int) SET_DEVICE.invokeExact(device);
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

  static int deviceCanAccessPeer(long can, int device, int peer) {
    try {
      return (int) DEVICE_CAN_ACCESS_PEER.invokeExact(can, device, peer);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int deviceEnablePeerAccess(int peer, int flags) {
    try {
      return (int) DEVICE_ENABLE_PEER_ACCESS.invokeExact(peer, flags);
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

  static int streamWaitEvent(long stream, long event, int flags) {
    try {
      return (int) STREAM_WAIT_EVENT.invokeExact(stream, event, flags);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int streamAddCallback(long stream, long callback, long userData, int flags) {
    try {
      return (int) STREAM_ADD_CALLBACK.invokeExact(stream, callback, userData, flags);
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

  /** The name of a code; {@code hipErrorUnknown} if there is none. */
  static String getErrorName(int code) {
    try {
      return ((MemorySegment) GET_ERROR_NAME.invokeExact(code)).reinterpret(256).getString(0);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** A call by a handle of the right type throws nothing. */
  static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }
}
