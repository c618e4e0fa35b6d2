package org.arbalest.device.internal.statistics;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Objects;
import org.arbalest.device.DataType;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.FloatType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * One value, as {@link org.arbalest.device.Column#get} answers it.
 *
 * @param field what it is of: a field of the union
 * @param value the object; an array of bytes is nobody else's
 */
public record StatisticValue(Field field, Object value) {
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  /** A value of a type, whose name the field has. */
  public static StatisticValue of(DataType type, Object value) {
    return new StatisticValue(Field.of(TypeNames.of(type), type), value);
  }

  /** The value; of bytes a copy. */
  public Object get() {
    return value instanceof byte[] bytes ? bytes.clone() : value;
  }

  /** A count, which was looked at. */
  public long count() {
    return ((Number) value).longValue();
  }

  /** A number, which was looked at. */
  public double number() {
    return ((Number) value).doubleValue();
  }

  @Nullable String complaint(Statistic.Kind kind) {
    return switch (kind) {
      case COUNT -> isInteger() ? isCount() ? null : "is " + value + ", which is no count" : "is " + TypeNames.of(field.type()) + ", not int64";
      case NUMBER -> isInteger() || isFloat() ? number() >= 0 ? null : "is " + value + ", which is no size" : "is " + TypeNames.of(field.type()) + ", not float64";
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

  /** Whether the other is of the same type, with the same value; bytes are compared, names of fields are nobody's matter. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StatisticValue that && field.type().equals(that.field.type()) && Objects.deepEquals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * field.type().hashCode() + (value instanceof byte[] bytes ? Arrays.hashCode(bytes) : value.hashCode());
  }

  /** For people. */
  @Override
  public String toString() {
    return value instanceof byte[] bytes ? Arrays.toString(bytes) : value.toString();
  }
}
