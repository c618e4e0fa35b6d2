// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.invoke.MethodType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.IntFunction;
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
      + "ZonedDateTime, Duration, Interval, UUID, null, and lists and arrays of these";

  /** The classes of whole numbers, the narrowest first. */
  private static final List<Class<?>> WHOLE = List.of(Byte.class, Short.class, Integer.class, Long.class);

  private static final List<DataType> WHOLE_TYPES =
      List.of(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64);

  /** An object of each class that has a column, for arrays without elements. */
  private static final List<Object> EXAMPLES =
      List.of(false, (byte) 0, (short) 0, 0, 0L, 0F, 0D, BigDecimal.ZERO, BigInteger.ZERO, "", new byte[0],
          LocalDate.EPOCH, LocalTime.MIDNIGHT, LocalDate.EPOCH.atStartOfDay(), Instant.EPOCH, Duration.ZERO,
          new Interval(0, 0, 0), new UUID(0, 0));

  private static final int NANOS_PER_MICRO = 1000;
  private static final int DIGITS_OF_128_BITS = 38;
  private static final int DIGITS_OF_256_BITS = 76;

  private final int position;
  private final List<? extends @Nullable Object> values;

  /** Describes the value of an index, for errors. */
  private final IntFunction<String> place;

  private ParameterField(int position, List<? extends @Nullable Object> values, IntFunction<String> place) {
    this.position = position;
    this.values = values;
    this.place = place;
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
    IntFunction<String> place = row -> "parameter " + position + (values.size() == 1 ? "" : " of row " + row);
    return new ParameterField(position, values, place).field(String.valueOf(position));
  }

  private Field field(String name) {
    @Nullable Object first = null;
    int row = 0;
    boolean isMixed = false;
    for (int i = 0; i < values.size(); i++) {
      Object value = values.get(i);
      if (value == null || (first != null && value.getClass() == first.getClass())) continue;
      if (first == null) {
        first = value;
        row = i;
      } else if (!(isNumber(first) && isNumber(value)) && !(isList(first) && isList(value))) {
        throw new IllegalArgumentException(place.apply(row) + " is " + name(first) + ", but " + place.apply(i) + " is "
            + name(value) + "; convert all to one class");
      } else {
        isMixed = true;
      }
    }
    if (first == null) return Field.of(name, DataType.NULL);
    if (first instanceof UUID) return Field.uuid(name);
    if (isList(first)) return Field.of(name, DataType.list(item(row)));
    return Field.of(name, !isNumber(first) ? type(first, row) : isMixed ? numbers() : number(first));
  }

  private static boolean isList(Object value) {
    return value instanceof List || (value.getClass().isArray() && !(value instanceof byte[]));
  }

  /** Returns the field of the elements of lists. */
  private Field item(int row) {
    List<@Nullable Object> elements = new ArrayList<>();
    for (Object value : values) if (value != null) elements.addAll(elements(value));
    for (int i = 0; i < elements.size(); i++) {
      Object element = elements.get(i);
      if (element != null && isList(element)) throw new IllegalArgumentException(elementAt(i)
          + " is a list, and a list of lists has no column type; bind a batch with AdbcStatement.bind");
    }
    Field item = new ParameterField(position, elements, this::elementAt).field("item");
    if (!item.type().equals(DataType.NULL)) return item;
    throw new IllegalArgumentException(place.apply(row) + " is a list without a value, so the type of its elements is "
        + "unknown; pass an empty array, such as new long[0] or new String[0]");
  }

  /** Returns the elements of a list; for primitive elements, and for an empty array, one object of their class. */
  private static List<? extends @Nullable Object> elements(Object list) {
    return list instanceof List<?> elements ? elements : examples(list.getClass().getComponentType());
  }

  /** Returns an object of a class, or of the class that {@link Parameters} simplifies it to; none of other classes. */
  private static List<Object> examples(Class<?> type) {
    Class<?> box = MethodType.methodType(type).wrap().returnType();
    if (type.isEnum() || box == Character.class) return List.of("");
    if (type == OffsetDateTime.class || type == ZonedDateTime.class) return List.of(Instant.EPOCH);
    return EXAMPLES.stream().filter(example -> example.getClass() == box).toList();
  }

  private String elementAt(int index) {
    int before = 0;
    for (int row = 0; row < values.size(); row++) {
      Object value = values.get(row);
      int size = value == null ? 0 : elements(value).size();
      if (index < before + size) return "element " + (index - before) + " of " + place.apply(row);
      before += size;
    }
    throw new IndexOutOfBoundsException(index);
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
      default -> throw new IllegalArgumentException(place.apply(row) + " is " + name(value)
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

  /** Returns the type for numbers of one class. */
  private DataType number(Object first) {
    return switch (first) {
      case Double _ -> DataType.FLOAT64;
      case Float _ -> DataType.FLOAT32;
      case BigDecimal _, BigInteger _ -> decimal();
      default -> WHOLE_TYPES.get(WHOLE.indexOf(first.getClass()));
    };
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

  private static String name(Object value) {
    String name = value.getClass().getTypeName();
    return "the class " + (name.startsWith("java.") ? value.getClass().getSimpleName() : name);
  }
}
