// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.ColumnRows;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;
import org.arbalest.device.types.NestedType;
import org.jspecify.annotations.Nullable;

/**
 * A typed view of one array's values.
 *
 * <p><b>Ownership.</b> A column is borrowed from a {@link DeviceArray}: it is valid while that handle is open, and
 * needs no release.
 *
 * <p><b>Values.</b> Rows are counted from 0; offsets of the array and of its parents are included. {@link #getLong}
 * reads any integer, date, time, timestamp or duration exactly. {@link #getDecimal} reads any integer or decimal
 * exactly. {@link #getDouble} reads any number; it rounds decimals, and integers beyond 2<sup>53</sup>, to a double.
 * {@link #getString} reads text, {@link #getBytes} text and binary, and {@link #getList} lists, in any storage form.
 * Dictionary-encoded and run-end-encoded columns read as their values. A union's row reads as a value of its own type.
 * {@code docs/types.md} has a table of all types; {@link Field#valueClass} returns the class for a type.
 *
 * <p><b>Nulls.</b> A null has no value: call {@link #isNull} first, or use {@link #get}. A null struct does not make
 * its fields null; {@link org.arbalest.device.RecordBatch#pushDownNulls} does that for a record batch.
 *
 * <p><b>Loops.</b> Typed views, such as {@link #asLongs}, are fastest in loops.
 *
 * <p><b>Threads.</b> Several threads may read one column, or one handle, at a time. A read after the handle was closed,
 * moved or exported throws. A read during the close may access freed memory and end the process, because a check for
 * each read would cost more than the read. The closing thread must therefore wait for the readers. A thread that may
 * read later than that uses its own handle, from {@link DeviceArray#retain}, and closes it.
 *
 * <p><b>Errors.</b> The getters throw {@link IllegalStateException} after the handle was closed, and
 * {@link IndexOutOfBoundsException} for a row outside the column. They throw {@link java.util.NoSuchElementException}
 * for a null, with the column and the row (READ-50). They throw {@link IllegalArgumentException} for a type that they
 * do not read; the message names the getters that do. They throw {@link DeviceException} if the CPU cannot read the
 * buffers.
 *
 * <p>The getters follow a producer's offsets, sizes, indices, type ids and run ends only within the known bounds. One
 * that leads beyond is a {@link DeviceException} with the column, the row and the numbers. For an element of a list,
 * the row is that of {@link #items}.
 */
public sealed interface Column permits ColumnRows {
  /** Returns the field of this column. */
  Field field();

  /** Returns the field's name. */
  String name();

  /** Returns the number of rows. */
  long length();

  /**
   * Returns the number of rows for which {@link #isNull} is true. It counts them now if the producer did not. It also
   * counts them for dictionaries, unions and run-end-encoded types: their nulls are those of other values, and the C
   * interface has none for them (ARR-06).
   */
  long nullCount();

  /**
   * Returns whether a row is null. A row of a dictionary, a union or a run-end-encoded type is also null if its value
   * is.
   */
  boolean isNull(long row);

  /** Returns a boolean of bool or {@link Extension.Bool8}. */
  boolean getBoolean(long row);

  /** Returns an integer, or the stored number of a date, time, timestamp or duration; for uint64 its 64 bits. */
  long getLong(long row);

  /**
   * Returns {@link #getLong} as an {@code int}.
   *
   * @throws ArithmeticException if the number does not fit
   */
  int getInt(long row);

  /** Returns a floating-point number; an integer or a decimal is rounded to the nearest one. */
  double getDouble(long row);

  /**
   * Returns a decimal, exactly; an integer is converted. It also reads text whose {@link Extension.Opaque} is named
   * {@code numeric}, which ADBC's driver of PostgreSQL delivers.
   *
   * @throws ArithmeticException if that text is NaN, an infinity or no number
   */
  BigDecimal getDecimal(long row);

  /** Returns text. */
  String getString(long row);

  /** Returns a copy of the bytes of a text or binary value. */
  byte[] getBytes(long row);

  /**
   * Returns a date of date32 or date64.
   *
   * @throws ArithmeticException if {@code java.time} cannot represent it
   */
  LocalDate getLocalDate(long row);

