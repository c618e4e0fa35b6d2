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
 * Our streams, events, buffers and columns as JCuda's objects, and back. What is handed to JCuda is borrowed from ours,
 * and can be used while that is open; what is taken from it says who owns it. JCuda is an optional dependency: only
 * this class needs it, and none of this needs its natives.
 *
 * <p>A kernel on our memory is launched in a {@link Cuda#enter} scope, in {@link #cuStream}, and then
 * {@link DeviceStream#keepAlive} holds what it reads and writes.
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

  /** The context that a device works in; see {@link Cuda#context}. */
  public static CUcontext context(Device device) {
    return with(new CUcontext(), Cuda.context(device));
  }

  /** A stream of ours. */
  public static CUstream cuStream(DeviceStream stream) {
    CudaProvider.gpu(stream.device());
    return with(new CUstream(), stream.handle());
  }

  /**
   * A stream of somebody's, which stays theirs, and must live until ours is closed. One without a native pointer is the
   * legacy default stream.
   *
   * @param stream of the device's context
   * @throws DeviceException with {@code EINVAL} if it is of another context
   */
  public static DeviceStream stream(Device device, CUstream stream) {
    Gpu gpu = CudaProvider.gpu(device);
    long handle = (long) NATIVE_POINTER.get(stream);
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = Cu.STREAM_GET_CTX.call(handle, scratch.address());
    gpu.leave();
    gpu.check(code, Cu.STREAM_GET_CTX);
    checkContext(gpu, scratch.get(JAVA_LONG, 0));
    return device.wrapStream(handle);
  }

  private static void checkContext(Gpu gpu, long context) {
    if (context == gpu.context()) return;
    throw new DeviceException(
        Errno.EINVAL,
        "the stream belongs to the context 0x" + Long.toHexString(context) + ", but " + gpu.name + " works in 0x"
            + Long.toHexString(gpu.context())
            + "; make it in Jcuda.context(device)");
  }

  /**
   * An event of ours.
   *
   * @throws IllegalStateException if there was nothing to wait for when it was recorded
   */
  public static CUevent event(SyncEvent event) {
    CudaProvider.gpu(event.device());
    long handle = event.handle();
    if (handle == 0) throw new IllegalStateException("there is nothing to wait for, and so no event");
    return with(new CUevent(), handle);
  }

  /**
   * An event of ours that completes when JCuda's does, as that is recorded now; to be closed by the caller. JCuda's may
   * be recorded again, or destroyed, at once.
   *
   * @param event of any context and any GPU
   */
  public static SyncEvent syncEvent(Device device, CUevent event) {
    Gpu gpu = CudaProvider.gpu(device);
    return device.adoptEvent(Streams.copyOf(gpu, handle(event)));
  }

  /**
   * An event of JCuda's that the caller gives away: it is destroyed when the handle returned, and all that waits for
   * it, is done with it.
   */
  public static SyncEvent adoptEvent(Device device, CUevent event) {
    CudaProvider.gpu(device);
    return device.adoptEvent(handle(event));
  }

  /** A buffer's memory. */
  public static CUdeviceptr pointer(DeviceBuffer buffer) {
    return with(new CUdeviceptr(), buffer.address());
  }

  /**
   * A column's buffers, in the columnar format's order, for kernels: row 0 is element {@link Column#offset} of each.
   * One that is not there is null, as the bitmap of a column without nulls may be. The column's array must be
   * {@linkplain DeviceStream#waitFor waited for} first.
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
   * Memory of JCuda's as a buffer, of which arrays can be made; to be closed by the caller.
   *
   * @param pointer to memory of the device, such as from {@code cuMemAlloc}; its byte offset counts
   * @param size in bytes
   * @param onFree run once when nobody uses the memory any more, on any thread; frees it, if that is wanted, in a
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
