package org.arbalest.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import org.arbalest.device.internal.read.ColumnRows;
import org.jspecify.annotations.Nullable;

/**
 * A typed view of one array's values. Borrowed from a {@link DeviceArray}: it can be used while that handle is open, and has nothing to
 * close.
 *
 * <p>Rows run from 0; an offset of the array or of its parents is accounted for. {@link #getLong} reads any integer, date, time, timestamp or
 * duration, exactly; {@link #getDecimal} any integer or decimal, exactly; {@link #getDouble} any number, rounded to a double if it is none:
 * integers beyond 2<sup>53</sup>, decimals. {@link #getString} reads text, {@link #getBytes} text and binary, as long as they are stored with
 * offsets or in a fixed size. A dictionary-encoded column reads as its values. Views, list-views, unions, intervals and run-ends cannot be read
 * yet. The value of a null row is undefined: ask {@link #isNull} first, or use {@link #get}. A child's own nulls are its own: a null struct does
 * not make its fields null.
 *
 * <p><b>Threads.</b> Several may read one column, or one handle, at a time. A read after the handle was closed, moved or exported throws; while it is, the
 * memory may be gone, and the process with it: checks on each read would cost more than the read. So whoever closes waits for those who read; a thread that
 * may outlive that close reads through a handle of its own, by {@link DeviceArray#retain}, which it closes itself.
 *
 * <p>The getters throw {@link IllegalStateException} after the handle was closed, {@link IndexOutOfBoundsException} for a row that is not
 * there, {@link IllegalArgumentException} for a type that they do not read, {@link DeviceException} where the CPU cannot read the buffers.
 */
public sealed interface Column permits ColumnRows {
  /** The field that this column is of. */
  Field field();

  /** The field's name. */
  String name();

  /** The number of rows. */
  long length();

  /** The number of nulls; counted now if the producer did not. Unions and run-ends have none, whatever their values are (ARR-06). */
  long nullCount();

  /** Whether a row is null: itself, or the value of the dictionary that it stands for. */
  boolean isNull(long row);

  /** A boolean. */
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

  /** The elements of one list, as a column of their own. */
  Column getList(long row);

  /**
   * The value as an object, or null: Boolean, Long, Double, BigDecimal (decimals and uint64), String, byte[], a List of such for a list, a
   * Map by name for a struct. Nulls of the elements are null.
   *
   * @throws IllegalArgumentException for a struct two of whose fields have the same name; says which
   */
  @Nullable Object get(long row);

  /** All values of a column that {@link #getLong} reads; something for the nulls. */
  long[] toLongArray();

  /** All values of a column that {@link #getDouble} reads; something for the nulls. */
  double[] toDoubleArray();

  /** The field of a struct at a position, as a column of the same rows. */
  Column column(int index);

  /**
   * The field of a struct with this name, as a column of the same rows.
   *
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  Column column(String name);

  /** All elements of all lists, in the order they are stored; also those that no list refers to. */
  Column items();

  /** The values that the indices of a dictionary-encoded column point to. */
  Column dictionary();

  /** The indices of a dictionary-encoded column, as a column of integers. */
  Column indices();

  /**
   * The values' buffer as a read-only segment, from the first row on: for types of fixed width, and the bytes of text and binary. The array
   * is retained until the arena is closed, so that the segment is safe for as long as it can be used.
   */
  MemorySegment segment(Arena arena);

  /** The number of the array's buffers in the C interface, in its order: where the type has a bitmap, that is the first. */
  int bufferCount();

  /**
   * A buffer's device pointer, for native code and kernels, or 0 where there is none; {@link #offset} says where in it this column begins. For
   * whoever waits for the array's event first, and keeps it alive meanwhile ({@link DeviceStream#keepAlive(DeviceArray)}).
   *
   * @param index the buffer's place in the columnar format's order
   */
  long bufferAddress(int index);

  /** The element of the buffers that is row 0. */
  long offset();
}
