// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.arbalest.device.columns.ByteStringView;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.columns.Runs;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a column's smallest and largest values. Nulls are skipped. Values have the natural order of their type;
 * text and bytes are ordered by their bytes, as unsigned numbers.
 *
 * @param min the row of the smallest value
 * @param max the row of the largest value
 */
record Extremes(long min, long max) {
  /**
   * Returns the rows, or null without extremes: all values are null, one is NaN, or the type has no generally accepted
   * order. Extension types have none.
   */
  static @Nullable Extremes of(Column column) {
    if (isExtension(column.field())) return null;
    DataType type = column.field().valueType();
    return switch (type) {
      case IntType(int bits, boolean signed) -> ofIntegers(column, bits == Long.SIZE && !signed ? Long.MIN_VALUE : 0);
      case DateType _, TimeType _, TimestampType _, DurationType _ -> ofIntegers(column, 0);
      case FloatType _ -> ofFloats(column);
      case BoolType _ -> ofObjects(column, column::getBoolean, Comparator.<Boolean>naturalOrder());
      case DecimalType _ -> ofObjects(column, column::getDecimal, Comparator.<BigDecimal>naturalOrder());
      case Utf8Type _, LargeUtf8Type _, Utf8ViewType _, BinaryType _, LargeBinaryType _, BinaryViewType _,
          FixedSizeBinaryType _ ->
          type.equals(column.field().type()) ? ofBytes(column.asByteStrings())
              : ofObjects(column, column::getBytes, Arrays::compareUnsigned);
      default -> null;
    };
  }

  /** Returns whether the values have an extension type, whose order differs from the order of its storage. */
  private static boolean isExtension(Field field) {
    if (field.extensionName() != null) return true;
    return switch (field.type()) {
      case DictionaryType encoded -> isExtension(encoded.values());
      case RunEndEncodedType runs -> isExtension(runs.values());
      default -> false;
    };
  }

  /**
   * Returns the function from a visited row to the next row to visit. For runs it goes to the next run, because a few
   * bytes can describe a run of any length.
   */
  private static LongUnaryOperator steps(Column column) {
    if (!(column.field().type() instanceof RunEndEncodedType)) return row -> row + 1;
    Runs runs = column.runs();
    return row -> runs.next() ? runs.end() : column.length();
  }

  /**
   * Compares integers; {@code flip} inverts the bits that map the order of unsigned numbers to the order of signed
   * ones.
   */
  private static @Nullable Extremes ofIntegers(Column column, long flip) {
    LongUnaryOperator next = steps(column);
    long minAt = -1;
    long maxAt = -1;
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (long row = 0; row < column.length(); row = next.applyAsLong(row)) {
      if (column.isNull(row)) continue;
      long value = column.getLong(row) ^ flip;
      if (value < min || minAt < 0) {
        min = value;
        minAt = row;
      }
      if (value > max || maxAt < 0) {
        max = value;
        maxAt = row;
      }
    }
    return minAt < 0 ? null : new Extremes(minAt, maxAt);
  }

  /** Compares floating-point numbers; negative zero is smaller than positive zero. */
  private static @Nullable Extremes ofFloats(Column column) {
    LongUnaryOperator next = steps(column);
    long min = -1;
    long max = -1;
    for (long row = 0; row < column.length(); row = next.applyAsLong(row)) {
      if (column.isNull(row)) continue;
      double value = column.getDouble(row);
      if (Double.isNaN(value)) return null;
      if (min < 0 || Double.compare(value, column.getDouble(min)) < 0) min = row;
      if (max < 0 || Double.compare(value, column.getDouble(max)) > 0) max = row;
    }
    return min < 0 ? null : new Extremes(min, max);
  }

  private static @Nullable Extremes ofBytes(ByteStringView column) {
    long min = -1;
    long max = -1;
    for (long row = 0; row < column.length(); row++) {
      if (column.isNull(row)) continue;
      if (min < 0 || column.compare(row, column, min) < 0) min = row;
      if (max < 0 || column.compare(row, column, max) > 0) max = row;
    }
    return min < 0 ? null : new Extremes(min, max);
  }

  private static <T> @Nullable Extremes ofObjects(Column column, LongFunction<T> values, Comparator<? super T> order) {
    LongUnaryOperator next = steps(column);
    long minAt = -1;
    long maxAt = -1;
    T min = null;
    T max = null;
    for (long row = 0; row < column.length(); row = next.applyAsLong(row)) {
      if (column.isNull(row)) continue;
      T value = values.apply(row);
      if (min == null || order.compare(value, min) < 0) {
        min = value;
        minAt = row;
      }
      if (max == null || order.compare(value, max) > 0) {
        max = value;
        maxAt = row;
      }
    }
    return minAt < 0 ? null : new Extremes(minAt, maxAt);
  }
}
