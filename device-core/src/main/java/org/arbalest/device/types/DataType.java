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
 * The type of an array. Types are made here; sorted maps, ordered dictionaries and unions with ids of their own by the
 * records of {@link NestedType}. Immutable.
 *
 * <p>Each is a record of {@link FlatType} or of {@link NestedType}, by which its parameters are found out. As text it
 * is its name, as in a field's: {@code int64}, {@code list<item: utf8>}. An extension type is its storage type, with
 * the keys of {@link Field#extension()} in the field's metadata (SCH-16).
 */
public sealed interface DataType extends Serializable permits FlatType, NestedType {
  // without default methods: making a record must not wait for the constants here
  /** Only nulls, no buffers. */
  DataType NULL = new NullType();

  /** One bit. */
  DataType BOOL = new BoolType();

  /** Signed, 8 bits. */
  IntType INT8 = new IntType(8, true);

  /** Signed, 16 bits. */
  IntType INT16 = new IntType(16, true);

  /** Signed, 32 bits. */
  IntType INT32 = new IntType(32, true);

  /** Signed, 64 bits. */
  IntType INT64 = new IntType(64, true);

  /** Unsigned, 8 bits. */
  IntType UINT8 = new IntType(8, false);

  /** Unsigned, 16 bits. */
  IntType UINT16 = new IntType(16, false);

  /** Unsigned, 32 bits. */
  IntType UINT32 = new IntType(32, false);

  /** Unsigned, 64 bits. */
  IntType UINT64 = new IntType(64, false);

  /** Floating-point, 16 bits. */
  DataType FLOAT16 = new FloatType(16);

  /** Floating-point, 32 bits. */
  DataType FLOAT32 = new FloatType(32);

  /** Floating-point, 64 bits. */
  DataType FLOAT64 = new FloatType(64);

  /** Text, with 32-bit offsets: 2 GiB in all. */
  DataType UTF8 = new Utf8Type();

  /** Text, with 64-bit offsets. */
  DataType LARGE_UTF8 = new LargeUtf8Type();

  /** Text, as 16-byte views. */
  DataType UTF8_VIEW = new Utf8ViewType();

  /** Bytes, with 32-bit offsets: 2 GiB in all. */
  DataType BINARY = new BinaryType();

  /** Bytes, with 64-bit offsets. */
  DataType LARGE_BINARY = new LargeBinaryType();

  /** Bytes, as 16-byte views. */
  DataType BINARY_VIEW = new BinaryViewType();

  /** Days, 32 bits. */
  DataType DATE32 = new DateType(DateUnit.DAY);

  /** Days as milliseconds, 64 bits. */
  DataType DATE64 = new DateType(DateUnit.MILLISECOND);

  /** Months, 32 bits. */
  DataType INTERVAL_YEAR_MONTH = new IntervalType(IntervalUnit.YEAR_MONTH);

  /** Days and milliseconds, 64 bits. */
  DataType INTERVAL_DAY_TIME = new IntervalType(IntervalUnit.DAY_TIME);

  /** Months, days and nanoseconds, 128 bits. */
  DataType INTERVAL_MONTH_DAY_NANO = new IntervalType(IntervalUnit.MONTH_DAY_NANO);

  /** Exact numbers of 1 to 9 decimal digits, {@code scale} of them after the point. */
  static DataType decimal32(int precision, int scale) {
    return new DecimalType(32, precision, scale);
  }

  /** Exact numbers of 1 to 18 decimal digits, {@code scale} of them after the point. */
  static DataType decimal64(int precision, int scale) {
    return new DecimalType(64, precision, scale);
  }

  /** Exact numbers of 1 to 38 decimal digits, {@code scale} of them after the point. */
  static DataType decimal128(int precision, int scale) {
    return new DecimalType(128, precision, scale);
  }

  /** Exact numbers of 1 to 76 decimal digits, {@code scale} of them after the point. */
  static DataType decimal256(int precision, int scale) {
    return new DecimalType(256, precision, scale);
  }

  /** Bytes, {@code width} of them in each value. */
  static DataType fixedSizeBinary(int width) {
    return new FixedSizeBinaryType(width);
  }

  /** Times of day: time32 in seconds or milliseconds, time64 in microseconds or nanoseconds. */
  static DataType time(ArrowTimeUnit unit) {
    return new TimeType(unit);
  }

  /** Points in time, to be shown in a zone; or, if that is null, dates and times without one. */
  static DataType timestamp(ArrowTimeUnit unit, @Nullable String timezone) {
    return new TimestampType(unit, timezone);
  }

  /** Lengths of time. */
  static DataType duration(ArrowTimeUnit unit) {
    return new DurationType(unit);
  }

  /** Lists of nullable items, with 32-bit offsets. */
  static DataType list(DataType item) {
    return list(Field.of("item", Objects.requireNonNull(item, "item")));
  }

  /** Lists, with 32-bit offsets. */
  static DataType list(Field item) {
    return new ListType(item);
  }

  /** Lists, with 64-bit offsets. */
  static DataType largeList(Field item) {
    return new LargeListType(item);
  }

  /** Lists, with 32-bit offsets and sizes. */
  static DataType listView(Field item) {
    return new ListViewType(item);
  }

  /** Lists, with 64-bit offsets and sizes. */
  static DataType largeListView(Field item) {
    return new LargeListViewType(item);
  }

  /** Lists of {@code size} elements each. */
  static DataType fixedSizeList(Field item, int size) {
    return new FixedSizeListType(item, size);
  }

  /** Structs of these fields, whose names may repeat. */
  static DataType struct(Field... fields) {
    return new StructType(List.of(fields));
  }

  /** Maps whose keys, which are made not nullable, are in any order. */
  static DataType map(Field key, Field value) {
    Objects.requireNonNull(value, "value");
    return new MapType(Field.of("entries", struct(key.withNullable(false), value)).withNullable(false), false);
  }

  /** For each element one of these fields, whose type ids are 0, 1, 2, …; each field has only its own elements. */
  static DataType denseUnion(Field... fields) {
    return new UnionType(UnionMode.DENSE, IntStream.range(0, fields.length).boxed().toList(), List.of(fields));
  }

  /** For each element one of these fields, whose type ids are 0, 1, 2, …; each field is as long as the union. */
  static DataType sparseUnion(Field... fields) {
    return new UnionType(UnionMode.SPARSE, IntStream.range(0, fields.length).boxed().toList(), List.of(fields));
  }

  /** Runs of equal values, which end where int16, int32 or int64 numbers say. */
  static DataType runEndEncoded(IntType runEnds, Field values) {
    return new RunEndEncodedType(Field.of("run_ends", Objects.requireNonNull(runEnds, "runEnds")).withNullable(false),
        values);
  }

  /** Indices into distinct values, whose order means nothing. */
  static DataType dictionary(IntType index, DataType values) {
    return new DictionaryType(index, Field.of("", Objects.requireNonNull(values, "values")), false);
  }

  /** The format string of the C data interface. */
  String format();

  /** The fields of the children, in order; empty for a type that has none. A dictionary is not a child. */
  List<Field> children();
}
