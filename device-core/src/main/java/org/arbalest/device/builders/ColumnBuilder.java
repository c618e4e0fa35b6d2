// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZonedDateTime;
import java.util.UUID;
import java.util.function.IntPredicate;
import org.arbalest.device.columns.ByteStringView;
import org.arbalest.device.internal.build.ColumnBuilderImpl;
import org.arbalest.device.internal.read.ByteStringsAccess;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;

/**
 * A builder of one column, which appends its values in order. It belongs to a {@link BatchBuilder}, which frees it. Not
 * thread-safe.
 *
 * <p><b>Values.</b> Each method appends to some types:
 *
 * <ul>
 *   <li>{@code append(long)}: integers; dates, times, timestamps, durations and year_month intervals, in the type's
 *       unit; floating-point numbers and decimals, if they are this number exactly;
 *   <li>{@code append(double)}: floating-point numbers; {@code append(BigDecimal)}: decimals;
 *   <li>{@code append(String)}: text; {@code append(byte[])}: binary; {@code append(MemorySegment)}: both;
 *   <li>{@code append(Interval)}: intervals; {@code append(LocalDate)} and other classes of {@code java.time}: their
 *       types;
 *   <li>{@link #appendList}: lists of all kinds; {@link #appendMap}: maps; {@link #appendStruct}: structs;
 *       {@link #appendUnion(int)}: unions; {@link #appendRun}: run-end-encoded types;
 *   <li>{@code append(UUID)}, {@code append(OffsetDateTime)}, {@link #appendTensor} and the append method of a codec:
 *       extension types, which also accept the values of their storage.
 * </ul>
 *
 * <p>A dictionary and a run-end-encoded type accept the values of their value type, one at a time or as an array of
 * numbers. They do not accept lists by several sizes or by offset, union elements by type ids, or values in the form of
 * Arrow's buffers. A dictionary stores each value once. A value equal to the previous one extends a run. Floating-point
 * numbers are equal if their bits are.
 *
 * <p><b>Errors.</b> An append of another type throws {@link IllegalArgumentException}; the message has the column's
 * path, its type and the methods that append to it. A value that the type cannot represent throws it too, with the row
 * and the value. Examples are 300 in int8, 16777217 in float32, 25 hours in time32, half a day in date64, text with
 * half a surrogate pair, and two elements in a list of three. Times and date64 in an array of the stored width are
 * checked when the batch is built, because rows that {@link #setNulls} makes null may have any content.
 *
 * <p><b>Nested values.</b> The parts of a nested value have builders of their own: {@link #items}, {@link #child},
 * {@link #keys}, {@link #values}. Append the parts before the value or after it. In a dictionary ({@link #dictionary})
 * and in a run-end-encoded type, append them before it. If the value is then rejected, the parts stay for another
 * attempt or the next value.
 *
 * <p>Append a struct's fields for each row, also for a null row. {@link #appendNull} itself appends all other parts of
 * a null: in lists of a fixed size, unions and run-end-encoded types. The parts of the previous rows must be complete
 * by then, neither fewer nor more.
 *
 * <p>Each part has one builder for as long as its column is built. Get it once, before the loop; {@link #child(String)}
 * searches for the name each time. A method that changes the type, such as {@link #items(Field)}, replaces the builder.
 * An append to the former builder is then an error when the batch is built.
 *
 * <p><b>Failed appends.</b> An append that throws leaves the builder unchanged (OWN-15). Only if memory runs out can
 * the batch no longer be built.
 */
public sealed interface ColumnBuilder permits ColumnBuilderImpl {
  /** Returns the field of this column. The type of a struct or list that still grows has its present parts. */
  Field field();

  /** Returns the number of values appended. */
  long length();

  /**
   * Appends a null. The fields of a null struct must be appended too; {@link #appendNullWithParts} appends them itself.
   */
  ColumnBuilder appendNull();

  /**
   * Appends several nulls, each as {@link #appendNull} does. For values with one width or with offsets, it is one
   * operation.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  ColumnBuilder appendNulls(long count);

  /**
   * Makes each value null, of those appended so far, for whose position the predicate returns true. If the predicate
   * throws, no value changes. Not for unions and run-end-encoded types: their nulls are those of their parts.
   */
  ColumnBuilder setNulls(IntPredicate isNull);

