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
 * One value, with the class that {@link org.arbalest.device.columns.Column#get} returns.
 *
 * @param field the field of the union that holds the value
 * @param value the object; byte arrays and nested values are private copies
 */
public record StatisticValue(Field field, Object value) {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  public StatisticValue {
    value = each(value, byte[]::clone);
  }

  /** Returns a value of a type; the field has the name of the type. */
  public static StatisticValue of(DataType type, Object value) {
    return new StatisticValue(Field.of(TypeNames.of(type), type), value);
  }

  /** Returns the value, with copies of byte arrays. */
  public Object get() {
    return each(value, byte[]::clone);
  }

  /** Returns a value with all its byte arrays replaced. Nested collections in the result are immutable. */
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

  /** Returns the value of a statistic that was checked as a count. */
  public long count() {
    return ((Number) value).longValue();
  }

  /** Returns the value of a statistic that was checked as a number. */
  public double number() {
    return ((Number) value).doubleValue();
  }

  @Nullable
  String complaint(Statistic.Kind kind) {
    return switch (kind) {
      case COUNT -> isInteger() ? isCount() ? null : "is " + value + ", which is not a count"
          : "is " + TypeNames.of(field.type()) + ", not int64";
      case NUMBER ->
          isInteger() || isFloat() ? number() >= 0 ? null : "is " + value + ", which is not a size"
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
   * Returns whether the other has the same type and the same value. Bytes are compared by content; the names of the
   * union's fields are ignored.
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

  /** Returns the value with byte arrays wrapped, so that they are equal by content. */
  private Object content() {
    return each(value, ByteBuffer::wrap);
  }

  /** Returns a readable form; dates and times are formatted. */
  @Override
  public String toString() {
    String time = value instanceof Long stored ? TimeText.of(field.valueType(), stored) : null;
    if (time != null) return time;
    return each(value, Arrays::toString).toString();
  }
}
