// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.copy.ArrayConcat;
import org.arbalest.device.internal.copy.ArrayCopy;
import org.arbalest.device.internal.copy.NullCounts;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.ContentDifference;
import org.arbalest.device.internal.read.SelectionImpl;
import org.arbalest.device.internal.read.TakenRows;
import org.arbalest.device.internal.read.TextTable;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A handle: one reference to an Arrow array, usually to a record batch. The caller that gets a handle owns it, and
 * closes or exports it. Any thread may use a handle, and several threads may read one at a time.
 *
 * <p><b>Ownership.</b> An application creates an array from buffers ({@link #of}), imports it from native code
 * ({@link org.arbalest.device.c.CData#importArray}), or gets it from another handle ({@link #retain}, {@link #slice},
 * {@link #retainChild}). All handles of an array share its memory. When the last handle is closed and native code has
 * released every export, the library frees the memory, or releases the array to its producer. Closing twice does
 * nothing. The content does not change.
 *
 * <p><b>Threads.</b> Several threads may use one handle at a time: to read it ({@link Column}), to {@link #retain} it
 * and to slice it. {@link #close}, {@link #move} and the exports consume the handle once, on any thread. Later calls
 * throw an {@link IllegalStateException}, except {@link #device}, {@link #field} and {@link #length}.
 *
 * <p>If {@code retain}, {@code slice}, {@code retainChild}, {@code copyTo} or {@code concat} compete with a close or a
 * move, they either get the array or throw. Three operations must not run while another thread consumes the handle:
 * reads of columns, queries of the event's address, and an export, which inspects the event.
 */
@CheckReturnValue
public sealed interface DeviceArray extends AutoCloseable permits DeviceArrayImpl, RecordBatch {
  /**
   * Creates an array from buffers, which it takes over. The caller closes the array. If this call throws, the caller
   * still owns the buffers. {@link ArrayData#of(DeviceArray)} is the reverse.
   *
   * @param field the type; for a record batch, {@link Schema#asField()}
   * @param data the buffers and children, in the shape of the type, all on one device (DEV-08). Without any buffer the
   *     array is on the CPU; {@link #of(Field, ArrayData, DeviceStream)} creates one on another device
   * @throws DeviceException with {@code EINVAL} if the buffers and children do not fit the type; the message has the
   *     path, the fault and the numbers
   * @throws IllegalArgumentException if the buffers are on several devices
   * @throws IllegalStateException if a buffer was closed or moved, or occurs twice
   */
  static DeviceArray of(Field field, ArrayData data) {
    return ArrayAssembly.of(field, data);
  }

  /**
   * Creates an array from buffers that queued work still writes; takes the buffers over, unless it throws. The array is
   * ready when all work now in the stream is done (DEV-05). The rest is as in {@link #of(Field, ArrayData)}. The values
   * of offsets are not checked, since they may not be written yet.
   *
   * @param field the type; for a record batch, {@link Schema#asField()}
   * @param data the buffers and children, in the shape of the type
   * @param stream the stream of that work; without buffers, the array is on the stream's device
   */
  static DeviceArray of(Field field, ArrayData data, DeviceStream stream) {
    return ArrayAssembly.of(field, data, stream);
  }

  /**
   * Concatenates arrays into one array on the device of the first, by that device's default stream; see
   * {@link #concat(List, MemoryManager, DeviceStream)}.
   */
  static <A extends DeviceArray> A concat(List<A> arrays) {
    return ArrayConcat.concat(arrays);
  }

  /**
   * Concatenates arrays, such as the batches of a stream, into one array in one allocation.
   *
   * <p>The caller still owns the arrays, and may close them immediately. They may be on different devices. A single
   * array from or to another device is copied as by {@link #copyTo(MemoryManager, DeviceStream)}. The result never
   * shares memory with the arrays.
   *
   * <p>Only the visible range of a slice is taken. The data of views are taken whole, and once, but only the values of
   * the views if these have less than a quarter of the bytes. The elements of list-views are taken likewise.
   * The result has one dictionary. Different dictionaries become one with each different value once (ARR-21), unless
   * their values contain run-ends or dictionaries, or are too many to compare: these are appended. Values that no row
   * has are left out if the rows have few of them and they can be compared, or if the indices do not reach all values.
   * An ordered dictionary keeps all values, and must have those of the others, in their order.
   *
   * <p>The CPU concatenates, in main memory if it cannot reach the memory of the result. It first copies the arrays
   * that it cannot read, and waits for all arrays. If the CPU cannot reach the target, the stream copies the result
   * there. The result then has an event that completes when this copy is done.
   *
   * @param arrays at least one array, all of the first one's type; structs and unions have the same names in the same
   *     order. The names of list items, of map entries and of the arrays themselves are those of the first, as is the
   *     metadata. A field that is nullable in any array is nullable in the result
   * @param target the memory of the result
   * @param stream the stream of the copies, if a copy is necessary and the stream reaches the device; otherwise that
   *     device's default stream copies. The stream is of the CPU, of a device that takes part, or of one that reaches
   *     such a device, as for a copy
   * @return the result; the caller closes it
   * @throws IllegalArgumentException if no arrays are given, if one has another type or columns of other names, or if
   *     the stream is of another device (DEV-21); the message names the array by its index, and the path
   * @throws DeviceException with {@code EINVAL} if an array is malformed, or the result exceeds the range of its
   *     offsets, indices or run ends; the message names the array by its index, the path and the numbers. With
   *     {@code ENOMEM} if there is not enough memory; with the errors of {@code copyTo}
   */
  static <A extends DeviceArray> A concat(List<A> arrays, MemoryManager target, DeviceStream stream) {
    return ArrayConcat.concat(arrays, target, DeviceStreamImpl.unwrap(stream));
  }

  /** Returns the device of the buffers. */
  Device device();

  /** Returns the type. */
  Field field();

  /**
   * Returns this handle as a record batch: the array of structs that it is. The caller still owns one handle.
   *
   * @throws IllegalArgumentException if the array has another type
   */
  default RecordBatch asRecordBatch() {
    if (this instanceof RecordBatch batch) return batch;
    throw new IllegalArgumentException("a record batch is an array of structs, but this is an array of " + field());
  }

  /** Returns the number of elements: the rows of a record batch. */
  long length();

  /**
   * Returns the event that completes when the buffers can be read, or null if they can be read now (DEV-04). The caller
   * closes the event, and may still use it after this handle is consumed.
   *
   * <p>The event is for other runtimes. To wait, {@link #onReady} and {@link #synchronize} are sufficient.
   *
   * @throws DeviceException with {@code ENOSYS} if no backend supports the device and its events
   */
  @Nullable
  SyncEvent syncEvent();

  /**
   * Returns whether the buffers can be read, without waiting: by the CPU if it can reach them, and by other queues than
   * the one that writes them.
   *
   * @throws DeviceException with the error of the work that writes them; with {@code ENOSYS} as in {@link #syncEvent}
   */
  boolean isReady();

  /**
   * Blocks until the buffers can be read: by the CPU if it can reach them, and by other queues than the one that writes
   * them. See {@link SyncEvent#synchronize()}.
   *
   * @throws DeviceException with the error of the work that writes them, such as a copy; with {@code ENOSYS} as in
   *     {@link #syncEvent}
   */
  void synchronize();

  /**
   * Blocks as {@link #synchronize()} does, or until a time limit expires; see {@link SyncEvent#synchronize(Duration)}.
   *
   * @return false if the limit expired first
   * @throws DeviceException as {@link #synchronize()} does
   */
  boolean synchronize(Duration limit) throws InterruptedException;

  /**
   * Returns a stage that completes when the buffers can be read, as after {@link #synchronize()}; see
   * {@link SyncEvent#onReady}. The handle may be closed meanwhile.
   */
  CompletionStage<@Nullable Void> onReady();

  /**
   * Checks the array at a level, regardless of its origin. The handle stays open and unchanged.
   *
   * <p>From {@link Validation#BOUNDS} on this waits as {@link #synchronize} does, and reads the visible range. It
   * copies the buffers that the CPU cannot reach; the levels list them.
   *
   * @throws DeviceException with {@code EINVAL} if a check fails; the message has the path, the row and the numbers.
   *     With {@code ENOSYS} if the check concerns the content of an opaque device, {@code ENOMEM} if there is not
   *     enough memory for the copies; with the error of the array's event or of the copies
   */
  default void validate(Validation level) {
    ArrayValidation.validate(DeviceArrayImpl.unwrap(this), level);
  }

  /**
   * Queues a copy of the array to a device, in the default stream of that device; for a copy to the CPU, of this
   * array's device. Text blocks the caller, as {@link #copyTo(MemoryManager, DeviceStream)} describes. This handle
   * stays open. The caller closes the copy.
   *
   * @param target the device of the copy; may be this array's device
   */
  default DeviceArray copyTo(Device target) {
    Objects.requireNonNull(target, "target");
    return copyTo(target, (DeviceImpl.unwrap(target).isCpu() ? device() : target).defaultStream());
  }

  /**
   * Queues a copy of the array to a device's own memory. Text blocks the caller, as
   * {@link #copyTo(MemoryManager, DeviceStream)} describes. This handle stays open. The caller closes the copy.
   */
  default DeviceArray copyTo(Device target, DeviceStream stream) {
    return copyTo(target.memory(), stream);
  }

  /**
   * Queues a copy of the array to another memory, into one allocation. The copies run in a stream: after the work in
   * it, after the events that it waits for, and after this array's event. A {@link DeviceBuffer#copyTo}, in contrast,
   * is complete when it returns.
   *
   * <p>The result has an event that completes when the copy is done, unless it is already done. This handle stays open,
   * and the caller may close it immediately. ({@link DeviceArrayReader#copyTo} consumes its reader.)
   *
   * <p>Only the visible range of a slice is copied. Some parts have a range that only the content of buffers defines.
   * They are copied whole: the elements of lists, the children of dense unions and of run-ends, the data of views,
   * dictionaries, and text whose offsets the CPU cannot read.
   *
   * <p><b>Text and binary block the caller</b>, without a time limit. Only their offsets define their lengths, and this
   * call reads the offsets first: after the array's event, and after the work that was queued in the stream before. Two
   * more kinds of arrays block the caller. One goes through main memory, because no runtime reaches both devices. The
   * other has an event of a runtime that is unknown to the stream's runtime. All other copies are queued, and this call
   * returns before they are done.
   *
   * <p>To limit the wait, call {@link #synchronize(Duration)} and {@link DeviceStream#synchronize(Duration)} first, and
   * check both results. Unless other threads queue work meanwhile, the caller then waits only for the work of this
   * copy. {@link #onReady} reports completion without a thread that waits.
   *
   * @param target the memory of the copy
   * @param stream a stream of either device, or of one that reaches the memory of either: GPUs of one runtime reach
   *     each other's memory, and the CPU reaches host memory
   * @return the copy; the caller closes it
   * @throws IllegalArgumentException if the stream is of another device (DEV-21)
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code EINVAL} if the array is
   *     malformed, {@code ENOSYS} if either device is opaque; with the error of the driver
   */
  default DeviceArray copyTo(MemoryManager target, DeviceStream stream) {
    return ArrayCopy.copy(DeviceArrayImpl.unwrap(this), target, DeviceStreamImpl.unwrap(stream));
  }

  /**
   * Returns the array on a device: without a copy if the device can reach the memory in place (DEV-11), otherwise by
   * {@link #copyTo(MemoryManager, DeviceStream)}. The caller closes the result. If this array needs a wait, the result
   * needs one as well.
   */
  default DeviceArray viewOrCopyTo(Device target, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    DeviceArray view = DeviceArrayImpl.unwrap(this).viewOn(target);
    return view == null ? copyTo(target, stream) : view;
  }

  /**
   * Returns the array on a device, as {@link #viewOrCopyTo(Device, DeviceStream)} does; a default stream makes the
   * copy.
   */
  default DeviceArray viewOrCopyTo(Device target) {
    DeviceArray view = DeviceArrayImpl.unwrap(this).viewOn(target);
    return view == null ? copyTo(target) : view;
  }

  /**
   * Converts this array to the layout of another field: the {@code requested_schema} of Arrow's protocols. Layouts and
   * encodings change, values do not:
   *
   * <ul>
   *   <li>text, binary, lists and list-views: from any of their kinds to any, with offsets of 32 and of 64 bits, and
   *       views
   *   <li>booleans: from {@code bool}, which has bits, to {@code arrow.bool8}, which has bytes, and back
   *   <li>dictionaries: to their values, or to indices of another width or sign
   *   <li>run-ends: to the values of each row, or to other widths of ends
   *   <li>nullable fields: to fields that are not nullable, if there are no nulls
   *   <li>structs: to the requested fields, by name, in the requested order
   * </ul>
   *
   * <p>The result has the names and the metadata of the requested field, which may omit an extension type. Buffers that
   * need no change are shared. The others are written, in one allocation: {@link Conversion#of} returns their number.
   * This handle stays open and unchanged, and may be closed immediately. ({@link DeviceArrayReader#convertTo(Field)}
   * consumes its reader.)
   *
   * <p>If buffers must be read, this call waits as {@link #synchronize} does. If the CPU cannot read them, only
   * conversions without reading are possible: names, order and choice of fields, and nullable to not nullable if the
   * null count is 0. Indices may also change their sign, if the dictionary has no more values than the signed type has
   * indices.
   *
   * <p>The result has as many elements as are visible. With run-ends, dictionaries and overlapping lists these may be
   * many more than the array has bytes. A result that exceeds the range of offsets, or any possible memory, is rejected
   * before allocation. Otherwise only the available memory limits it, so check {@link #length} of arrays from unknown
   * producers first.
   *
   * @param requested the requested field, whose name is the result's; for a record batch, {@link Schema#asField()}
   * @return the result; the caller closes it
   * @throws IllegalArgumentException if no array of this type can be converted to the field; the message has the path
   *     and both types
   * @throws DeviceException with {@code EINVAL}, before any copy, if values of this array would have to change, or do
   *     not fit; the message has the path, the row and the numbers. With {@code ENOSYS} if the CPU cannot read a buffer
   *     that it must read: copy the array first, by {@link #copyTo}. With {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray convertTo(Field requested) {
    return ArrayConversion.convert(DeviceArrayImpl.unwrap(this), requested);
  }

  /**
   * Returns this array with the same memory, and with the number of nulls of each column, also nested. Some consumers
   * take an unknown number for 0, for example cuDF; {@link org.arbalest.device.c.CExport#countNulls} counts for them.
   *
   * <p>If a number is unknown, this call waits for the array, and on a device also for the work that is now in the
   * stream. A CUDA GPU counts in bitmaps of more than 256 KiB; others are copied to main memory. The first such count
   * loads code to the GPU, which may wait for its other work, and each takes a little of the GPU's memory. Copies of a
   * ready array in memory that the CPU reads have known numbers. This handle stays open.
   *
   * @param stream a stream that reaches this array's device; any stream, if the CPU reads the memory
   * @return the array; the caller closes it
   * @throws IllegalArgumentException if the bitmaps must be copied, and the stream does not reach them
   * @throws DeviceException with {@code ENOSYS} if a number is unknown and the device is opaque; with the error of the
   *     driver
   */
  default DeviceArray countNulls(DeviceStream stream) {
    return NullCounts.count(DeviceArrayImpl.unwrap(this), stream);
  }

  /**
   * Returns this array with buffers that contain only the visible range. Bits and offsets begin with the first row. The
   * elements of lists and the data of text are those of the visible rows.
   *
   * <p>The result keeps the memory of this array; {@link #copyTo} makes an array that does not. Buffers without other
   * content are shared, as in {@link #convertTo(Field)}. A dictionary keeps the values that no
   * row has. The data of views keep no bytes outside of visible views, unless views overlap.
   *
   * @return the result; the caller closes it
   * @throws DeviceException with {@code EINVAL} if the array is malformed, {@code ENOSYS} if the CPU cannot read the
   *     buffers ({@link #copyTo} omits most of the invisible content), {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray compact() {
    return ArrayConversion.compact(DeviceArrayImpl.unwrap(this));
  }

  /** Returns the array itself as a column. Borrowed: it is valid while this handle is open. */
  default Column asColumn() {
    return ColumnImpl.of(DeviceArrayImpl.unwrap(this));
  }

  /**
   * Returns whether another array has the same content: the same types and names of columns, the same length, and the
   * same value in each row, regardless of the layout in the buffers.
   *
   * <p>The bytes in the slots of nulls do not count, nor do offsets, slices, nullability and metadata. Floats are equal
   * as in {@link Double#equals}: NaN equals NaN, 0.0 does not equal -0.0.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read one of the arrays: copy it
   * @throws IllegalStateException if a handle was consumed, or one of the arrays is not ready: {@link #synchronize}
   *     waits
   */
  default boolean contentEquals(DeviceArray other) {
    return difference(other) == null;
  }

  /**
   * Returns the first difference to another array in the sense of {@link #contentEquals}, column by column, or null
   * without a difference. A text such as {@code trips[3].end: "JFK", and null} has the column, the row, and both
   * values, this array's first.
   */
  default @Nullable String difference(DeviceArray other) {
    Objects.requireNonNull(other, "other");
    return ContentDifference.between(this, other, true);
  }

  /**
   * Returns the first difference in values to another array, regardless of the layout of the types, or null without a
   * difference. Unlike in {@link #difference}, text, binary and lists may have offsets of 32 or 64 bits or views.
   * Either array may be encoded by dictionaries or run-ends. Numbers of different widths differ.
   */
  default @Nullable String valueDifference(DeviceArray other) {
    Objects.requireNonNull(other, "other");
    return ContentDifference.between(this, other, false);
  }

  /**
   * Returns the first rows as a table for people. Its head has names and types. Long types, long values and wide tables
   * are cut. Dates and times are as {@code java.time} writes them (READ-64).
   *
   * <p>A struct is a table of its fields, and each of its null rows is a single {@code null}. Any other array is one
   * column, also that of an extension type. This call waits for the array. If the CPU cannot read it, the call copies
   * those rows, as {@link #copyTo(Device)} does.
   *
   * <p>{@link Object#toString()} of an array returns the first 10 rows in the same way, if they can be read
   * immediately. It never copies or waits. For an array that the CPU cannot read, or that is not ready or closed, it
   * returns a description and the device.
   *
   * @param rows the maximum number of rows
   */
  default String toString(int rows) {
    return TextTable.of(this, rows);
  }

  /**
   * Returns an array of the selected rows, in order. This handle stays open and unchanged, and may be closed
   * immediately.
   *
   * <p>The field stays the same. Nulls stay nulls, also null rows of the batch itself. Dictionaries, the data of views
   * and the elements of list-views are shared, not copied; run-ends are joined. All other buffers are written, in one
   * allocation. If this array keeps more than four times the memory that the result needs, all buffers are written,
   * unless there are dictionaries of more than 64 KiB, and more than the rows have. If nothing is shared, the result
   * does not keep the memory of this array.
   *
   * <p>Rows that follow each other become a {@link #slice}, and all rows another handle of this array, both without a
   * copy and on any device. Otherwise this call waits as {@link #synchronize} does.
   *
   * @param rows the rows to keep
   * @return the result; the caller closes it
   * @throws IllegalArgumentException if the selection has another number of rows than this array
   * @throws IllegalStateException if this handle was closed
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read the buffers: copy the array to the CPU first, or
   *     filter it on its device with a kernel. With {@code EINVAL} if the array is malformed; the message has the path,
   *     the row and the numbers. With {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray filter(Selection rows) {
    return SelectionImpl.filter(DeviceArrayImpl.unwrap(this), rows);
  }

  /**
   * Returns an array of the rows at some indices, in the order of the indices. An index may occur more than once. The
   * rest is as in {@link #filter}.
   *
   * @param rows the rows, counted from 0
   * @return the result; the caller closes it
   * @throws IndexOutOfBoundsException if no such row exists; the message has the position of the index, the index and
   *     the number of rows
   * @throws IllegalArgumentException if the positions of the rows do not fit in memory
   * @throws IllegalStateException if this handle was closed
   * @throws DeviceException as {@link #filter} does
   */
  default DeviceArray take(long... rows) {
    return TakenRows.take(DeviceArrayImpl.unwrap(this), rows);
  }

  /** Returns an array of the rows at some indices; see {@link #take(long...)}. */
  default DeviceArray take(int... rows) {
    return TakenRows.take(DeviceArrayImpl.unwrap(this), rows);
  }

  /**
   * Returns an array of the rows at the indices in a column; see {@link #take(long...)}. A null index makes a null row.
   * In a batch, whose own field is not nullable, that is a null of each column. In a union it is a null of the first
   * child that can have one.
   *
   * @param rows a column of integers, also encoded by a dictionary or run-ends. The CPU must be able to read it
   * @return the result; the caller closes it
   * @throws IllegalArgumentException if the column has other values than integers. If an index is null, and a column of
   *     this batch cannot have nulls: call {@link #convertTo(Field)} with a field in which it can
   * @throws IndexOutOfBoundsException as {@link #take(long...)} does
   * @throws DeviceException as {@link #filter} does
   */
  default DeviceArray take(Column rows) {
    return TakenRows.take(DeviceArrayImpl.unwrap(this), rows);
  }

  /** Returns another handle of the same array. The caller closes it. */
  DeviceArray retain();

  /** Moves this handle's array to a new handle, which the caller closes. This handle is consumed. */
  DeviceArray move();

  /**
   * Returns a handle of a range of the elements, without a copy. The caller closes it.
   *
   * @param from the first element
   * @param count the number of elements
   * @throws IndexOutOfBoundsException if the range is not within the array
   */
  DeviceArray slice(long from, long count);

  /**
   * Returns a handle of a child array, such as a column of a record batch, without a copy. The caller closes it. It may
   * outlive this handle.
   *
   * <p>The child is returned as it is stored: where a struct is null, its children have arbitrary values. If that
   * matters, as for consumers of a single column, call {@link RecordBatch#pushDownNulls} first.
   *
   * @param index the child's position in the type
   */
  DeviceArray retainChild(int index);

  /** Returns whether this handle can be used. */
  boolean isOpen();

  /**
   * Closes this handle. If it was the last reference, the array is freed, or released to its producer. Does nothing if
   * the handle was closed, exported or moved before.
   */
  @Override
  void close();
}
