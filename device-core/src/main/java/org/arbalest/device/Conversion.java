// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The cost of an array that was made from another array by {@link DeviceArray#convertTo(Field)},
 * {@link DeviceArray#compact}, {@link RecordBatch#pushDownNulls}, or by {@link DeviceArray#filter} or
 * {@link DeviceArray#take(long...)} of rows that do not follow each other. An immutable value, which any thread may
 * use.
 *
 * @param copiedBytes the number of bytes that were written, all in one allocation
 * @param copiedBuffers the number of buffers that were written
 * @param sharedBuffers the number of buffers that belong to the other array, unchanged or in part
 */
public record Conversion(long copiedBytes, int copiedBuffers, int sharedBuffers) {
  /**
   * Returns the cost of an array, or null if none of these methods made it.
   */
  public static @Nullable Conversion of(DeviceArray array) {
    return DeviceArrayImpl.unwrap(Objects.requireNonNull(array, "array")).conversion();
  }
}
