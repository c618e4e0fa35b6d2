// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.columns.Column;
import org.jocl.NativePointerObject;
import org.jocl.Pointer;
import org.jocl.cl_command_queue;
import org.jocl.cl_context;
import org.jocl.cl_device_id;
import org.jocl.cl_event;
import org.jspecify.annotations.Nullable;

/**
 * Our streams, events, buffers and columns as JOCL's objects, and back. What is handed to JOCL is borrowed from ours,
 * and can be used while that is open; what is taken from it says who owns it. JOCL is an optional dependency: only this
 * class needs it.
 *
 * <p>A kernel on our memory gets its arguments by {@code CL.clSetKernelArgSVMPointer}, is queued in
 * {@link #commandQueue}, and then {@link DeviceStream#keepAlive} holds what it reads and writes.
 */
public final class Jocl {
  private static final VarHandle NATIVE_POINTER;

  static {
    try {
      var lookup = MethodHandles.privateLookupIn(NativePointerObject.class, MethodHandles.lookup());
      NATIVE_POINTER = lookup.findVarHandle(NativePointerObject.class, "nativePointer", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Jocl() {}

  /** The context that a device works in; see {@link OpenCl#context}. */
  public static cl_context context(Device device) {
    return with(new cl_context(), OpenCl.context(device));
  }

  /** The device; see {@link OpenCl#deviceId}. */
  public static cl_device_id deviceId(Device device) {
    return with(new cl_device_id(), OpenCl.deviceId(device));
  }

  /** A stream's queue. */
  public static cl_command_queue commandQueue(DeviceStream stream) {
    OpenClProvider.driver(stream.device());
    return with(new cl_command_queue(), stream.handle());
  }

  /**
   * A stream of somebody's queue, which stays theirs, and must live until the stream is closed.
   *
   * @param queue an in-order queue of the device's context
   * @throws DeviceException with {@code EINVAL} if it is of another context, or works out of order
   */
  public static DeviceStream stream(Device device, cl_command_queue queue) {
    OpenClDriver driver = OpenClProvider.driver(device);
    long handle = handle(queue);
    long context = info(driver, handle, Cl.QUEUE_CONTEXT);
    if (context != driver.context()) {
      throw new DeviceException(
          Errno.EINVAL,
          "the queue belongs to the context " + OpenClDriver.hex(context) + ", but " + device + " works in "
              + OpenClDriver.hex(driver.context()) + "; make it in Jocl.context(device)");
    }
    if ((info(driver, handle, Cl.QUEUE_PROPERTIES) & Cl.OUT_OF_ORDER) != 0) {
      throw new DeviceException(Errno.EINVAL, "the queue works out of order, and a stream does not");
    }
    return device.wrapStream(handle);
  }

  private static long info(OpenClDriver driver, long queue, int what) {
    MemorySegment scratch = Cl.scratch();
    driver.check(Cl.getQueueInfo(queue, what, Long.BYTES, scratch.address()), "clGetCommandQueueInfo");
    return scratch.get(JAVA_LONG, 0);
  }

  /**
   * An event of ours, for JOCL's wait lists.
   *
   * @throws IllegalStateException if there was nothing to wait for when it was recorded
   */
  public static cl_event event(SyncEvent event) {
    OpenClProvider.driver(event.device());
    long handle = event.handle();
    if (handle == 0) throw new IllegalStateException("there is nothing to wait for, and so no event");
    return with(new cl_event(), handle);
  }

  /**
   * An event of JOCL's as one of ours, to be closed by the caller. It is retained; the caller's {@code cl_event} stays
   * theirs to release.
   *
   * @throws DeviceException with {@code EINVAL} if it is of another context than the device's
   */
  public static SyncEvent syncEvent(Device device, cl_event event) {
    OpenClDriver driver = OpenClProvider.driver(device);
    long handle = handle(event);
    driver.check(Cl.retainEvent(handle), "clRetainEvent");
    try {
      return device.adoptEvent(handle);
    } catch (Throwable t) {
      driver.destroyEvent(handle);
      throw t;
    }
  }

  /** A buffer's memory, for {@code clSetKernelArgSVMPointer} and the SVM calls. */
  public static Pointer pointer(DeviceBuffer buffer) {
    return with(new Pointer(), buffer.address());
  }

  /**
   * A column's buffers, in the columnar format's order, for kernels: row 0 is element {@link Column#offset} of each.
   * One that is not there is null, as the bitmap of a column without nulls may be. The column's array must be
   * {@linkplain DeviceStream#waitFor waited for} first.
   */
  public static List<@Nullable Pointer> pointers(Column column) {
    List<@Nullable Pointer> pointers = new ArrayList<>();
    for (int i = 0; i < column.bufferCount(); i++) {
      long address = column.bufferAddress(i);
      pointers.add(address == 0 ? null : with(new Pointer(), address));
    }
    return pointers;
  }

  /**
   * Memory of JOCL's as a buffer, of which arrays can be made; to be closed by the caller.
   *
   * @param pointer from {@code clSVMAlloc} in the device's context; not one to a Java array or buffer, nor one with a
   *     byte offset, which JOCL forgets the address of: take a {@linkplain DeviceBuffer#slice slice} instead
   * @param size in bytes
   * @param onFree run once when nobody uses the memory any more, on any thread; frees it, if that is wanted
   */
  public static DeviceBuffer buffer(Device device, Pointer pointer, long size, Runnable onFree) {
    OpenClProvider.driver(device);
    return DeviceBuffer.wrap(device, handle(pointer), size, onFree);
  }

  private static long handle(NativePointerObject object) {
    long handle = object.getNativePointer();
    if (handle == 0) throw new IllegalArgumentException(object.getClass().getSimpleName() + " has no native pointer");
    return handle;
  }

  private static <T extends NativePointerObject> T with(T object, long handle) {
    NATIVE_POINTER.set(object, handle);
    return object;
  }
}