  /**
   * Makes values appended so far null by a validity bitmap, from a value on. The bitmap has Arrow's form: least
   * significant bit first, a set bit for a valid value. A value that is null already stays null. Not for unions and
   * run-end-encoded types, as in {@link #setNulls(IntPredicate)}.
   *
   * <pre>{@code column.appendAll(page).setNulls(column.length() - rows, bits, 0)}</pre>
   *
   * @param from the position of the first value that has a bit; every later value has one too
   * @param validity memory, on the heap or not; only the bytes of these bits are read
   * @param bitOffset the position of the first value's bit
   * @throws IndexOutOfBoundsException if no such value exists, or the bitmap has too few bits
   */
  ColumnBuilder setNulls(long from, MemorySegment validity, long bitOffset);

  /** Appends a boolean to bool or {@link Extension.Bool8}. */
  ColumnBuilder append(boolean value);

  /**
   * Appends an integer, or the stored number of a date, time, timestamp or duration. For uint64, the argument has its
   * 64 bits. A floating-point type or a decimal accepts it if no digit is lost.
   */
  ColumnBuilder append(long value);

  /** Appends a floating-point number; a narrower type rounds it to the nearest. */
  ColumnBuilder append(double value);

  /** Appends a decimal, which must fit the type's precision and scale exactly. */
  ColumnBuilder append(BigDecimal value);

  /** Appends text. */
  ColumnBuilder append(String value);

  /** Appends bytes. */
  ColumnBuilder append(byte[] value);

  /** Appends bytes from memory; for text they must be UTF-8. */
  ColumnBuilder append(MemorySegment value);

  /**
   * Appends an interval. A year_month interval has only months, and a day_time interval has days and whole
   * milliseconds; all other parts must be 0.
   */
  ColumnBuilder append(Interval value);

  /** Appends a date. Like all values of {@code java.time}, it is stored exactly or rejected. */
  ColumnBuilder append(LocalDate value);

  /**
   * Appends a time of day. A time that the unit cannot represent is rejected, not rounded;
   * {@code value.truncatedTo(ChronoUnit.MICROS)} rounds it.
   */
  ColumnBuilder append(LocalTime value);

  /** Appends a date and time to a timestamp without a zone; see {@link #append(LocalTime)}. */
  ColumnBuilder append(LocalDateTime value);

  /** Appends a point in time to a timestamp with a zone; see {@link #append(LocalTime)}. */
  ColumnBuilder append(Instant value);

  /**
   * Appends the point in time of a date and time with a zone, to a timestamp with a zone. The column keeps its own
   * zone. See {@link #append(LocalTime)}.
   */
  ColumnBuilder append(ZonedDateTime value);

  /** Appends a duration; see {@link #append(LocalTime)}. */
  ColumnBuilder append(Duration value);

  /** Appends a period to an interval type that has its parts. A year is 12 months. */
  ColumnBuilder append(Period value);

  /** Appends a UUID to {@link Extension.Uuid}. */
  ColumnBuilder append(UUID value);

  /**
   * Appends a timestamp with its offset in whole minutes, and all its parts, to {@link Extension.TimestampWithOffset}.
   * For a null with its parts, use {@link #appendNullWithParts}. A time that the unit cannot represent is rejected, not
   * rounded.
   */
  ColumnBuilder append(OffsetDateTime value);

  /**
   * Appends a tensor to {@link Extension.FixedShapeTensor} or {@link Extension.VariableShapeTensor}. It consists of the
   * next elements of {@link #items}, or of {@code child("data")}, in row-major order. Append these elements before this
   * call or after it.
   *
   * @param shape the sizes of the dimensions
   */
  ColumnBuilder appendTensor(int... shape);

  /**
   * Appends a null with all its parts. For a struct this includes the parts that {@link #appendNull} leaves to the
   * {@link #child} builders.
   */
  ColumnBuilder appendNullWithParts();

  /**
   * Appends the stored text or bytes of another column's row, as {@link #append(MemorySegment)} does; a null as a null.
   */
  default ColumnBuilder append(ByteStringView values, long row) {
    try {
      return values.isNull(row) ? appendNull() : append(ByteStringsAccess.bytesAt(values, row));
    } finally {
      Reference.reachabilityFence(values);
    }
  }

  /**
   * Appends a list: the next {@code size} elements of {@link #items}, appended before this call or after it. A null in
   * a list of a fixed size also has elements, which {@link #appendNull} appends. The elements of the previous rows must
   * be complete by then.
   */
  ColumnBuilder appendList(int size);

  /** Appends one list for each of these sizes, as {@link #appendList(int)} does. */
  ColumnBuilder appendLists(int[] sizes);

  /**
   * Appends a list-view, whose elements may also belong to other values: {@code size} elements of {@link #items}, from
   * the position {@code offset} on.
   */
  ColumnBuilder appendListView(long offset, int size);

