// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * OpenCL's functions, by their names. Handles and pointers are longs. An int result is OpenCL's code, 0 for success.
 *
 * <p>No function is linked as a {@linkplain java.lang.foreign.Linker.Option#critical critical} one: a runtime may hold
 * a lock that a thread in one of the library's callbacks waits for.
 */
final class Cl {
  static final int COMPLETE = 0;
  static final int DEVICE_NOT_FOUND = -1;
  static final int INVALID_HOST_PTR = -37;
  static final int INVALID_BUFFER_SIZE = -61;

  static final int PLATFORM_VERSION = 0x0901;
  static final int PLATFORM_NAME = 0x0902;
  static final int DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010;
  static final int DEVICE_GLOBAL_MEM_SIZE = 0x101F;
  static final int DEVICE_MEM_BASE_ADDR_ALIGN = 0x1019;
  static final int DEVICE_NAME = 0x102B;
  static final int DEVICE_EXTENSIONS = 0x1030;
  static final int DEVICE_SVM_CAPABILITIES = 0x1053;
  static final int QUEUE_CONTEXT = 0x1090;
  static final int QUEUE_PROPERTIES = 0x1093;
  static final int MEM_OBJECT_BUFFER = 0x10F0;
  static final int MEM_TYPE = 0x1100;
  static final int MEM_SIZE = 0x1102;
  static final int MEM_HOST_PTR = 0x1103;
  static final int MEM_CONTEXT = 0x1106;
  static final int MEM_ASSOCIATED_MEMOBJECT = 0x1107;
  static final int MEM_OFFSET = 0x1108;
  static final int MEM_USES_SVM_POINTER = 0x1109;
  static final int EVENT_COMMAND_QUEUE = 0x11D0;
  static final int EVENT_COMMAND_EXECUTION_STATUS = 0x11D3;
  static final int EVENT_CONTEXT = 0x11D4;

  static final long DEVICE_TYPE_ALL = 0xFFFFFFFFL;
  static final long SVM_COARSE_GRAIN_BUFFER = 1;
  static final long SVM_FINE_GRAIN_BUFFER = 1 << 1;
  static final long MEM_READ_WRITE = 1;
  static final long MEM_USE_HOST_PTR = 1 << 3;
  static final long MEM_COPY_HOST_PTR = 1 << 5;
  static final long MEM_SVM_FINE_GRAIN_BUFFER = 1 << 10;
  static final long MAP_READ = 1;
  static final long MAP_WRITE = 1 << 1;
  static final long MAP_WRITE_INVALIDATE_REGION = 1 << 2;
  static final long OUT_OF_ORDER = 1;
  static final int BUFFER_CREATE_TYPE_REGION = 0x1220;

  private static final MethodHandle GET_PLATFORM_IDS = function("clGetPlatformIDs", JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle GET_DEVICE_IDS =
      function("clGetDeviceIDs", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle GET_PLATFORM_INFO = info("clGetPlatformInfo");
  private static final MethodHandle GET_EXTENSION_FUNCTION =
      handle("clGetExtensionFunctionAddressForPlatform", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle GET_DEVICE_INFO = info("clGetDeviceInfo");
  private static final MethodHandle GET_QUEUE_INFO = info("clGetCommandQueueInfo");
  private static final MethodHandle GET_MEM_OBJECT_INFO = info("clGetMemObjectInfo");
  private static final MethodHandle GET_EVENT_INFO = info("clGetEventInfo");
  private static final MethodHandle CREATE_CONTEXT =
      handle("clCreateContext", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle CREATE_QUEUE =
      handle("clCreateCommandQueueWithProperties", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle RELEASE_QUEUE = function("clReleaseCommandQueue", JAVA_LONG);
  private static final MethodHandle FLUSH = function("clFlush", JAVA_LONG);
  private static final MethodHandle FINISH = function("clFinish", JAVA_LONG);
  private static final MethodHandle SVM_ALLOC = handle("clSVMAlloc", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT);
  private static final MethodHandle SVM_FREE = procedure("clSVMFree", JAVA_LONG, JAVA_LONG);
  private static final MethodHandle SVM_MEMCPY =
      function("clEnqueueSVMMemcpy", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
          JAVA_LONG);
  private static final MethodHandle SVM_MAP =
      function("clEnqueueSVMMap", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle SVM_UNMAP =
      function("clEnqueueSVMUnmap", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MARKER =
      function("clEnqueueMarkerWithWaitList", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle BARRIER =
      function("clEnqueueBarrierWithWaitList", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle WAIT_FOR_EVENTS = function("clWaitForEvents", JAVA_INT, JAVA_LONG);
  private static final MethodHandle SET_EVENT_CALLBACK =
      function("clSetEventCallback", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle RETAIN_EVENT = function("clRetainEvent", JAVA_LONG);
  private static final MethodHandle RELEASE_EVENT = function("clReleaseEvent", JAVA_LONG);
  private static final MethodHandle CREATE_BUFFER =
      handle("clCreateBuffer", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle CREATE_SUB_BUFFER =
      handle("clCreateSubBuffer", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle RELEASE_MEM_OBJECT = function("clReleaseMemObject", JAVA_LONG);
  private static final MethodHandle COPY_BUFFER =
      function("clEnqueueCopyBuffer", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT,
          JAVA_LONG, JAVA_LONG);
  private static final MethodHandle MAP_BUFFER =
      handle("clEnqueueMapBuffer", JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG,
          JAVA_LONG, JAVA_LONG);
  private static final MethodHandle UNMAP_MEM_OBJECT =
      function("clEnqueueUnmapMemObject", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);

  /** A few words of memory for each thread, for results that are returned through pointers. */
  private static final ThreadLocal<MemorySegment> SCRATCH =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(64, 8));

  private Cl() {}

  private static MethodHandle function(String name, MemoryLayout... arguments) {
    return downcall(name, FunctionDescriptor.of(JAVA_INT, arguments));
  }

  /** Links a function that returns a handle or a pointer. */
  private static MethodHandle handle(String name, MemoryLayout... arguments) {
    return downcall(name, FunctionDescriptor.of(JAVA_LONG, arguments));
  }

  private static MethodHandle procedure(String name, MemoryLayout... arguments) {
    return downcall(name, FunctionDescriptor.ofVoid(arguments));
  }

  private static MethodHandle info(String name) {
    return function(name, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  }

  private static MethodHandle downcall(String name, FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(ClLibrary.lookup().findOrThrow(name), type);
  }

  /** Returns this thread's words. Their content is valid until the next call. */
  static MemorySegment scratch() {
    return SCRATCH.get();
  }

  static int getPlatformIds(int entries, long platforms, long count) {
    try {
      return (int) GET_PLATFORM_IDS.invokeExact(entries, platforms, count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getDeviceIds(long platform, long type, int entries, long devices, long count) {
    try {
      return (int) GET_DEVICE_IDS.invokeExact(platform, type, entries, devices, count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getPlatformInfo(long platform, int what, long size, long value, long sizeReturned) {
    try {
      return (int) GET_PLATFORM_INFO.invokeExact(platform, what, size, value, sizeReturned);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getDeviceInfo(long device, int what, long size, long value, long sizeReturned) {
    try {
      return (int) GET_DEVICE_INFO.invokeExact(device, what, size, value, sizeReturned);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getQueueInfo(long queue, int what, long size, long value) {
    try {
      return (int) GET_QUEUE_INFO.invokeExact(queue, what, size, value, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getMemObjectInfo(long memory, int what, long size, long value) {
    try {
      return (int) GET_MEM_OBJECT_INFO.invokeExact(memory, what, size, value, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int getEventInfo(long event, int what, long size, long value) {
    try {
      return (int) GET_EVENT_INFO.invokeExact(event, what, size, value, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long createContext(int devices, long list, long error) {
    try {
      return (long) CREATE_CONTEXT.invokeExact(0L, devices, list, 0L, 0L, error);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long createQueue(long context, long device, long error) {
    try {
      return (long) CREATE_QUEUE.invokeExact(context, device, 0L, error);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int releaseQueue(long queue) {
    try {
      return (int) RELEASE_QUEUE.invokeExact(queue);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int flush(long queue) {
    try {
      return (int) FLUSH.invokeExact(queue);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int finish(long queue) {
    try {
      return (int) FINISH.invokeExact(queue);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long svmAlloc(long context, long flags, long size, int alignment) {
    try {
      return (long) SVM_ALLOC.invokeExact(context, flags, size, alignment);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static void svmFree(long context, long address) {
    try {
      SVM_FREE.invokeExact(context, address);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueSvmMemcpy(long queue, long to, long from, long size, long event) {
    try {
      return (int) SVM_MEMCPY.invokeExact(queue, 0, to, from, size, 0, 0L, event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueSvmMap(long queue, boolean blocking, long flags, long address, long size) {
    try {
      return (int) SVM_MAP.invokeExact(queue, blocking ? 1 : 0, flags, address, size, 0, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueSvmUnmap(long queue, long address) {
    try {
      return (int) SVM_UNMAP.invokeExact(queue, address, 0, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueMarker(long queue, long event) {
    try {
      return (int) MARKER.invokeExact(queue, 0, 0L, event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueBarrier(long queue, int count, long waitList, long event) {
    try {
      return (int) BARRIER.invokeExact(queue, count, waitList, event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int waitForEvents(int count, long list) {
    try {
      return (int) WAIT_FOR_EVENTS.invokeExact(count, list);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int setEventCallback(long event, int status, long function, long userData) {
    try {
      return (int) SET_EVENT_CALLBACK.invokeExact(event, status, function, userData);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int retainEvent(long event) {
    try {
      return (int) RETAIN_EVENT.invokeExact(event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int releaseEvent(long event) {
    try {
      return (int) RELEASE_EVENT.invokeExact(event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Returns the address of a function of an extension, or 0. */
  static long getExtensionFunction(long platform, long name) {
    try {
      return (long) GET_EXTENSION_FUNCTION.invokeExact(platform, name);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long createBuffer(long context, long flags, long size, long hostPointer, long error) {
    try {
      return (long) CREATE_BUFFER.invokeExact(context, flags, size, hostPointer, error);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long createSubBuffer(long memory, long flags, long region, long error) {
    try {
      return (long) CREATE_SUB_BUFFER.invokeExact(memory, flags, BUFFER_CREATE_TYPE_REGION, region, error);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int releaseMemObject(long memory) {
    try {
      return (int) RELEASE_MEM_OBJECT.invokeExact(memory);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueCopyBuffer(long queue, long from, long to, long fromOffset, long toOffset, long size, long event) {
    try {
      return (int) COPY_BUFFER.invokeExact(queue, from, to, fromOffset, toOffset, size, 0, 0L, event);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static long enqueueMapBuffer(long queue, boolean blocking, long memory, long flags, long offset, long size,
      long error) {
    try {
      return (long) MAP_BUFFER.invokeExact(queue, memory, blocking ? 1 : 0, flags, offset, size, 0, 0L, 0L, error);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static int enqueueUnmapMemObject(long queue, long memory, long mapped) {
    try {
      return (int) UNMAP_MEM_OBJECT.invokeExact(queue, memory, mapped, 0, 0L, 0L);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** Wraps an impossible exception: a call by a handle of the right type throws nothing. */
  static AssertionError unexpected(Throwable t) {
    return new AssertionError(t);
  }
}
