// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.ForeignAssembly;
import org.arbalest.device.internal.convert.QueuedConversion;
import org.arbalest.device.internal.copy.WaitingParts;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Access to an array's memory for bridges to other Arrow libraries. Applications do not need it. Addresses that a
 * bridge passes in are not checked.
 */
@CheckReturnValue
public final class ArrayBridge {
  private ArrayBridge() {}

  /**
   * Returns the struct that describes an array's buffers. The handle's elements begin at {@link #offset} in these
   * buffers.
   *
   * <p>The struct is borrowed: it is valid while the handle is open.
   */
  public static ArrayStruct struct(DeviceArray array) {
    return new ArrayStruct(DeviceArrayImpl.unwrap(array).structAddress());
  }

  /**
   * Returns the position of the handle's first element in the struct's buffers. Use it instead of the struct's own
   * offset.
   */
  public static long offset(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).offset();
  }

  /**
   * Returns the address of the event's handle, in the form of the C interface, or 0 if the buffers can be read now
   * (DEV-03, DEV-04). The consumer waits for this event before it reads the buffers. The method is for events of a
   * runtime that has no backend here; otherwise use {@link DeviceArray#syncEvent}.
   *
   * <p>The address is borrowed: it is valid while the handle is open.
   */
  public static long syncEventAddress(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).syncEventAddress();
  }

  /**
   * Returns the origin that a bridge passed to {@link #wrap(Field, ForeignArray, Device, Object, Runnable)}, or null
   * without one. A slice or a column of the array has the same origin. A bridge thus recognizes its own memory when it
   * receives the array again.
   */
  public static @Nullable Object origin(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).origin();
  }

  /**
   * Validates an array as {@link DeviceArray#validate} does, except the values of its dictionaries. For a bridge that
   * has validated a dictionary before, and uses it in many arrays. Indices are compared with the dictionary's length.
   *
   * @throws DeviceException with {@code EINVAL} if the array is malformed
   */
  public static void validateWithoutDictionaries(DeviceArray array, Validation level) {
    ArrayValidation.validateWithoutDictionaries(DeviceArrayImpl.unwrap(array), level);
  }

  /**
   * Reduces the memory of arrays that wait to be joined by {@link DeviceArray#concat}, for code that collects rows.
   * Call it when the last array of the list begins to wait.
   *
   * <p>If the last array keeps much more memory than its rows need, as a slice of a few rows does, a copy replaces it
   * in the list, and it is closed. Many small arrays at the end become one. On a device whose memory the CPU cannot
   * access, nothing changes. Without memory for a copy, the array stays unchanged.
   *
   * @param parts the arrays, at least one; the list can be changed
   */
  public static <A extends DeviceArray> void letWait(List<A> parts) {
    WaitingParts.letWait(parts);
  }

  /**
   * Joins waiting arrays by {@link DeviceArray#concat}. The caller still owns them, and closes the result.
   *
   * @throws DeviceException as {@code concat} does; the message says that {@code rebatch} failed
   */
  public static <A extends DeviceArray> A join(List<A> parts) {
    return WaitingParts.join(parts);
  }

  /**
   * Converts an array as {@link DeviceArray#convertTo(Field)} does. If the CPU cannot read the memory, a stream
   * converts booleans, so that this call does not wait. The result then has an event behind the stream's work.
   *
   * @param stream a stream of the array's device
   * @param kernels returns the device's conversions; called only if there are booleans to convert, before any queueing.
   *     An exception from it is thrown to the caller
   * @return the result; the caller closes it
   * @throws IllegalStateException if the stream is closed or captured
   */
  public static <A extends DeviceArray> A convertTo(A array, Field requested, DeviceStream stream,
      Supplier<BooleanKernels> kernels) {
    return DeviceArrayImpl.like(array, QueuedConversion.convert(
        DeviceArrayImpl.unwrap(array), requested, DeviceStreamImpl.unwrap(stream), kernels));
  }

  /**
   * Creates an array from memory that the caller owns. One reference covers all buffers; {@link DeviceBuffer#wrap} of
   * each buffer costs too much. The caller has waited for all work that is queued on the memory.
   *
   * <p>The caller closes the array. {@code onFree} may run on any thread, and an exception from it can only be logged.
   *
   * @param field the type
   * @param data the addresses of the buffers and the numbers of the structs; the caller may reuse it when this method
   *     returns
   * @param device the device of the memory
   * @param onFree runs once, after the last reference to the memory is released. Objects that it refers to stay
   *     reachable until then. It does not run if this method throws
   * @throws DeviceException with {@code EINVAL} if field and data do not fit: the message has the path, the fault and
   *     the numbers
   */
  public static DeviceArray wrap(Field field, ForeignArray data, Device device, Runnable onFree) {
    return ForeignAssembly.wrap(field, data, device, null, onFree);
  }

  /**
   * Creates an array like {@link #wrap(Field, ForeignArray, Device, Runnable)}, from memory with an origin.
   *
   * @param origin the object that {@link #origin} returns for the array; all code that has the array can read it
   */
  public static DeviceArray wrap(Field field, ForeignArray data, Device device, Object origin, Runnable onFree) {
    return ForeignAssembly.wrap(field, data, device, Objects.requireNonNull(origin, "origin"), onFree);
  }
}
