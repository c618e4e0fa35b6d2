// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUstream;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.columns.Column;
import org.jspecify.annotations.Nullable;

/**
 * Conversions between this library's streams, events, buffers and columns and JCuda's objects.
 *
 * <p>An object that this class returns to JCuda is borrowed: it is valid while the library's object is open. A method
 * that takes an object from JCuda documents the owner. JCuda is an optional dependency: only this class needs it, and
 * no method here needs JCuda's native libraries.
 *
 * <p>To run a kernel on the library's memory, launch it in a {@link Cuda#enter} scope, on {@link #cuStream}. Then pass
 * the memory that the kernel reads and writes to {@link DeviceStream#keepAlive}.
 */
public final class Jcuda {
  private static final VarHandle NATIVE_POINTER = field(NativePointerObject.class, "nativePointer");
  private static final VarHandle BYTE_OFFSET = field(Pointer.class, "byteOffset");

  private Jcuda() {}

  private static VarHandle field(Class<?> type, String name) {
    try {
      return MethodHandles.privateLookupIn(type, MethodHandles.lookup()).findVarHandle(type, name, long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Returns the context that a device works in; see {@link Cuda#context}. */
  public static CUcontext context(Device device) {
    return with(new CUcontext(), Cuda.context(device));
  }

  /** Returns a stream as a JCuda object. */
  public static CUstream cuStream(DeviceStream stream) {
    CudaProvider.gpu(stream.device());
    return with(new CUstream(), stream.handle());
  }

  /**
   * Wraps a JCuda stream. The application still owns the JCuda stream, which must live until the returned stream is
   * closed. A JCuda stream without a native pointer is the legacy default stream of the current context, and of the
   * device's context if no context of the device is current.
   *
   * @param stream a stream of the device's context, or one created in a green context of the device, which shares that
   *     context's memory and events. A driver before CUDA 12.5 does not say so, and such a stream is rejected
   * @throws DeviceException with {@code EINVAL} if the stream belongs to another context
   */
  public static DeviceStream stream(Device device, CUstream stream) {
    Gpu gpu = CudaProvider.gpu(device);
    long handle = (long) NATIVE_POINTER.get(stream);
    boolean isDefault = Long.compareUnsigned(handle, Cu.PER_THREAD_STREAM) <= 0;
    if (!isDefault) checkContext(gpu, contextOf(gpu, handle)); // wrapStream checks a default stream
    return device.wrapStream(handle);
  }

  /** Returns a stream's context: for a green context's stream, the primary context, if the driver can name it. */
  private static long contextOf(Gpu gpu, long stream) {
    MemorySegment scratch = Cu.scratch();
    CuFunction function = Cu.STREAM_GET_CTX_V2;
    gpu.enter();
    int code = Cu.STREAM_GET_CTX_V2.call(stream, scratch.address(), scratch.address() + Long.BYTES);
    if (code == Cu.NOT_SUPPORTED) {
      function = Cu.STREAM_GET_CTX;
      code = Cu.STREAM_GET_CTX.call(stream, scratch.address());
    }
    gpu.leave();
    gpu.check(code, function);
    return scratch.get(JAVA_LONG, 0);
  }

  private static void checkContext(Gpu gpu, long context) {
    if (context == gpu.context()) return;
    throw new DeviceException(
        Errno.EINVAL,
        "the stream belongs to the context 0x" + Long.toHexString(context) + ", but " + gpu.name + " works in 0x"
            + Long.toHexString(gpu.context())
            + "; create it in Jcuda.context(device)");
  }

  /**
   * Returns an event as a JCuda object.
   *
   * @throws IllegalStateException if nothing had to be waited for when the event was recorded
   */
  public static CUevent event(SyncEvent event) {
    CudaProvider.gpu(event.device());
    long handle = event.handle();
    if (handle == 0) throw new IllegalStateException("the event has no handle: there was nothing to wait for");
    return with(new CUevent(), handle);
  }

  /**
   * Creates an event that completes with the current recording of a JCuda event. The caller closes it. The JCuda event
   * may be recorded again, or destroyed, at once.
   *
   * @param event an event of any context and any GPU
   */
  public static SyncEvent syncEvent(Device device, CUevent event) {
    Gpu gpu = CudaProvider.gpu(device);
    return device.adoptEvent(Streams.copyOf(gpu, handle(event)));
  }

  /**
   * Takes over a JCuda event, and returns a handle to it. The library destroys the event after the handle is closed and
   * all waits for the event have ended.
   */
  public static SyncEvent adoptEvent(Device device, CUevent event) {
    CudaProvider.gpu(device);
    return device.adoptEvent(handle(event));
  }

  /** Returns the address of a buffer's memory. */
  public static CUdeviceptr pointer(DeviceBuffer buffer) {
    return with(new CUdeviceptr(), buffer.address());
  }

  /**
   * Returns the addresses of a column's buffers, in the columnar format's order, for kernels. Row 0 is element
   * {@link Column#offset} of each buffer. A missing buffer is null, for example the bitmap of a column without nulls.
   *
   * <p>A kernel's stream must first {@linkplain DeviceStream#waitFor wait for} the column's array.
   */
  public static List<@Nullable CUdeviceptr> pointers(Column column) {
    List<@Nullable CUdeviceptr> pointers = new ArrayList<>();
    for (int i = 0; i < column.bufferCount(); i++) {
      long address = column.bufferAddress(i);
      pointers.add(address == 0 ? null : with(new CUdeviceptr(), address));
    }
    return pointers;
  }

  /**
   * Wraps JCuda's memory as a buffer, from which arrays can be created. The caller closes the buffer.
   *
   * @param pointer a pointer to memory of the device, for example from {@code cuMemAlloc}; its byte offset is added
   * @param size the size in bytes
   * @param onFree run once, on any thread, after the last use of the memory. If wanted, it frees the memory, in a
   *     {@link Cuda#enter} scope
   */
  public static DeviceBuffer buffer(Device device, CUdeviceptr pointer, long size, Runnable onFree) {
    CudaProvider.gpu(device);
    return DeviceBuffer.wrap(device, handle(pointer) + (long) BYTE_OFFSET.get(pointer), size, onFree);
  }

  private static long handle(NativePointerObject object) {
    long handle = (long) NATIVE_POINTER.get(object);
    if (handle == 0) throw new IllegalArgumentException(object.getClass().getSimpleName() + " has no native pointer");
    return handle;
  }

  private static <T extends NativePointerObject> T with(T object, long handle) {
    NATIVE_POINTER.set(object, handle);
    return object;
  }
}
