// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.internal.build.Fillers;
import org.jspecify.annotations.Nullable;

/** Appends arrays of primitives as lists. An array with the storage format of the items is appended in one copy. */
final class ArrayWriter extends ValueWriter {
  /**
   * Returns whether arrays of a class are appended as a whole. This excludes text, and uint64, whose builder accepts
   * any 64 bits.
   */
  static boolean copies(Class<?> type, Field item) {
    boolean anyBits = item.valueType() instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed;
    return ListClasses.isPrimitives(type) && type != char[].class && !anyBits;
  }

  @Override
  void write(@Nullable Object[] values, int count, ColumnBuilder column) {
    for (int i = 0; i < count; i++) {
      switch (values[i]) {
        case null -> column.appendNull();
        case long[] array -> column.appendList(array.length).items().appendAll(array);
        case int[] array -> column.appendList(array.length).items().appendAll(array);
        case double[] array -> column.appendList(array.length).items().appendAll(array);
        case float[] array -> column.appendList(array.length).items().appendAll(array);
        case short[] array -> column.appendList(array.length).items().appendAll(array);
        case boolean[] array -> column.appendList(array.length).items().appendAll(array);
        default -> Fillers.append(column);
      }
    }
  }
}
