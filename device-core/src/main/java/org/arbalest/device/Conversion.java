// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * What it took to make an array of another, by {@link DeviceArray#convertTo(Field)}, {@link
 * DeviceArray#compact} or {@link DeviceArray#pushDownNulls}.
 *
 * @param copiedBytes how many bytes were written anew, all in one allocation
 * @param copiedBuffers how many buffers they are
 * @param sharedBuffers how many buffers are the other array's own, as they are there or parts of them
 */
public record Conversion(long copiedBytes, int copiedBuffers, int sharedBuffers) {
  /**
   * What was copied when an array was made of another by {@link DeviceArray#convertTo}, {@link DeviceArray#compact} or
   * {@link DeviceArray#pushDownNulls}; null if it was not made so.
   */
  public static @Nullable Conversion of(DeviceArray array) {
    return DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")).conversion();
  }
}