  /**
   * Appends a map: the next {@code size} elements of {@link #keys}, which must not be null, and of {@link #values}. The
   * library does not check that keys differ or are sorted.
   */
  ColumnBuilder appendMap(int size);

  /** Appends a struct. Append its fields to the {@link #child} builders before this call or after it. */
  ColumnBuilder appendStruct();

  /**
   * Appends an element of a union, of the child at a position: the next value of {@link #child(int)}. In a sparse union
   * all children have all rows; this method appends the other children's rows, unless they were appended before. A
   * union has no nulls of its own: {@link #appendNull} appends one to the first nullable child.
   */
  ColumnBuilder appendUnion(int child);

  /** Appends an element of a union, of the child with a name; see {@link #appendUnion(int)}. */
  ColumnBuilder appendUnion(String child);

  /** Appends elements of a union, by the type ids of their children. */
  ColumnBuilder appendUnions(byte[] typeIds);

  /** Appends a run of at least one row: the next value of {@link #values}, {@code count} times. */
  ColumnBuilder appendRun(long count);

  /** Returns the builder of a list's elements. */
  ColumnBuilder items();

  /**
   * Replaces the field of a list's elements, and returns their builder.
   *
   * @throws IllegalStateException if elements were appended
   */
  ColumnBuilder items(Field item);

  /** Returns the builder of a map's keys. */
  ColumnBuilder keys();

  /** Replaces the field of a map's keys, and returns their builder; see {@link #items(Field)}. */
  ColumnBuilder keys(Field key);

  /** Returns the builder of the values of a map or of a run-end-encoded type. */
  ColumnBuilder values();

  /** Replaces the field of the values, and returns their builder; see {@link #items(Field)}. */
  ColumnBuilder values(Field value);

  /**
   * Returns the builder of a dictionary's values. Use it for the parts of nested values, or to fill the dictionary for
   * {@link #appendIndex}. Values that it appends are not compared with existing values.
   */
  ColumnBuilder dictionary();

  /** Replaces the field of a dictionary's values, and returns their builder; see {@link #items(Field)}. */
  ColumnBuilder dictionary(Field value);

  /** Appends the value at a position of the {@link #dictionary}. */
  ColumnBuilder appendIndex(long index);

  /** Appends the values at several positions of the {@link #dictionary}. */
  ColumnBuilder appendIndices(int[] indices);

  /**
   * Makes a dictionary's indices wider when the number of values exceeds their range. Without this call such values are
   * rejected. {@link #field} has the present width.
   */
  ColumnBuilder growIndices();

  /**
   * Sets the largest size, in bytes, of a buffer that views of text or binary share; the default is 1 MiB. A longer
   * value has a buffer of its own.
   */
  ColumnBuilder viewBufferSize(int bytes);

  /**
   * Returns the builder of the field with a name, of a struct or a union. It is always the same object: get it once.
   *
   * @throws IllegalArgumentException if no field, or more than one, has this name: the message lists the fields
   */
  ColumnBuilder child(String name);

  /** Returns the builder of the field at a position, of a struct or a union. */
  ColumnBuilder child(int index);

  /** Adds a field to a struct's or a union's type, and returns its builder. In a union it has the next type id. */
  ColumnBuilder addChild(Field child);

  /** Appends all values of an array, in one copy if the type stores them in this form. */
  ColumnBuilder appendAll(boolean[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(long)} does.
   */
  ColumnBuilder appendAll(byte[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(long)} does.
   */
  ColumnBuilder appendAll(short[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(long)} does.
   */
  ColumnBuilder appendAll(int[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(long)} does.
   */
  ColumnBuilder appendAll(long[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(double)} does.
   */
  ColumnBuilder appendAll(float[] values);

  /**
   * Appends all values of an array, in one copy if the type stores them in this form; otherwise each as
   * {@link #append(double)} does.
   */
  ColumnBuilder appendAll(double[] values);

  /**
   * Appends values of fixed width in the form of Arrow's buffers, without gaps, in one copy. Only the size is checked.
   *
   * @param stored memory, on the heap or not; its size is a multiple of the type's width
   */
  ColumnBuilder appendAll(MemorySegment stored);

  /**
   * Appends text or binary with offsets in the form of Arrow's buffers. The bytes between the first and the last offset
   * are copied in one operation.
   *
   * @param offsets offsets of the type's width, one more than values; they do not decrease, and lead into {@code data};
   *     the first need not be 0
   * @param data the bytes of the values; for text, UTF-8
   */
  ColumnBuilder appendAll(MemorySegment offsets, MemorySegment data);
}
