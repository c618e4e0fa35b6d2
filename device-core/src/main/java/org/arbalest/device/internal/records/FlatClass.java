// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.arbalest.device.columns.Column;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.schema.NumericText;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Extension.TimestampWithOffset;
import org.arbalest.device.types.Extension.Uuid;
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
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A class whose objects are values of flat types or of Arrow's extension types.
 *
 * @param standard the default field of its objects, without a name
 * @param reads matches the fields whose every value is an object of the class
 * @param get reads a value that is not null
 * @param takes matches the fields that can store some of its objects; each object is checked
 * @param append appends an object to a column of such a type
 */
record FlatClass(Field standard, Predicate<Field> reads, Getter get, Predicate<Field> takes, Append append) {
  /** Reads a value that is not null. */
  @FunctionalInterface
  interface Getter {
    Object get(Column column, long row);
  }

  /** Appends an object to a column of a type. */
  @FunctionalInterface
  interface Append {
    void append(ColumnBuilder column, DataType type, Object value);
  }

  private static final Map<Class<?>, FlatClass> ALL = new LinkedHashMap<>();

  static {
    put(Boolean.class, Field.of("", DataType.BOOL),
        field -> field.type() instanceof BoolType || field.extension() instanceof Bool8, Column::getBoolean,
        (column, _, value) -> column.append((boolean) value));
    integer(Byte.class, DataType.INT8, (column, row) -> (byte) column.getLong(row));
    integer(Short.class, DataType.INT16, (column, row) -> (short) column.getLong(row));
    integer(Integer.class, DataType.INT32, Column::getInt);
    integer(Long.class, DataType.INT64, Column::getLong);
    number(Float.class, DataType.FLOAT32, type -> isWithin(type, 32, 24),
        (column, row) -> (float) column.getDouble(row), type -> isFloat(type, 32));
    number(Double.class, DataType.FLOAT64, type -> isWithin(type, 64, 53), Column::getDouble,
        type -> isFloat(type, 64));
    add(Character.class, DataType.UTF8, FlatClass::isText, (column, row) -> TextObjects.toChar(column.getString(row)),
        (column, _, value) -> column.append(value.toString()));
    add(String.class, DataType.UTF8, FlatClass::isText, Column::getString,
        (column, _, value) -> column.append((String) value));
    put(UUID.class, Field.uuid(""), field -> field.extension() instanceof Uuid, Column::getUuid,
        (column, _, value) -> column.append((UUID) value));
    add(byte[].class, DataType.BINARY, FlatClass::isBinary, Column::getBytes,
        (column, _, value) -> column.append((byte[]) value));
    add(BigInteger.class, DataType.decimal128(38, 0),
        type -> type instanceof IntType || (type instanceof DecimalType decimal && decimal.scale() <= 0),
        (column, row) -> column.getDecimal(row).toBigIntegerExact(),
        type -> type instanceof DecimalType || type instanceof IntType,
        (column, type, value) -> Amounts.append(column, type, (BigInteger) value));
    ALL.put(BigDecimal.class, new FlatClass(Field.of("", DataType.decimal128(38, 18)), FlatClass::isDecimal,
        Column::getDecimal, field -> field.type() instanceof DecimalType,
        (column, _, value) -> column.append((BigDecimal) value)));
    add(LocalDate.class, DataType.DATE32, type -> type instanceof DateType, Column::getLocalDate,
        (column, _, value) -> column.append((LocalDate) value));
    add(LocalTime.class, DataType.time(ArrowTimeUnit.NANOSECOND), type -> type instanceof TimeType,
        Column::getLocalTime,
        (column, _, value) -> column.append((LocalTime) value));
    add(Instant.class, DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC"),
        type -> type instanceof TimestampType timestamp && timestamp.timezone() != null,
        Column::getInstant,
        (column, _, value) -> column.append((Instant) value));
    add(ZonedDateTime.class, DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC"),
        type -> type instanceof TimestampType timestamp && timestamp.timezone() != null,
        Column::getZonedDateTime,
        (column, _, value) -> column.append((ZonedDateTime) value));
    put(OffsetDateTime.class, Field.timestampWithOffset("", ArrowTimeUnit.NANOSECOND),
        field -> field.extension() instanceof TimestampWithOffset,
        Column::getOffsetDateTime, (column, _, value) -> column.append((OffsetDateTime) value));
    add(LocalDateTime.class, DataType.timestamp(ArrowTimeUnit.NANOSECOND, null),
        type -> type instanceof TimestampType timestamp && timestamp.timezone() == null,
        Column::getLocalDateTime, (column, _, value) -> column.append((LocalDateTime) value));
    add(Duration.class, DataType.duration(ArrowTimeUnit.NANOSECOND), type -> type instanceof DurationType,
        Column::getDuration,
        (column, _, value) -> column.append((Duration) value));
    add(Period.class, DataType.INTERVAL_YEAR_MONTH,
        type -> type instanceof IntervalType(IntervalUnit unit) && unit == IntervalUnit.YEAR_MONTH,
        Column::getPeriod,
        (column, _, value) -> column.append((Period) value));
    add(Interval.class, DataType.INTERVAL_MONTH_DAY_NANO, type -> type instanceof IntervalType, Column::getInterval,
        (column, _, value) -> column.append((Interval) value));
  }

