// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.io.Serializable;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.arbalest.device.types.FlatType.BinaryType;
import org.arbalest.device.types.FlatType.BinaryViewType;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DecimalType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FixedSizeBinaryType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.LargeBinaryType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.NestedType.UnionMode;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/**
 * The type of an array. Immutable.
 *
 * <p>The constants and methods of this interface make the common types. The records of {@link NestedType} make the
 * others: sorted maps, ordered dictionaries and unions with other type ids.
 *
 * <p>Each type is a record of {@link FlatType} or of {@link NestedType}, whose components are the type's parameters.
 * Two types are compared by {@code equals}. A type's text is its name, as in a field: {@code int64}, {@code list<item:
 * utf8>}. An extension type is its storage type, together with the keys of {@link Field#extension()} in the field's
 * metadata (SCH-16).
 */
public sealed interface DataType extends Serializable permits FlatType, NestedType {
  // No default methods here: with one, initializing a record would initialize the constants below first, and wait for
  // them.
  /** The null type: all values are null, and there are no buffers. */
  DataType NULL = new NullType();

  /** Booleans of 1 bit each. */
  DataType BOOL = new BoolType();

  /** Signed integers of 8 bits. */
  IntType INT8 = new IntType(8, true);

  /** Signed integers of 16 bits. */
  IntType INT16 = new IntType(16, true);

  /** Signed integers of 32 bits. */
  IntType INT32 = new IntType(32, true);

  /** Signed integers of 64 bits. */
  IntType INT64 = new IntType(64, true);

  /** Unsigned integers of 8 bits. */
  IntType UINT8 = new IntType(8, false);

  /** Unsigned integers of 16 bits. */
  IntType UINT16 = new IntType(16, false);

  /** Unsigned integers of 32 bits. */
  IntType UINT32 = new IntType(32, false);

  /** Unsigned integers of 64 bits. */
  IntType UINT64 = new IntType(64, false);

  /** Floating-point numbers of 16 bits. */
  DataType FLOAT16 = new FloatType(16);

  /** Floating-point numbers of 32 bits. */
  DataType FLOAT32 = new FloatType(32);

  /** Floating-point numbers of 64 bits. */
  DataType FLOAT64 = new FloatType(64);

  /** UTF-8 text with 32-bit offsets: at most 2 GiB in one array. */
  DataType UTF8 = new Utf8Type();

  /** UTF-8 text with 64-bit offsets. */
  DataType LARGE_UTF8 = new LargeUtf8Type();

  /** UTF-8 text as views of 16 bytes each. */
  DataType UTF8_VIEW = new Utf8ViewType();

  /** Bytes with 32-bit offsets: at most 2 GiB in one array. */
  DataType BINARY = new BinaryType();

  /** Bytes with 64-bit offsets. */
  DataType LARGE_BINARY = new LargeBinaryType();

  /** Bytes as views of 16 bytes each. */
  DataType BINARY_VIEW = new BinaryViewType();

  /** Dates as days, in 32 bits. */
  DataType DATE32 = new DateType(DateUnit.DAY);

  /** Dates as milliseconds, in 64 bits; each value is a whole number of days. */
  DataType DATE64 = new DateType(DateUnit.MILLISECOND);

  /** Intervals of months, in 32 bits. */
  DataType INTERVAL_YEAR_MONTH = new IntervalType(IntervalUnit.YEAR_MONTH);

  /** Intervals of days and milliseconds, in 64 bits. */
  DataType INTERVAL_DAY_TIME = new IntervalType(IntervalUnit.DAY_TIME);

  /** Intervals of months, days and nanoseconds, in 128 bits. */
  DataType INTERVAL_MONTH_DAY_NANO = new IntervalType(IntervalUnit.MONTH_DAY_NANO);

  /** Returns a type of exact numbers with 1 to 9 decimal digits, {@code scale} of them after the point. */
  static DataType decimal32(int precision, int scale) {
    return new DecimalType(32, precision, scale);
  }

  /** Returns a type of exact numbers with 1 to 18 decimal digits, {@code scale} of them after the point. */
  static DataType decimal64(int precision, int scale) {
    return new DecimalType(64, precision, scale);
  }