  /**
   * Returns a time of day.
   *
   * @throws ArithmeticException if the stored number is not within a day
   */
  LocalTime getLocalTime(long row);

  /**
   * Returns a timestamp. One without a zone is taken as UTC.
   *
   * @throws ArithmeticException if {@code java.time} cannot represent it
   */
  Instant getInstant(long row);

  /**
   * Returns a timestamp without its zone. One with a zone has its date and time in UTC.
   *
   * @throws ArithmeticException if {@code java.time} cannot represent it
   */
  LocalDateTime getLocalDateTime(long row);

  /**
   * Returns a timestamp in the zone of its type.
   *
   * @throws IllegalArgumentException if the type has no zone, or one that {@code java.time} does not know
   * @throws ArithmeticException if {@code java.time} cannot represent it
   */
  ZonedDateTime getZonedDateTime(long row);

  /** Returns a duration. */
  Duration getDuration(long row);

  /** Returns an interval of months. */
  Period getPeriod(long row);

  /** Returns an interval of any kind: months; days and milliseconds; or months, days and nanoseconds. */
  Interval getInterval(long row);

  /** Returns the elements of one list as a column. For a map these are its entries, each a struct of key and value. */
  Column getList(long row);

  /**
   * Returns a map, in the order of its entries. Keys have the classes of {@link #get}; keys that are bytes are thus
   * equal only to themselves.
   *
   * @throws IllegalArgumentException if a key occurs twice, which Arrow permits: {@link #getList} and {@link #get}
   *     return all entries
   */
  Map<@Nullable Object, @Nullable Object> getMap(long row);

  /** Returns a UUID of {@link Extension.Uuid}. */
  UUID getUuid(long row);

  /**
   * Returns a point in time with its offset from UTC, of {@link Extension.TimestampWithOffset}.
   *
   * @throws ArithmeticException if {@code java.time} cannot represent the time or the offset
   */
  OffsetDateTime getOffsetDateTime(long row);

  /** Returns a tensor of {@link Extension.FixedShapeTensor} or {@link Extension.VariableShapeTensor}. */
  Tensor getTensor(long row);

  /** Returns the type id of a union's row: one of {@link NestedType.UnionType#typeIds}, for the type of its value. */
  int getTypeId(long row);

  /** Returns the row of a union's value in the {@link #column(int) column} of its type. */
  long getChildRow(long row);

  /**
   * Returns the value as an object, or null. Each type has one class ({@link Field#valueClass}):
   *
   * <ul>
   *   <li>Boolean, Double, String and byte[] for booleans, floating-point numbers, text and binary;
   *   <li>Long for integers, dates, times, timestamps and durations;
   *   <li>BigDecimal for decimals and uint64;
   *   <li>Period for intervals of months, and {@link Interval} for other intervals;
   *   <li>a List of such values for a list, a List of {@link Map.Entry} for a map, and a Map by name for a struct;
   *   <li>the class of its own type for a union's row;
   *   <li>UUID for {@code arrow.uuid}, Boolean for {@code arrow.bool8}, and the codec's value for an extension type
   *       with a {@linkplain org.arbalest.device.objects.ExtensionCodec#register registered} codec; any other extension
   *       type has the class of its {@link #storage}.
   * </ul>
   *
   * <p>Null elements are null.
   *
   * @throws IllegalArgumentException for a struct with two fields of the same name; the message has the name
   */
  @Nullable
  Object get(long row);

  /**
   * Returns {@link #get(long)} of all rows as a list. The caller owns the list; it stays valid after the handle is
   * closed.
   */
  List<@Nullable Object> toList();

  /**
   * Returns all values of a column that {@link #getLong} reads.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  long[] toLongArray();

  /** Returns all values of a column that {@link #getLong} reads, with {@code ifNull} in place of nulls. */
  long[] toLongArray(long ifNull);

  /**
   * Returns all values of a column that {@link #getDouble} reads.
   *
   * @throws java.util.NoSuchElementException if a row is null; the message has the row
   */
  double[] toDoubleArray();

  /** Returns all values of a column that {@link #getDouble} reads, with {@code ifNull} in place of nulls. */
  double[] toDoubleArray(double ifNull);

