// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
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
 * Conversions between this library's streams, events, buffers and columns and JOCL's objects.
 *
 * <p>An object that this class returns to JOCL is borrowed: it is valid while the library's object is open. A method
 * that takes an object from JOCL documents the owner. JOCL is an optional dependency: only this class needs it.
 *
 * <p>To run a kernel on the library's memory, pass its arguments by {@code CL.clSetKernelArgSVMPointer}, and queue it
 * in {@link #commandQueue}. Then pass the memory that the kernel reads and writes to {@link DeviceStream#keepAlive}.
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

  /** Returns the context that a device works in; see {@link OpenCl#context}. */
  public static cl_context context(Device device) {
    return with(new cl_context(), OpenCl.context(device));
  }

  /** Returns a device's id as a JOCL object; see {@link OpenCl#deviceId}. */
  public static cl_device_id deviceId(Device device) {
    return with(new cl_device_id(), OpenCl.deviceId(device));
  }

  /** Returns a stream's queue as a JOCL object. */
  public static cl_command_queue commandQueue(DeviceStream stream) {
    OpenClProvider.driver(stream.device());
    return with(new cl_command_queue(), stream.handle());
  }

  /**
   * Wraps a JOCL queue as a stream. The application still owns the queue, which must live until the stream is closed.
   *
   * @param queue an in-order queue of the device's context
   * @throws DeviceException with {@code EINVAL} if the queue belongs to another context, or works out of order
   */
  public static DeviceStream stream(Device device, cl_command_queue queue) {
    OpenClProvider.driver(device);
    return device.wrapStream(handle(queue));
  }

  /**
   * Returns an event as a JOCL object, for JOCL's wait lists.
   *
   * @throws IllegalStateException if nothing had to be waited for when the event was recorded
   */
  public static cl_event event(SyncEvent event) {
    OpenClProvider.driver(event.device());
    long handle = event.handle();
    if (handle == 0) throw new IllegalStateException("the event has no handle: there was nothing to wait for");
    return with(new cl_event(), handle);
  }

  /**
   * Wraps a JOCL event. The caller closes the returned event. The library retains the JOCL event; the caller still owns
   * its own {@code cl_event}, and releases it.
   *
   * @throws DeviceException with {@code EINVAL} if the event belongs to another context than the device's
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

  /** Returns the address of a buffer's memory, for {@code clSetKernelArgSVMPointer} and the SVM calls. */
  public static Pointer pointer(DeviceBuffer buffer) {
    return with(new Pointer(), buffer.address());
  }

  /**
   * Returns the addresses of a column's buffers, in the columnar format's order, for kernels. Row 0 is element
   * {@link Column#offset} of each buffer. A missing buffer is null, for example the bitmap of a column without nulls.
   *
   * <p>A kernel's stream must first {@linkplain DeviceStream#waitFor wait for} the column's array.
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
   * Wraps JOCL's memory as a buffer, from which arrays can be created. The caller closes the buffer.
   *
   * @param pointer a pointer from {@code clSVMAlloc} in the device's context. It must not point to a Java array or
   *     buffer, and must have no byte offset, since JOCL then loses the address: take a
   *     {@linkplain DeviceBuffer#slice slice} instead
   * @param size the size in bytes
   * @param onFree run once, on any thread, after the last use of the memory. If wanted, it frees the memory
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
