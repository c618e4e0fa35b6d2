// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.internal.read.TimeText;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * One value, as {@link org.arbalest.device.columns.Column#get} answers it.
 *
 * @param field what it is of: a field of the union
 * @param value the object; arrays of bytes, and what is nested, are nobody else's
 */
public record StatisticValue(Field field, Object value) {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  public StatisticValue {
    value = each(value, byte[]::clone);
  }

  /** A value of a type, whose name the field has. */
  public static StatisticValue of(DataType type, Object value) {
    return new StatisticValue(Field.of(TypeNames.of(type), type), value);
  }

  /** The value; of bytes copies. */
  public Object get() {
    return each(value, byte[]::clone);
  }

  /** A value with all arrays of bytes that it has replaced; what is nested cannot be changed. */
  private static Object each(Object value, Function<byte[], Object> bytes) {
    return switch (value) {
      case byte[] array -> bytes.apply(array);
      case List<?> list -> list.stream().map(element -> below(element, bytes)).toList();
      case Map<?, ?> map -> {
        Map<@Nullable Object, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((key, each) -> copy.put(below(key, bytes), below(each, bytes)));
        yield Collections.unmodifiableMap(copy);
      }
      case Map.Entry<?, ?> entry ->
          new SimpleImmutableEntry<@Nullable Object, @Nullable Object>(below(entry.getKey(), bytes),
              below(entry.getValue(), bytes));
      default -> value;
    };
  }

  private static @Nullable Object below(@Nullable Object value, Function<byte[], Object> bytes) {
    return value == null ? null : each(value, bytes);
  }

  /** A count, which was looked at. */
  public long count() {
    return ((Number) value).longValue();
  }

  /** A number, which was looked at. */
  public double number() {
    return ((Number) value).doubleValue();
  }

  @Nullable
  String complaint(Statistic.Kind kind) {
    return switch (kind) {
      case COUNT -> isInteger() ? isCount() ? null : "is " + value + ", which is no count"
          : "is " + TypeNames.of(field.type()) + ", not int64";
      case NUMBER ->
          isInteger() || isFloat() ? number() >= 0 ? null : "is " + value + ", which is no size"
              : "is " + TypeNames.of(field.type()) + ", not float64";
      case ANY -> null;
    };
  }

  private boolean isCount() {
    return value instanceof BigDecimal large ? large.signum() >= 0 && large.compareTo(MOST) <= 0 : count() >= 0;
  }

  private boolean isInteger() {
    return value instanceof Number && field.valueType() instanceof IntType;
  }

  private boolean isFloat() {
    return value instanceof Number && field.valueType() instanceof FloatType;
  }

  /**
   * Whether the other is of the same type, with the same value; bytes are compared, names of fields are nobody's
   * matter.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StatisticValue that && field.type().equals(that.field.type())
        && content().equals(that.content());
  }

  @Override
  public int hashCode() {
    return 31 * field.type().hashCode() + content().hashCode();
  }

  /** The value with bytes that are equal if they are the same. */
  private Object content() {
    return each(value, ByteBuffer::wrap);
  }

  /** For people: a date or a time as one. */
  @Override
  public String toString() {
    String time = value instanceof Long stored ? TimeText.of(field.valueType(), stored) : null;
    if (time != null) return time;
    return each(value, Arrays::toString).toString();
  }
}
