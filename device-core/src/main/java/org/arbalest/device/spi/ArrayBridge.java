// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.ForeignAssembly;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/** What bridges to other Arrow libraries do with arrays, and nobody else needs: addresses are believed. */
public final class ArrayBridge {
  private ArrayBridge() {}

  /** The struct that describes an array's buffers; of the handle's elements it has those from {@link #offset} on. */
  public static ArrayStruct struct(DeviceArray array) {
    return new ArrayStruct(DeviceArrayImpl.unwrap(array).structAddress());
  }

  /** The element of the struct's buffers that is the handle's first one, whatever the struct's own offset is. */
  public static long offset(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).offset();
  }

  /**
   * The address of the handle of the event to wait for before the buffers are read, as the C interface has it; 0 if
   * they can be read now (DEV-03, DEV-04). It is valid while the handle is open. For events of a runtime that no
   * backend here knows; else see {@link DeviceArray#syncEvent}.
   */
  public static long syncEventAddress(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).syncEventAddress();
  }

  /**
   * What {@link #wrap} was given as the memory's origin, also of a slice or a column: so a bridge knows its own memory
   * when it comes back; otherwise null.
   */
  public static @Nullable Object origin(DeviceArray array) {
    return DeviceArrayImpl.unwrap(array).origin();
  }

  /**
   * Makes an array of memory that somebody else holds, with one holder for all buffers: {@link DeviceBuffer#wrap} of
   * each buffer costs too much. What work is queued for the memory is done.
   *
   * @param field the type
   * @param data where the buffers are, and what the structs are to say; may be used again when this returns
   * @param device where the memory is
   * @param onFree run once, when nobody here uses the memory any more; on any thread. What it refers to stays reachable
   *     until then. Not run if this fails
   * @throws DeviceException with {@code EINVAL} if they do not fit: the path, what is wrong, the numbers
   */
  public static DeviceArray wrap(Field field, ForeignArray data, Device device, Runnable onFree) {
    return ForeignAssembly.wrap(field, data, device, null, onFree);
  }

  /**
   * Likewise, of memory that says whose it is when it comes back.
   *
   * @param origin what {@link #origin} says of the array; whoever has the array sees it
   */
  public static DeviceArray wrap(Field field, ForeignArray data, Device device, Object origin, Runnable onFree) {
    return ForeignAssembly.wrap(field, data, device, Objects.requireNonNull(origin, "origin"), onFree);
  }
}