  /**
   * Returns a view of 64-bit integers, for loops; see {@link ColumnView}. The view also reads the dates, times,
   * timestamps and durations that 64 bits store. A uint64 reads as its bits, a decimal64 as its unscaled number; see
   * {@link LongView}. Each view reads one width; {@link #getLong} and {@link #toLongArray()} read any width.
   *
   * @throws IllegalArgumentException if the values have another storage form; the message names the view for it
   * @throws IllegalStateException if the array is closed, or not ready: {@link DeviceArray#synchronize} waits for it
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read the buffers
   */
  default LongView asLongs() {
    return new LongView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 32-bit integers, dates and times; a uint32 reads as its bits. See {@link #asLongs}. */
  default IntView asInts() {
    return new IntView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 16-bit integers; see {@link #asLongs}. */
  default ShortView asShorts() {
    return new ShortView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 8-bit integers; see {@link #asLongs}. */
  default ByteView asBytes() {
    return new ByteView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 64-bit floating-point numbers; see {@link #asLongs}. */
  default DoubleView asDoubles() {
    return new DoubleView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 32-bit floating-point numbers; see {@link #asLongs}. */
  default FloatView asFloats() {
    return new FloatView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of 16-bit floating-point numbers; see {@link #asLongs}. */
  default HalfFloatView asHalfFloats() {
    return new HalfFloatView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of booleans; see {@link #asLongs}. */
  default BooleanView asBooleans() {
    return new BooleanView(ColumnImpl.unwrap(this));
  }

  /** Returns a view of text and binary as bytes, without a String for each value; see {@link #asLongs}. */
  default ByteStringView asByteStrings() {
    return new ByteStringView(ColumnImpl.unwrap(this));
  }

  /**
   * Returns the field of a struct or a union at a position. A struct's field has the same rows. A union's field has the
   * rows that {@link #getChildRow} returns; in a dense union these are all elements of the field, in stored order.
   */
  Column column(int index);

  /**
   * Returns the field of a struct or a union with a name; see {@link #column(int)}.
   *
   * @throws IllegalArgumentException if no field, or more than one, has this name: the message lists the fields
   */
  Column column(String name);

  /** Returns this column as its storage type, if it is of an extension type; otherwise itself. */
  Column storage();

  /** Returns all elements of all lists, in stored order, including elements to which no list refers. */
  Column items();

  /**
   * Returns the runs of a run-end-encoded column. The column's own getters also find the run of a row: the next run at
   * once, any other by binary search.
   */
  Runs runs();

  /**
   * Returns the values to which the indices of a dictionary-encoded column refer. A value may be null, or occur twice,
   * and another batch may have other values.
   */
  Column dictionary();

  /**
   * Returns the indices of a dictionary-encoded column, as a column of integers of any width. {@code getLong} reads all
   * widths, {@link #asInts} only int32, and uint32 as its bits.
   *
   * <p>A row is also null where its value in the {@link #dictionary} is null. {@code isNull} of this column includes
   * that, and looks up the value of each row. {@code isNull} of the indices does not. In a loop, ask the view of the
   * indices whether a row is null. After the loop, drop the results for dictionary values that are null.
   *
   * <p>Imported indices are not checked: an index may be negative, or beyond the end of the dictionary. Check them
   * once by {@link DeviceArray#validate} or an import, with {@link org.arbalest.device.Validation#FULL}.
   */
  Column indices();

  /**
   * Returns the values' buffer as a read-only segment, from the first row on: for types of fixed width, and the bytes
   * of text and binary. The segment keeps the array until the arena is closed, and is thus safe for as long as it can
   * be used.
   */
  MemorySegment segment(Arena arena);

  /**
   * Returns the number of the array's buffers in the C interface. If the type has a bitmap, that is the first buffer.
   */
  int bufferCount();

  /**
   * Returns a buffer's device pointer, for native code and kernels, or 0 for an absent buffer. This column begins at
   * {@link #offset} in it. The caller first waits for the array's event, and keeps the array alive during the use
   * ({@link DeviceStream#keepAlive(DeviceArray)}).
   *
   * @param index the buffer's position in the order of the columnar format
   */
  long bufferAddress(int index);

  /** Returns the position of row 0 in the buffers, in elements. */
  long offset();
}
