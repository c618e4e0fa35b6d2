// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.copy.ArrayConcat;
import org.arbalest.device.internal.copy.ArrayCopy;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.internal.read.ContentDifference;
import org.arbalest.device.internal.read.TextTable;
import org.arbalest.device.internal.validate.ArrayValidation;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A handle: one reference to an array (a holder), usually to a record batch.
 *
 * <p>Made of buffers ({@link #of}), imported from C ({@link org.arbalest.device.c.CData#importArray}), or given by
 * another handle ({@link #retain}, {@link #slice}, {@link #retainChild}). All handles of an array share its memory,
 * which is freed, or released to its producer, when the last one was closed and C has released every export. Each
 * handle is closed, or exported, by whoever holds it; closing twice does nothing. Content does not change.
 *
 * <p><b>Threads.</b> Several may use one handle at a time, to read it ({@link Column}), to {@link #retain}, to slice.
 * {@link #close}, {@link #move} and the exports consume it, once, on any thread, and what comes after it throws.
 * {@code retain}, {@code slice}, {@code retainChild}, {@code copyTo} and {@code concat} against a close or a move
 * either get the array or throw. Reading, the address of the event and an export, which looks at the event, must not be
 * under way while another thread consumes the handle.
 */
public sealed interface DeviceArray extends AutoCloseable permits DeviceArrayImpl {
  /**
   * Makes an array of buffers, which it takes over. On failure the buffers are still the caller's.
   * {@link ArrayData#of(DeviceArray)} is the reverse.
   *
   * @param field the type; of a record batch, {@link Schema#asField()}
   * @param data the buffers and children, of the type's shape, all on one device (DEV-08); without any buffer the array
   *     is on the CPU, and {@link #of(Field, ArrayData, DeviceStream)} makes one on another device
   * @throws DeviceException with {@code EINVAL} if they do not fit: the path, what is wrong, the numbers
   */
  static DeviceArray of(Field field, ArrayData data) {
    return ArrayAssembly.of(field, data);
  }

  /**
   * Makes an array of buffers that queued work still writes to: it is ready when all that is in the stream now is done
   * (DEV-05). See {@link
   * #of(Field, ArrayData)}; what the offsets say is not checked, since they may not be written yet.
   *
   * @param stream where that work was queued; without buffers, the array is on its device
   */
  static DeviceArray of(Field field, ArrayData data, DeviceStream stream) {
    return ArrayAssembly.of(field, data, stream);
  }

  /**
   * Joins arrays to one on the device of the first, by its default stream; see
   * {@link #concat(List, MemoryManager, DeviceStream)}.
   */
  static DeviceArray concat(List<DeviceArray> arrays) {
    return ArrayConcat.concat(arrays);
  }

  /**
   * Joins arrays, such as the batches of a stream, to one that has their elements one behind the other, in one
   * allocation. The arrays stay the caller's and may be closed at once; they may be on different devices. One array is
   * copied as by {@link #copyTo(MemoryManager, DeviceStream)}: the result never shares memory with them.
   *
   * <p>Of slices only what they show is taken, but for data of views, which is taken whole, and once. The same
   * dictionary, or one that is equal to the byte, is kept once; of different ones the values are joined as well, and
   * the indices follow (ARR-21).
   *
   * <p>It is the CPU that joins, and where it cannot reach the memory it works in main memory: it waits for the arrays,
   * first copying what it cannot read, and a result for a device is copied there by the stream, with an event that
   * completes when that is done.
   *
   * @param arrays one at least, all of the first one's type, structs and unions with the same names in the same order;
   *     what list items, map entries and the arrays themselves are called, and metadata, is the first one's; what is
   *     nullable in any is nullable in the whole
   * @param target where to
   * @param stream what copies, where a copy is needed and the stream reaches the device; otherwise that device's
   *     default stream does. Of the CPU, or of a device that has part in it or reaches one that has, as of a copy
   * @return the whole, to be closed by the caller
   * @throws IllegalArgumentException if there are no arrays, one is of another type or has columns of other names, or
   *     the stream is of another device (DEV-21); names the array by its index, and the path
   * @throws DeviceException with {@code EINVAL} if one is malformed, or the whole is more than its offsets, indices or
   *     run ends reach: names the array by its index, the path and the numbers; {@code ENOMEM} if there is not enough
   *     memory; and what {@code copyTo} throws
   */
  static DeviceArray concat(List<DeviceArray> arrays, MemoryManager target, DeviceStream stream) {
    return ArrayConcat.concat(arrays, target, DeviceStreamImpl.unwrap(stream));
  }

  /** Where the buffers are. */
  Device device();

  /** The type. */
  Field field();

  /**
   * The schema of a record batch.
   *
   * @throws IllegalArgumentException if the array is not a struct
   */
  Schema schema();

  /** The number of elements: the rows of a record batch. */
  long length();

  /**
   * The event that completes when the buffers can be read; to be closed by the caller, and usable when this handle is
   * not any more. Null if they can be read now (DEV-04). To wait, {@link #onReady} and {@link #synchronize} are enough:
   * this is for other runtimes.
   *
   * @throws DeviceException with {@code ENOSYS} if no backend knows the device and its events
   */
  @Nullable
  SyncEvent syncEvent();

  /**
   * Whether the buffers can be read: by the CPU if it can reach them, by other queues than the one that writes them.
   * Does not wait.
   *
   * @throws DeviceException with what writing them failed with
   */
  boolean isReady();

  /** Blocks until the buffers can be read; see {@link SyncEvent#synchronize()}. */
  void synchronize();

  /** Blocks until the buffers can be read, or for some time; see {@link SyncEvent#synchronize(Duration)}. */
  boolean synchronize(Duration limit) throws InterruptedException;

  /** Completes when the buffers can be read; see {@link SyncEvent#onReady}. The handle may be closed meanwhile. */
  CompletionStage<@Nullable Void> onReady();

  /**
   * Looks at the array as closely as the level says, wherever it came from; the handle stays as it is. With
   * {@link Validation#FULL} this waits as {@link
   * #synchronize} does, and reads what is shown, for which buffers that the CPU cannot reach are copied; see there.
   *
   * @throws DeviceException with {@code EINVAL} if something is wrong: the path, the row, the numbers; {@code ENOSYS}
   *     if it is about the content of an opaque device, {@code ENOMEM} if there is not enough memory for the copies, or
   *     what the array's event or the copies failed with
   */
  default void validate(Validation level) {
    ArrayValidation.validate(DeviceArrayImpl.unwrap(this), level);
  }

  /**
   * Copies the array to a device, by the default stream of the one that is not the CPU; text blocks, as
   * {@link #copyTo(MemoryManager, DeviceStream)} says.
   *
   * @param target where to; may be where it is
   */
  default DeviceArray copyTo(Device target) {
    Objects.requireNonNull(target, "target");
    return copyTo(target, (DeviceImpl.unwrap(target).isCpu() ? device() : target).defaultStream());
  }

  /** Copies the array to a device's own memory; text blocks, as {@link #copyTo(MemoryManager, DeviceStream)} says. */
  default DeviceArray copyTo(Device target, DeviceStream stream) {
    return copyTo(target.memory(), stream);
  }

  /**
   * Copies the array to another memory: into one allocation, by copies queued in a stream behind whatever the stream is
   * told to wait for, and behind this array's event. The result has an event that completes when the copy is done,
   * unless it is done already; this handle may be closed at once. Of a slice only what it shows is copied, but for what
   * only the buffers' content could tell: the elements of lists, the children of dense unions and of run-ends, the data
   * of views, dictionaries, and text whose offsets the CPU cannot read are copied whole.
   *
   * <p><b>Text and binary block the caller</b>, without a limit of time: their lengths are known only from their
   * offsets, which are fetched first, when the array's event has completed, behind what the stream was given before. So
   * does an array that goes through main memory, where no runtime reaches both devices, and one with an event of a
   * runtime that the stream's knows nothing of. To limit the wait, call {@link #synchronize(Duration)} and
   * {@link DeviceStream#synchronize(Duration)} first, and look at what both return: unless others queue meanwhile, what
   * is left to wait for is this copy's own work. {@link #onReady} tells without a thread that waits. Other copies are
   * queued, and this returns before they are done.
   *
   * @param target where to
   * @param stream of either device, or of one that reaches either's memory, as the GPUs of one runtime reach each
   *     other's, and the CPU host memory
   * @return the copy, to be closed by the caller
   * @throws IllegalArgumentException if the stream is of another device (DEV-21)
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code EINVAL} if the array is
   *     malformed, {@code ENOSYS} if either device is opaque, or what the driver failed with
   */
  default DeviceArray copyTo(MemoryManager target, DeviceStream stream) {
    return ArrayCopy.copy(DeviceArrayImpl.unwrap(this), target, DeviceStreamImpl.unwrap(stream));
  }

  /**
   * The array on a device, without a copy if that can reach the memory where it is (DEV-11), else by
   * {@link #copyTo(MemoryManager, DeviceStream)}. Either way the result is to be closed by the caller, and has to be
   * waited for if this has.
   */
  default DeviceArray viewOrCopyTo(Device target, DeviceStream stream) {
    Objects.requireNonNull(stream, "stream");
    DeviceArray view = DeviceArrayImpl.unwrap(this).viewOn(target);
    return view == null ? copyTo(target, stream) : view;
  }

  /** See {@link #viewOrCopyTo(Device, DeviceStream)}; a copy is made by a default stream. */
  default DeviceArray viewOrCopyTo(Device target) {
    DeviceArray view = DeviceArrayImpl.unwrap(this).viewOn(target);
    return view == null ? copyTo(target) : view;
  }

  /**
   * This array in the layout that another field asks for: the {@code requested_schema} of Arrow's protocols. Layouts
   * and encodings are converted, values are not: text and binary, lists and list-views from any of their kinds to any,
   * with offsets of 32 and of 64 bits, and views; dictionaries to their values, or to other widths of indices; run-ends
   * to the values of each row, or to other widths of ends; nullable to not, where there are no nulls. Fields of structs
   * are those that are asked for, by name, in that order. The result has the names and the metadata of what was asked
   * for; an extension type may be left off.
   *
   * <p>Buffers that need no change are shared, the others are written anew, in one allocation: {@link Conversion#of}
   * says how many. This handle stays as it is, and may be closed at once. Where buffers must be read, this waits as
   * {@link #synchronize} does; where the CPU cannot read them, only what needs no reading is converted: names, order
   * and choice of fields, nullable to not if the null count is 0. The result has as many elements as are shown, which
   * of run-ends, dictionaries and lists that overlap may be many more than the array has bytes: what is more than
   * offsets reach, or than any memory has, is refused before anything is allocated, and the rest is a matter of the
   * memory that there is, so of what comes from strangers look at {@link #length} first.
   *
   * @param requested the field that is asked for; its name is the result's; for a record batch,
   *     {@link Schema#asField()}
   * @return the result, to be closed by the caller
   * @throws IllegalArgumentException if no array of this type can be converted to it: the path and both types
   * @throws DeviceException with {@code EINVAL} if values of this array would have to change, or do not fit: the path,
   *     the row and the numbers, before anything is copied; {@code ENOSYS} if the CPU cannot read what it would have
   *     to: copy it first, by {@link #copyTo}; {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray convertTo(Field requested) {
    return ArrayConversion.convert(DeviceArrayImpl.unwrap(this), requested);
  }

  /**
   * This array with buffers that hold just what is shown, so that a slice does not keep what it is a slice of: bits and
   * offsets begin with the first row, elements of lists and data of text are those of these rows. Buffers that have
   * nothing else already are shared, as {@link #convertTo(Field)} does it. A dictionary keeps the values that no row
   * has; the data of views keep no bytes that no view shows, unless views overlap.
   *
   * @return the result, to be closed by the caller
   * @throws DeviceException with {@code EINVAL} if the array is malformed, {@code ENOSYS} if the CPU cannot read the
   *     buffers ({@link #copyTo} leaves out most of what is not shown), {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray compact() {
    return ArrayConversion.compact(DeviceArrayImpl.unwrap(this));
  }

  /**
   * This record batch with its null rows in its columns. In C a batch is a struct, whose own bitmap may say that rows
   * are null; consumers that take a batch apart, such as DuckDB, read the columns only, and take what is stored in such
   * a row for values (REQ-21). In the result every column is null in these rows, and the batch has no bitmap. Its field
   * stays the same. Bitmaps are written anew, and booleans of a slice that do not begin at a byte; all other buffers
   * are shared. Waits as {@link #synchronize} does if there is a bitmap to read. Without one, the result is one more
   * handle of the same array.
   *
   * @return the result, to be closed by the caller
   * @throws IllegalArgumentException if the array is not a struct
   * @throws DeviceException with {@code EINVAL} if a row is null, and a column is not nullable, or has no bitmap, as
   *     unions and run-ends: the path and the row; {@code ENOSYS} if the CPU cannot read the batch's bitmap;
   *     {@code ENOMEM} if there is not enough memory
   */
  default DeviceArray pushDownNulls() {
    return ArrayConversion.pushDownNulls(DeviceArrayImpl.unwrap(this));
  }

  /**
   * The column of a record batch at a position. Borrowed: it can be used while this handle is open.
   *
   * @throws DeviceException with {@code EINVAL} if the batch's own bitmap makes rows null, which its columns do not say
   *     (REQ-21): {@link #pushDownNulls} makes a batch whose columns do, {@link #asColumn} has them as they are stored;
   *     {@code ENOSYS} if only that bitmap tells, and the CPU cannot read it
   */
  default Column column(int index) {
    return ColumnImpl.ofBatch(DeviceArrayImpl.unwrap(this)).column(index);
  }

  /**
   * The column of this name, as {@link #column(int)} has it.
   *
   * @throws IllegalArgumentException if there is none, or several: says which there are
   */
  default Column column(String name) {
    return ColumnImpl.ofBatch(DeviceArrayImpl.unwrap(this)).column(name);
  }

  /** The array itself as a column. Borrowed: it can be used while this handle is open. */
  default Column asColumn() {
    return ColumnImpl.of(DeviceArrayImpl.unwrap(this));
  }

  /**
   * Whether another array has the same types and values: in types and names of columns, in length, and in every row,
   * however they are laid out. What the slots of nulls hold does not count, nor offsets, slices, nullability and
   * metadata. Floats are equal as {@link Double#equals}: NaN to NaN, 0.0 not to -0.0.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot read one of the arrays: copy it
   * @throws IllegalStateException if a handle was consumed, or one of the arrays is not ready: {@link #synchronize}
   *     waits
   */
  default boolean contentEquals(DeviceArray other) {
    return difference(other) == null;
  }

  /**
   * The first difference to another array in the sense of {@link #contentEquals}, column by column, or null if there is
   * none: {@code trips[3].end: "JFK", and null} says which column, which row, and both values, this array's first.
   */
  default @Nullable String difference(DeviceArray other) {
    Objects.requireNonNull(other, "other");
    return ContentDifference.between(this, other, true);
  }

  /**
   * The first difference in values, whatever the layout of their types, or null if there is none: as
   * {@link #difference}, but text, binary and lists may have offsets of 32 or 64 bits or views, and either array may be
   * encoded by dictionaries or run-ends. Numbers of different widths differ.
   */
  default @Nullable String valueDifference(DeviceArray other) {
    Objects.requireNonNull(other, "other");
    return ContentDifference.between(this, other, false);
  }

  /**
   * The first rows as a table: names and types in the head, long types, values and wide tables cut; dates and times as
   * {@code java.time} writes them (READ-64). A struct is a table of its fields, its null rows {@code null} and nothing
   * else; any other array, that of an extension type too, is one column. Waits for the array; of one that the CPU
   * cannot read, it copies those rows, as {@link #copyTo(Device)} does.
   *
   * <p>{@link Object#toString()} of an array is the first 10 rows likewise, if they can be read at once. It never
   * copies or waits: of an array that is elsewhere, not ready, or closed, it says what the array is and where.
   *
   * @param rows how many at most
   */
  default String toString(int rows) {
    return TextTable.of(this, rows);
  }

  /** One more handle of the same array, to be closed by the caller. */
  DeviceArray retain();

  /** This handle's array as a new handle, to be closed by the caller; this one is consumed. */
  DeviceArray move();

  /**
   * A handle of some of the elements, without a copy; to be closed by the caller.
   *
   * @param from the first element
   * @param count how many
   */
  DeviceArray slice(long from, long count);

  /**
   * One more handle, of a child: of a column, in a record batch; to be closed by the caller. It may outlive this one.
   * The child is as it is stored, without a copy: where a struct is null, its children have whatever they hold there.
   * Where that matters, as for consumers that get a column of a batch, {@link #pushDownNulls} comes before.
   *
   * @param index the child's position in the type
   */
  DeviceArray retainChild(int index);

  /** Whether this handle can be used. */
  boolean isOpen();

  /** Gives up this handle. The array is freed, or released to its producer, if it was the last. */
  @Override
  void close();
}
