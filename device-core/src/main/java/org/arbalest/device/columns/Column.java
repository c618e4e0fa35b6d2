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
 * A typed view of one array's values. Borrowed from a {@link DeviceArray}: it can be used while that handle is open,
 * and has nothing to close.
 *
 * <p>Rows run from 0; an offset of the array or of its parents is accounted for. {@link #getLong} reads any integer,
 * date, time, timestamp or duration, exactly; {@link #getDecimal} any integer or decimal, exactly; {@link #getDouble}
 * any number, rounded to a double if it is none: integers beyond 2<sup>53</sup>, decimals. {@link #getString} reads
 * text, {@link #getBytes} text and binary, {@link #getList} lists, however they are stored. What is encoded reads as
 * its values do: by a dictionary, in run-ends; a union's row reads as a value of the type that it has. The table of all
 * types is in {@code docs/types.md}; {@link Field#valueClass} has it, too.
 *
 * <p>A null has no value: ask {@link #isNull} first, or use {@link #get}. A child's own nulls are its own: a null
 * struct does not make its fields null; {@link DeviceArray#pushDownNulls} does, for a record batch. For loops there are
 * typed views, such as {@link #asLongs}.
 *
 * <p>What a producer wrote into the buffers is followed only within what is known to be there: offsets, sizes, indices,
 * type ids and run ends that lead beyond are a {@link DeviceException} which names the column, the row and the numbers;
 * elements of lists by their row in {@link #items}.
 *
 * <p><b>Threads.</b> Several may read one column, or one handle, at a time. A read after the handle was closed, moved
 * or exported throws; while it is, the memory may be gone, and the process with it: checks on each read would cost more
 * than the read. So whoever closes waits for those who read; a thread that may outlive that close reads through a
 * handle of its own, by {@link DeviceArray#retain}, which it closes itself.
 *
 * <p>The getters throw {@link IllegalStateException} after the handle was closed, {@link IndexOutOfBoundsException} for
 * a row that is not there, {@link java.util.NoSuchElementException} for one that is null, with the column and the row
 * (READ-50), {@link IllegalArgumentException} for a type that they do not read, which names those that do,
 * {@link DeviceException} where the CPU cannot read the buffers.
 */
public sealed interface Column permits ColumnRows {
  /** The field that this column is of. */
  Field field();

  /** The field's name. */
  String name();

  /** The number of rows. */
  long length();

  /**
   * The number of rows that {@link #isNull} is true of; counted now where the producer did not, and where the nulls are
   * those of other values: with a dictionary, in unions and in run-ends, which in C have none themselves (ARR-06).
   */
  long nullCount();

  /** Whether a row is null: itself, or the value that it stands for, in a dictionary, a union or run-ends. */
  boolean isNull(long row);

  /** A boolean, of bool or {@link Extension.Bool8}. */
  boolean getBoolean(long row);

  /** An integer, or the number that a date, time, timestamp or duration is stored as; uint64 as its 64 bits. */
  long getLong(long row);

  /** {@link #getLong}, if it fits an {@code int}. */
  int getInt(long row);

  /** A floating-point number, or an integer or a decimal as the nearest one. */
  double getDouble(long row);

  /** A decimal number, exactly, or an integer as one. */
  BigDecimal getDecimal(long row);

  /** Text. */
  String getString(long row);

  /** A copy of the bytes of a text or binary value. */
  byte[] getBytes(long row);

  /** A date, of date32 or date64; {@link ArithmeticException} for one that {@code java.time} has not. */
  LocalDate getLocalDate(long row);

  /** A time of day; {@link ArithmeticException} for what is none. */
  LocalTime getLocalTime(long row);

  /**
   * A timestamp: with a zone, or without one as if in UTC; {@link ArithmeticException} for one that {@code java.time}
   * has not.
   */
  Instant getInstant(long row);

  /**
   * A timestamp without a zone, or one with a zone as it is in UTC; {@link ArithmeticException} for one that
   * {@code java.time} has not.
   */
  LocalDateTime getLocalDateTime(long row);

  /**
   * A timestamp with a zone, in it.
   *
   * @throws IllegalArgumentException if there is no zone, or none that {@code java.time} knows by this name
   * @throws ArithmeticException for one that {@code java.time} has not
   */
  ZonedDateTime getZonedDateTime(long row);

  /** A duration. */
  Duration getDuration(long row);

  /** An interval of months. */
  Period getPeriod(long row);

  /** An interval of any kind: of months, of days and milliseconds, of months, days and nanoseconds. */
  Interval getInterval(long row);

  /** The elements of one list, as a column of their own; of a map its entries, a struct of the key and the value. */
  Column getList(long row);

  /**
   * A map, in the order of its entries. Keys are as {@link #get} has them; bytes are equal to no others then.
   *
   * @throws IllegalArgumentException if a key is there twice, which Arrow does not forbid: {@link #getList} and
   *     {@link #get} have all entries
   */
  Map<@Nullable Object, @Nullable Object> getMap(long row);

  /** A UUID, of {@link Extension.Uuid}. */
  UUID getUuid(long row);

  /**
   * A point in time with its offset from UTC, of {@link Extension.TimestampWithOffset}.
   *
   * @throws ArithmeticException for a time or an offset that {@code java.time} has not
   */
  OffsetDateTime getOffsetDateTime(long row);

  /** A tensor, of {@link Extension.FixedShapeTensor} or {@link Extension.VariableShapeTensor}. */
  Tensor getTensor(long row);

  /** The type id of a union's row: which of {@link NestedType.UnionType#typeIds} its value is of. */
  int getTypeId(long row);

  /** Where the value of a union's row is in the {@link #column(int) column} of its type. */
  long getChildRow(long row);

  /**
   * The value as an object, or null. For each type it is of one class ({@link Field#valueClass}): Boolean; Long for
   * integers, dates, times, timestamps and durations; BigDecimal for decimals and uint64; Double; String; byte[];
   * Period for months and {@link Interval} for other intervals; a List of such for a list; a List of {@link Map.Entry}
   * for a map; a Map by name for a struct. A union's row is what its type is. Nulls of the elements are null. Of
   * extension types UUID for {@code arrow.uuid}, Boolean for {@code arrow.bool8}, what a {@linkplain
   * org.arbalest.device.objects.ExtensionCodec#register registered} codec reads; any other is as its {@link #storage}.
   *
   * @throws IllegalArgumentException for a struct two of whose fields have the same name; says which
   */
  @Nullable
  Object get(long row);

  /**
   * What {@link #get(long)} answers for each row, null for a null: a list of its own, which stays when the handle is
   * closed.
   */
  List<@Nullable Object> toList();

  /**
   * All values of a column that {@link #getLong} reads.
   *
   * @throws java.util.NoSuchElementException if there is a null; says in which row
   */
  long[] toLongArray();

  /** All values of a column that {@link #getLong} reads, another for the nulls. */
  long[] toLongArray(long ifNull);

  /**
   * All values of a column that {@link #getDouble} reads.
   *
   * @throws java.util.NoSuchElementException if there is a null; says in which row
   */
  double[] toDoubleArray();

  /** All values of a column that {@link #getDouble} reads, another for the nulls. */
  double[] toDoubleArray(double ifNull);

  /**
   * The values as they are stored, for loops: see {@link ColumnView}. Each view reads one width; {@link #getLong} and
   * {@link #toLongArray()} read any.
   *
   * @throws IllegalArgumentException if the values are stored otherwise; says which view has them
   * @throws IllegalStateException if the array was closed, or is not ready: {@link DeviceArray#synchronize} waits
   * @throws DeviceException with {@code ENOSYS} where the CPU cannot read the buffers
   */
  default LongView asLongs() {
    return new LongView(ColumnImpl.unwrap(this));
  }

  /** 32-bit integers, dates, times; see {@link #asLongs}. */
  default IntView asInts() {
    return new IntView(ColumnImpl.unwrap(this));
  }

  /** 16-bit integers; see {@link #asLongs}. */
  default ShortView asShorts() {
    return new ShortView(ColumnImpl.unwrap(this));
  }

  /** 8-bit integers; see {@link #asLongs}. */
  default ByteView asBytes() {
    return new ByteView(ColumnImpl.unwrap(this));
  }

  /** 64-bit floating-point numbers; see {@link #asLongs}. */
  default DoubleView asDoubles() {
    return new DoubleView(ColumnImpl.unwrap(this));
  }

  /** 32-bit floating-point numbers; see {@link #asLongs}. */
  default FloatView asFloats() {
    return new FloatView(ColumnImpl.unwrap(this));
  }

  /** 16-bit floating-point numbers; see {@link #asLongs}. */
  default HalfFloatView asHalfFloats() {
    return new HalfFloatView(ColumnImpl.unwrap(this));
  }

  /** Booleans; see {@link #asLongs}. */
  default BooleanView asBooleans() {
    return new BooleanView(ColumnImpl.unwrap(this));
  }

  /** Text and binary as their bytes, without a String; see {@link #asLongs}. */
  default ByteStringView asByteStrings() {
    return new ByteStringView(ColumnImpl.unwrap(this));
  }

  /**
   * The field of a struct at a position, as a column of the same rows; of a union, of the rows that
   * {@link #getChildRow} says: of a dense one, all elements of this field, in the order they are stored.
   */
  Column column(int index);

  /**
   * The field of a struct or a union with this name, as {@link #column(int)} has it.
   *
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  Column column(String name);

  /** This column as what its values are stored as, if it is of an extension type; else itself. */
  Column storage();

  /** All elements of all lists, in the order they are stored; also those that no list refers to. */
  Column items();

  /**
   * The runs of a run-end-encoded column. Its getters find the run of a row, too: the next one at once, any other by
   * binary search.
   */
  Runs runs();

  /**
   * The values that the indices of a dictionary-encoded column point to. One may be null, or there twice, and another
   * batch may have others.
   */
  Column dictionary();

  /**
   * The indices of a dictionary-encoded column, as a column of integers of any width: {@code getLong} reads them all,
   * {@link #asInts} only int32. A row is also null where its value in the {@link #dictionary} is: {@code isNull} of
   * this column knows, that of the indices does not. Indices that came from C are as C gave them, unless they were
   * imported with {@link org.arbalest.device.Validation#FULL}.
   */
  Column indices();

  /**
   * The values' buffer as a read-only segment, from the first row on: for types of fixed width, and the bytes of text
   * and binary. The array is retained until the arena is closed, so that the segment is safe for as long as it can be
   * used.
   */
  MemorySegment segment(Arena arena);

  /**
   * The number of the array's buffers in the C interface, in its order: where the type has a bitmap, that is the first.
   */
  int bufferCount();

  /**
   * A buffer's device pointer, for native code and kernels, or 0 where there is none; {@link #offset} says where in it
   * this column begins. For whoever waits for the array's event first, and keeps it alive meanwhile
   * ({@link DeviceStream#keepAlive(DeviceArray)}).
   *
   * @param index the buffer's place in the columnar format's order
   */
  long bufferAddress(int index);

  /** The element of the buffers that is row 0. */
  long offset();
}
