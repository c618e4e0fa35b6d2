// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the column that stores the values of one parameter. It is the default column of the values' class,
 * except where databases are narrower: times have microseconds if that loses nothing, and decimals only the digits that
 * the values have.
 */
final class ParameterField {
  private static final String CLASSES = "Boolean, Byte, Short, Integer, Long, Float, Double, BigDecimal, BigInteger, "
      + "String, Character, enums, byte[], LocalDate, LocalTime, LocalDateTime, Instant, OffsetDateTime, "
      + "ZonedDateTime, Duration, Interval, UUID and null";

  /** The classes of whole numbers, the narrowest first. */
  private static final List<Class<?>> WHOLE = List.of(Byte.class, Short.class, Integer.class, Long.class);

  private static final List<DataType> WHOLE_TYPES =
      List.of(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64);

  private static final int NANOS_PER_MICRO = 1000;
  private static final int DIGITS_OF_128_BITS = 38;
  private static final int DIGITS_OF_256_BITS = 76;

  private final int position;
  private final List<@Nullable Object> values;

  private ParameterField(int position, List<@Nullable Object> values) {
    this.position = position;
    this.values = values;
  }

  /**
   * Returns the column for these values.
   *
   * @param position the parameter's position, from 1
   * @param values the values of all rows, of classes that {@link Parameters} has simplified
   * @throws IllegalArgumentException if a class is unsupported, or the classes of two rows have no common column; the
   *     message has the position, the row and the class
   */
  static Field of(int position, List<@Nullable Object> values) {
    return new ParameterField(position, values).field();
  }

  private Field field() {
    @Nullable Object first = null;
    int row = 0;
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value == null || (first != null && value.getClass() == first.getClass())) continue;
      if (first == null) {
        first = value;
        row = i;
      } else if (!(isNumber(first) && isNumber(value))) {
        throw new IllegalArgumentException(
            here(row) + " is " + name(first) + ", but in row " + i + " it is " + name(value)
                + "; convert all rows to one class");
      }
    }
    if (first == null) return Field.of(String.valueOf(position), DataType.NULL);
    if (first instanceof UUID) return Field.uuid(String.valueOf(position));
    return Field.of(String.valueOf(position), isNumber(first) ? numbers() : type(first, row));
  }

  private DataType type(Object value, int row) {
    return switch (value) {
      case Boolean _ -> DataType.BOOL;
      case String _ -> DataType.UTF8;
      case byte[] _ -> DataType.BINARY;
      case LocalDate _ -> DataType.DATE32;
      case LocalTime _ -> DataType.time(unit());
      case LocalDateTime _ -> DataType.timestamp(unit(), null);
      case Instant _ -> DataType.timestamp(unit(), "UTC");
      case Duration _ -> DataType.duration(unit());
      case Interval _ -> DataType.INTERVAL_MONTH_DAY_NANO;
      default -> throw new IllegalArgumentException(here(row) + " is " + name(value)
          + ", which has no column type; use " + CLASSES + ", or bind a batch with AdbcStatement.bind");
    };
  }

  /** Returns the unit that represents the times exactly: microseconds, the unit of most databases, or nanoseconds. */
  private ArrowTimeUnit unit() {
    boolean hasNanos = values.stream().anyMatch(value -> nanos(value) % NANOS_PER_MICRO != 0);
    return hasNanos ? ArrowTimeUnit.NANOSECOND : ArrowTimeUnit.MICROSECOND;
  }

  private static int nanos(@Nullable Object value) {
    return switch (value) {
      case Duration duration -> duration.toNanosPart();
      case TemporalAccessor time when time.isSupported(ChronoField.NANO_OF_SECOND) ->
          time.get(ChronoField.NANO_OF_SECOND);
      case null, default -> 0;
    };
  }

  private static boolean isNumber(Object value) {
    return value instanceof Float || value instanceof Double || value instanceof BigDecimal
        || value instanceof BigInteger || WHOLE.contains(value.getClass());
  }

  /** Returns the narrowest type for numbers of several classes. The builder then checks each value. */
  private DataType numbers() {
    List<? extends Class<?>> classes = values.stream().filter(Objects::nonNull).map(Object::getClass).toList();
    boolean hasFloats = classes.contains(Double.class) || classes.contains(Float.class);
    boolean hasDecimals = classes.contains(BigDecimal.class) || classes.contains(BigInteger.class);
    if (hasFloats && hasDecimals) throw new IllegalArgumentException(
        "parameter " + position + " has decimals and floating-point numbers; convert all rows to one class");
    if (hasDecimals) return decimal();
    if (hasFloats) return classes.stream().allMatch(Float.class::equals) ? DataType.FLOAT32 : DataType.FLOAT64;
    return WHOLE_TYPES.get(classes.stream().mapToInt(WHOLE::indexOf).max().orElseThrow());
  }

  /** Returns the decimal type with the digits that the values have before and after the point. */
  private DataType decimal() {
    int scale = 0;
    long whole = 0;
    for (Object value : values) {
      if (value == null) continue;
      BigDecimal decimal = switch (value) {
        case BigDecimal exact -> exact;
        case BigInteger integer -> new BigDecimal(integer);
        default -> BigDecimal.valueOf(((Number) value).longValue());
      };
      scale = Math.max(scale, decimal.scale());
      // a number below 1 has no digit before the point
      if (decimal.signum() != 0) whole = Math.max(whole, (long) decimal.precision() - decimal.scale());
    }
    long digits = Math.max(1, whole + scale);
    if (digits > DIGITS_OF_256_BITS) throw new IllegalArgumentException("parameter " + position + " needs " + digits
        + " decimal digits, " + scale + " of them after the point, but a decimal has at most " + DIGITS_OF_256_BITS
        + "; round it, or pass it as text");
    return digits > DIGITS_OF_128_BITS ? DataType.decimal256((int) digits, scale)
        : DataType.decimal128((int) digits, scale);
  }

  private String here(int row) {
    return "parameter " + position + (values.size() == 1 ? "" : " of row " + row);
  }

  private static String name(Object value) {
    String name = value.getClass().getTypeName();
    return "the class " + (name.startsWith("java.") ? value.getClass().getSimpleName() : name);
  }
}