  /** Returns a type of exact numbers with 1 to 38 decimal digits, {@code scale} of them after the point. */
  static DataType decimal128(int precision, int scale) {
    return new DecimalType(128, precision, scale);
  }

  /** Returns a type of exact numbers with 1 to 76 decimal digits, {@code scale} of them after the point. */
  static DataType decimal256(int precision, int scale) {
    return new DecimalType(256, precision, scale);
  }

  /** Returns a type of byte strings of {@code width} bytes each. */
  static DataType fixedSizeBinary(int width) {
    return new FixedSizeBinaryType(width);
  }

  /** Returns a type of times of day: time32 for seconds or milliseconds, time64 for microseconds or nanoseconds. */
  static DataType time(ArrowTimeUnit unit) {
    return new TimeType(unit);
  }

  /**
   * Returns a type of points in time with the time zone for their display. If {@code timezone} is null, the values are
   * local dates and times without a zone.
   */
  static DataType timestamp(ArrowTimeUnit unit, @Nullable String timezone) {
    return new TimestampType(unit, timezone);
  }

  /** Returns a type of lengths of time. */
  static DataType duration(ArrowTimeUnit unit) {
    return new DurationType(unit);
  }

  /** Returns a type of lists of nullable items, with 32-bit offsets. */
  static DataType list(DataType item) {
    return list(Field.of("item", Objects.requireNonNull(item, "item")));
  }

  /** Returns a type of lists with 32-bit offsets. */
  static DataType list(Field item) {
    return new ListType(item);
  }

  /** Returns a type of lists with 64-bit offsets. */
  static DataType largeList(Field item) {
    return new LargeListType(item);
  }

  /** Returns a type of lists with 32-bit offsets and sizes. */
  static DataType listView(Field item) {
    return new ListViewType(item);
  }

  /** Returns a type of lists with 64-bit offsets and sizes. */
  static DataType largeListView(Field item) {
    return new LargeListViewType(item);
  }

  /** Returns a type of lists of {@code size} elements each. */
  static DataType fixedSizeList(Field item, int size) {
    return new FixedSizeListType(item, size);
  }

  /** Returns a type of structs of these fields, whose names may repeat. */
  static DataType struct(Field... fields) {
    return new StructType(List.of(fields));
  }

  /** Returns a type of maps whose keys are in any order. The method makes the key field not nullable. */
  static DataType map(Field key, Field value) {
    Objects.requireNonNull(value, "value");
    return new MapType(Field.of("entries", struct(key.withNullable(false), value)).withNullable(false), false);
  }

  /**
   * Returns a type of dense unions of these fields: each element has the type of one field, and each field stores only
   * its own elements. The type ids are 0, 1, 2, ….
   */
  static DataType denseUnion(Field... fields) {
    return new UnionType(UnionMode.DENSE, IntStream.range(0, fields.length).boxed().toList(), List.of(fields));
  }

  /**
   * Returns a type of sparse unions of these fields: each element has the type of one field, and each field is as long
   * as the union. The type ids are 0, 1, 2, ….
   */
  static DataType sparseUnion(Field... fields) {
    return new UnionType(UnionMode.SPARSE, IntStream.range(0, fields.length).boxed().toList(), List.of(fields));
  }

  /** Returns a type of runs of equal values. The run ends are int16, int32 or int64 numbers. */
  static DataType runEndEncoded(IntType runEnds, Field values) {
    return new RunEndEncodedType(Field.of("run_ends", Objects.requireNonNull(runEnds, "runEnds")).withNullable(false),
        values);
  }

  /** Returns a type of indices into distinct values, whose order has no meaning. */
  static DataType dictionary(IntType index, DataType values) {
    return new DictionaryType(index, Field.of("", Objects.requireNonNull(values, "values")), false);
  }

  /** Returns the format string of the C data interface. */
  String format();

  /**
   * Returns the fields of the children in order; an empty list for a type without children. A dictionary is not a
   * child.
   */
  List<Field> children();
}