  /** Returns the entry of a class, or null if its objects are no such values. A primitive has the entry of its box. */
  static @Nullable FlatClass of(Class<?> type) {
    return ALL.get(Primitives.box(type));
  }

  /** Returns an entry for unsigned integers; each is the {@code Long} with the same 64 bits. */
  static FlatClass unsigned(IntType standard) {
    return new FlatClass(Field.of("", standard),
        field -> field.type() instanceof IntType(int bits, boolean signed) && !signed && bits <= standard.bits(),
        Column::getLong,
        field -> isNumber(field.type()), (column, type, value) -> Amounts.appendUnsigned(column, type, (long) value));
  }

  /**
   * Returns the field of the values that a column reads as: for a dictionary or runs, the field of their values, which
   * may have its own extension type.
   */
  static Field values(Field field) {
    return switch (field.type()) {
      case DictionaryType encoded -> values(encoded.values());
      case RunEndEncodedType runs -> values(runs.values());
      default -> field;
    };
  }

  /** Returns the function that appends an object to a column with these values; null if the column can store none. */
  @Nullable
  Append appendTo(Field values) {
    return takes.test(values) ? append : null;
  }

  /** Returns the classes that read a field, for errors. The preferred classes come first. */
  static List<String> readers(Field field) {
    return ALL.entrySet().stream()
        .filter(entry -> entry.getKey() != Character.class && entry.getValue().reads.test(field))
        .map(entry -> Primitives.name(entry.getKey())).toList();
  }

  /** Returns the classes whose objects a field can store, for errors. Boxes keep their names. */
  static List<String> takers(Field field) {
    return ALL.entrySet().stream().filter(entry -> entry.getValue().takes.test(field))
        .map(entry -> entry.getKey().getSimpleName()).toList();
  }

  /** Returns the result of {@link Column#get}, which is not null. */
  static Object object(Column column, long row) {
    return Objects.requireNonNull(column.get(row));
  }

  private static void put(Class<?> type, Field standard, Predicate<Field> reads, Getter get, Append append) {
    ALL.put(type, new FlatClass(standard, reads, get, reads, append));
  }

  private static void add(Class<?> type, DataType standard, Predicate<DataType> reads, Getter get, Append append) {
    add(type, standard, reads, get, reads, append);
  }

  private static void add(Class<?> type, DataType standard, Predicate<DataType> reads, Getter get,
      Predicate<DataType> takes, Append append) {
    ALL.put(type, new FlatClass(Field.of("", standard), field -> reads.test(field.type()), get,
        field -> takes.test(field.type()), append));
  }

  /** Adds integers; a column accepts every number that it can store exactly. */
  private static void integer(Class<?> type, IntType standard, Getter get) {
    add(type, standard, column -> isWithin(column, standard.bits()), get, FlatClass::isNumber,
        (column, columnType, value) -> Amounts.append(column, columnType, ((Number) value).longValue()));
  }

  private static void number(Class<?> type, DataType standard, Predicate<DataType> reads, Getter get,
      Predicate<DataType> takes) {
    add(type, standard, reads, get, takes, (column, _, value) -> column.append(((Number) value).doubleValue()));
  }

  /** Returns whether all values of a type fit in signed integers of this width. */
  private static boolean isWithin(DataType type, int bits) {
    return type instanceof IntType(int width, boolean signed) && (signed ? width <= bits : width < bits);
  }

  /** Returns whether all values of a type fit exactly in floats of this width and significand. */
  private static boolean isWithin(DataType type, int bits, int significand) {
    return (type instanceof FloatType floats && floats.bits() <= bits)
        || (type instanceof IntType integers && integers.bits() <= significand);
  }

  private static boolean isDecimal(Field field) {
    return field.type() instanceof DecimalType || field.type() instanceof IntType || NumericText.isIn(field);
  }

  private static boolean isFloat(DataType type, int least) {
    return type instanceof FloatType floats && floats.bits() >= least;
  }

  private static boolean isNumber(DataType type) {
    return type instanceof IntType || type instanceof FloatType || type instanceof DecimalType;
  }

  static boolean isText(DataType type) {
    return type instanceof Utf8Type || type instanceof LargeUtf8Type || type instanceof Utf8ViewType;
  }

  private static boolean isBinary(DataType type) {
    return type instanceof BinaryType || type instanceof LargeBinaryType || type instanceof BinaryViewType
        || type instanceof FixedSizeBinaryType;
  }
}
