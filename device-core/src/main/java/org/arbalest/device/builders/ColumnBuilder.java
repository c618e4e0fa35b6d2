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
 * Appends the values of one column, in order. Belongs to a {@link BatchBuilder}, which frees it; not for several
 * threads at once.
 *
 * <p>What fits which type: {@code append(long)} integers, dates, times, timestamps, durations and year_month intervals
 * (in the type's unit), and floats and decimals that are this number exactly; {@code append(double)} floats;
 * {@code append(BigDecimal)} decimals; {@code append(String)} text; {@code append(byte[])} binary;
 * {@code append(MemorySegment)} both; {@code append(Interval)} intervals; {@code append(LocalDate)} and its like what
 * they are; {@link #appendList} lists of all kinds; {@link #appendMap} maps; {@link #appendStruct} structs;
 * {@link #appendUnion(int)} unions; {@link #appendRun} run-ends. A dictionary and run-ends take what their values do,
 * one value at a time or an array of numbers: a dictionary keeps each value once, and a value like the one before makes
 * a run longer. Floats are alike bit by bit. Lists by several sizes or by offset, union elements by type ids, and
 * values as Arrow's buffers store them are not among that. An extension type takes what its storage does, and its own:
 * {@code append(UUID)}, {@code append(OffsetDateTime)}, {@link #appendTensor}, values that a codec writes.
 *
 * <p>Anything else is an {@link IllegalArgumentException} that names the column by its path, its type and what appends
 * to it, and so is, with the row and the value, a value that the type does not have: 300 in int8, 16777217 in float32,
 * 25 hours in time32, half a day in date64, text with half a surrogate pair, two elements in a list of three. Times and
 * date64 in an array of the stored width are looked at when the batch is built: rows that {@link #setNulls} makes null
 * may hold anything.
 *
 * <p>The parts of a nested value are appended to builders of their own ({@link #items}, {@link #child}, {@link #keys},
 * {@link #values}), before the value or after it; in a dictionary ({@link #dictionary}) and in run-ends before it, and
 * there they stay if the value is refused, for another try or the next one. A struct's fields are appended for each
 * row, a null one too. All other parts of a null, where it has some, are made by {@link #appendNull}: in lists of a
 * fixed size, unions and run-ends. So those of the rows before must have been appended by then, neither fewer nor more.
 *
 * <p>A part's builder is one object for as long as its column is built: fetch it once, before the loop, and append
 * through it; {@link #child(String)} looks for the name each time. Only where the type is said anew, as by
 * {@link #items(Field)}, another one takes its place, and what is appended to the former is an error when the batch is
 * built.
 *
 * <p>Whatever is appended is appended as a whole or, if it throws, not at all: the builder is then as it was (OWN-15).
 * Only where memory runs out can the batch not be built any more.
 */
public sealed interface ColumnBuilder permits ColumnBuilderImpl {
  /** The field that is built; of a struct or list whose type is still growing, as far as it is known. */
  Field field();

  /** How many values were appended. */
  long length();

  /** Appends a null; of a struct's, the fields are appended too, or all at once by {@link #appendNullWithParts}. */
  ColumnBuilder appendNull();

  /**
   * Appends several nulls, each as {@link #appendNull} does; all at once where values have one width, or offsets.
   *
   * @throws IllegalArgumentException if the number is negative
   */
  ColumnBuilder appendNulls(long count);

  /**
   * Makes those of the values appended so far null for which the predicate of their position is true; none if it
   * throws. Not for unions and run-ends, whose nulls are those of what they are made of.
   */
  ColumnBuilder setNulls(IntPredicate isNull);

  /**
   * Makes those of the values appended so far null, from some one on, whose bit in a validity bitmap is not set, as
   * Arrow has it: least significant bit first, a set one for a value that is valid. What is null already stays so. Not
   * for unions and run-ends, as {@link #setNulls(IntPredicate)}.
   *
   * <pre>{@code column.appendAll(page).setNulls(column.length() - rows, bits, 0)}</pre>
   *
   * @param from the position of the first value that the bitmap has a bit for; it has one for each behind it
   * @param validity memory, on the heap or not; only the bytes of these bits are read
   * @param bitOffset the first value's bit
   * @throws IndexOutOfBoundsException if there is no such value, or the bitmap ends before the values do
   */
  ColumnBuilder setNulls(long from, MemorySegment validity, long bitOffset);

  /** Appends a boolean, to bool or {@link Extension.Bool8}. */
  ColumnBuilder append(boolean value);

  /**
   * Appends an integer, or the number that a date, time, timestamp or duration is stored as; to uint64 as its 64 bits;
   * to a float or a decimal if that loses nothing.
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

  /** Appends bytes that are in some memory; where the type is text, UTF-8. */
  ColumnBuilder append(MemorySegment value);

  /**
   * Appends an interval: a year_month one has months only, a day_time one days and whole milliseconds; what it does not
   * have is 0.
   */
  ColumnBuilder append(Interval value);

  /** Appends a date. Like all of java.time's: exactly, or not at all. */
  ColumnBuilder append(LocalDate value);

  /**
   * Appends a time of day. What the unit does not have is refused, not rounded;
   * {@code value.truncatedTo(ChronoUnit.MICROS)} rounds.
   */
  ColumnBuilder append(LocalTime value);

  /** Appends a date and time, to a timestamp without a zone; see {@link #append(LocalTime)}. */
  ColumnBuilder append(LocalDateTime value);

  /** Appends a point in time, to a timestamp with a zone; see {@link #append(LocalTime)}. */
  ColumnBuilder append(Instant value);

  /**
   * Appends the point in time that this is, to a timestamp with a zone, which is the column's; see
   * {@link #append(LocalTime)}.
   */
  ColumnBuilder append(ZonedDateTime value);

  /** Appends a length of time, to a duration; see {@link #append(LocalTime)}. */
  ColumnBuilder append(Duration value);

  /** Appends a period, to an interval that has its parts: years are 12 months. */
  ColumnBuilder append(Period value);

  /** Appends a UUID, to {@link Extension.Uuid}. */
  ColumnBuilder append(UUID value);

  /**
   * Appends a timestamp with its offset in whole minutes, to {@link Extension.TimestampWithOffset}, with all its parts;
   * a null with its parts is {@link
   * #appendNullWithParts}. What the unit does not have is refused, not rounded.
   */
  ColumnBuilder append(OffsetDateTime value);

  /**
   * Appends a tensor, to {@link Extension.FixedShapeTensor} or {@link Extension.VariableShapeTensor}: as many of the
   * next elements as it has, in row-major order, of {@link #items} or of those of {@code child("data")}, whether they
   * were appended before this call or come after it.
   *
   * @param shape the sizes of the dimensions
   */
  ColumnBuilder appendTensor(int... shape);

  /**
   * Appends a null whose parts are made here: of a struct those that {@link #appendNull} leaves to be appended to the
   * {@link #child} builders.
   */
  ColumnBuilder appendNullWithParts();

  /**
   * Appends text or bytes of another column's row, as they are stored, like {@link #append(MemorySegment)}; a null as a
   * null.
   */
  default ColumnBuilder append(ByteStringView values, long row) {
    try {
      return values.isNull(row) ? appendNull() : append(ByteStringsAccess.bytesAt(values, row));
    } finally {
      Reference.reachabilityFence(values);
    }
  }

  /**
   * Appends a list: the next {@code size} elements of {@link #items}, whether they were appended before this call or
   * come after it. A null among lists of a fixed size has elements, too, which {@link #appendNull} makes: so those of
   * the rows before must have been appended.
   */
  ColumnBuilder appendList(int size);

  /** Appends a list of each of these sizes, as by {@link #appendList(int)}. */
  ColumnBuilder appendLists(int[] sizes);

  /**
   * Appends a list-view of elements that others may have, too: {@code size} of {@link #items}, from the position
   * {@code offset} on.
   */
  ColumnBuilder appendListView(long offset, int size);

  /**
   * Appends a map: the next {@code size} of {@link #keys}, which are not null, and of {@link #values}. Nobody checks
   * that keys differ, or are sorted.
   */
  ColumnBuilder appendMap(int size);

  /** Appends a struct, whose fields are appended to the {@link #child} builders, before this call or after it. */
  ColumnBuilder appendStruct();

  /**
   * Appends an element of a union that is of this child, by its position: the next value of {@link #child(int)}. In a
   * sparse union, where all children have all rows, those of the others are made here, unless they were appended
   * before. A union has no nulls of its own: {@link #appendNull} appends one to its first child that may have them.
   */
  ColumnBuilder appendUnion(int child);

  /** Likewise, by the child's name. */
  ColumnBuilder appendUnion(String child);

  /** Appends elements of a union by the type ids of their children. */
  ColumnBuilder appendUnions(byte[] typeIds);

  /** Appends a run, at least one row long: the next of {@link #values}, {@code count} times. */
  ColumnBuilder appendRun(long count);

  /** The builder of a list's elements. */
  ColumnBuilder items();

  /**
   * Says what a list's elements are, in place of what its type said, and returns their builder.
   *
   * @throws IllegalStateException if elements were appended
   */
  ColumnBuilder items(Field item);

  /** The builder of a map's keys. */
  ColumnBuilder keys();

  /**
   * Says what a map's keys are, in place of what its type said, and returns their builder; see {@link #items(Field)}.
   */
  ColumnBuilder keys(Field key);

  /** The builder of a map's values, or of those of run-ends. */
  ColumnBuilder values();

  /** Says what the values are, in place of what the type said, and returns their builder; see {@link #items(Field)}. */
  ColumnBuilder values(Field value);

  /**
   * The builder of a dictionary's values: for the parts of nested ones, or to fill it for {@link #appendIndex}. What is
   * appended here is not compared with what is there.
   */
  ColumnBuilder dictionary();

  /**
   * Says what a dictionary's values are, in place of what its type said, and returns their builder; see
   * {@link #items(Field)}.
   */
  ColumnBuilder dictionary(Field value);

  /** Appends the value at some position of the {@link #dictionary}. */
  ColumnBuilder appendIndex(long index);

  /** Appends the values at some positions of the {@link #dictionary}. */
  ColumnBuilder appendIndices(int[] indices);

  /**
   * Lets a dictionary's indices become wider when values are more than they count, instead of refusing those;
   * {@link #field} tells how wide they are.
   */
  ColumnBuilder growIndices();

  /**
   * Sets how many bytes of text or binary are, at most, in a buffer that views share, 1 MiB if nothing is said; a
   * longer value has one of its own.
   */
  ColumnBuilder viewBufferSize(int bytes);

  /**
   * The builder of a struct's field of this name, or of a union's; always the same one, to be fetched once.
   *
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  ColumnBuilder child(String name);

  /** The builder of a struct's field at a position, or of a union's. */
  ColumnBuilder child(int index);

  /** Adds a field to a struct's type or to a union's, where it has the next type id, and returns its builder. */
  ColumnBuilder addChild(Field child);

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  ColumnBuilder appendAll(boolean[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(long)}.
   */
  ColumnBuilder appendAll(byte[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(long)}.
   */
  ColumnBuilder appendAll(short[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(long)}.
   */
  ColumnBuilder appendAll(int[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(long)}.
   */
  ColumnBuilder appendAll(long[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(double)}.
   */
  ColumnBuilder appendAll(float[] values);

  /**
   * Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by
   * {@link #append(double)}.
   */
  ColumnBuilder appendAll(double[] values);

  /**
   * Appends values of fixed width as they are stored in Arrow's buffers, back to back, in one copy. Nothing is checked
   * but the size.
   *
   * @param stored memory, on the heap or not, whose size is a multiple of the type's width
   */
  ColumnBuilder appendAll(MemorySegment stored);

  /**
   * Appends text or binary with offsets as it is stored in Arrow's buffers, in one copy of the bytes that the offsets
   * span.
   *
   * @param offsets of the type's width, one more than values, which do not go backwards and lead into {@code data}; the
   *     first need not be 0
   * @param data the bytes of the values; of text, UTF-8
   */
  ColumnBuilder appendAll(MemorySegment offsets, MemorySegment data);
}
