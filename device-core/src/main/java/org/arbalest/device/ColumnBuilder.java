package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.util.function.IntPredicate;
import org.arbalest.device.internal.build.ColumnBuilderImpl;

/**
 * Appends the values of one column, in order. Belongs to a {@link BatchBuilder}, which frees it; not for several threads at once.
 *
 * <p>What fits which type: {@code append(long)} integers, dates, times, timestamps and durations (in the type's unit), and floats and decimals
 * that are this number exactly; {@code append(double)} floats; {@code append(BigDecimal)} decimals; {@code append(String)} text and dictionaries
 * of text; {@code append(byte[])} binary; {@link #appendList} lists; {@link #appendStruct} structs. Anything else is an {@link
 * IllegalArgumentException} that names the column and its type, and so is, with the row and the value, a value that the type does not have: 300 in int8,
 * 16777217 in float32, text with half a surrogate pair.
 *
 * <p>Whatever is appended is appended as a whole or, if it throws, not at all: the builder is then as it was (OWN-15). Only where memory runs out
 * can the batch not be built any more.
 */
public sealed interface ColumnBuilder permits ColumnBuilderImpl {
  /** The field that is built; of a struct or list whose type is still growing, as far as it is known. */
  Field field();

  /** How many values were appended. */
  long length();

  /** Appends a null. */
  ColumnBuilder appendNull();

  /** Makes those of the values appended so far null for which the predicate of their position is true; none if it throws. */
  ColumnBuilder setNulls(IntPredicate isNull);

  /** Appends a boolean. */
  ColumnBuilder append(boolean value);

  /**
   * Appends an integer, or the number that a date, time, timestamp or duration is stored as; to uint64 as its 64 bits; to a float or a decimal if that
   * loses nothing.
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

  /** Appends text or bytes of another column's row, as they are stored; a null as a null. */
  default ColumnBuilder append(ByteStrings values, long row) {
    if (values.isNull(row)) return appendNull();
    return values.isText() ? append(values.getString(row)) : append(values.getBytes(row));
  }

  /** Appends a list: the next {@code size} elements of {@link #items}, whether they were appended before this call or come after it. */
  ColumnBuilder appendList(int size);

  /** Appends a struct, whose fields are appended to the {@link #child} builders, before this call or after it. */
  ColumnBuilder appendStruct();

  /** The builder of a list's elements. */
  ColumnBuilder items();

  /**
   * Says what a list's elements are, in place of what its type said, and returns their builder.
   *
   * @throws IllegalStateException if elements were appended
   */
  ColumnBuilder items(Field item);

  /**
   * The builder of a struct's field of this name.
   *
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  ColumnBuilder child(String name);

  /** The builder of a struct's field at a position. */
  ColumnBuilder child(int index);

  /** Adds a field to a struct's type, and returns its builder. */
  ColumnBuilder addChild(Field child);

  /** Appends all values of an array; in one copy where the type stores them as they are. */
  ColumnBuilder appendAll(boolean[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(long)}. */
  ColumnBuilder appendAll(byte[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(long)}. */
  ColumnBuilder appendAll(short[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(long)}. */
  ColumnBuilder appendAll(int[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(long)}. */
  ColumnBuilder appendAll(long[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(double)}. */
  ColumnBuilder appendAll(float[] values);

  /** Appends all values of an array; in one copy where the type stores them as they are, otherwise each as by {@link #append(double)}. */
  ColumnBuilder appendAll(double[] values);

  /**
   * Appends values of fixed width as they are stored in Arrow's buffers, back to back, in one copy. Nothing is checked but the size.
   *
   * @param stored memory, on the heap or not, whose size is a multiple of the type's width
   */
  ColumnBuilder appendAll(MemorySegment stored);
}
