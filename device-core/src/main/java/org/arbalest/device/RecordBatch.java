// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.convert.ArrayColumns;
import org.arbalest.device.internal.convert.ArrayConversion;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * A handle of a record batch: columns of one length, with a schema. In the C interface, a batch is an array of structs,
 * so a batch is a {@link DeviceArray} as well, with all its operations.
 *
 * <p>The caller that gets a batch owns it, and closes or exports it. All handles of a batch share its memory, and the
 * last one frees it. The content does not change. Several threads may read one handle; one of them closes it. A
 * {@link Column} is borrowed: it is valid while its handle is open. A batch may have null rows of its own, which
 * {@link #pushDownNulls} moves into the columns. {@link DeviceArray} has the details.
 */
@CheckReturnValue
public sealed interface RecordBatch extends DeviceArray permits RecordBatchImpl {
  /**
   * Creates a batch from buffers, which it takes over; see {@link DeviceArray#of(Field, ArrayData)}.
   *
   * @param data an element for each column, and the bitmap of the batch's own nulls, if it has any
   */
  static RecordBatch of(Schema schema, ArrayData data) {
    return RecordBatchImpl.unwrap(ArrayAssembly.of(schema.asField(), data));
  }

  /**
   * Creates a batch from buffers that queued work still writes; see
   * {@link DeviceArray#of(Field, ArrayData, DeviceStream)}.
   */
  static RecordBatch of(Schema schema, ArrayData data, DeviceStream stream) {
    return RecordBatchImpl.unwrap(ArrayAssembly.of(schema.asField(), data, stream));
  }

  /**
   * Creates a batch of arrays, without a copy: the reverse of {@link #retainChild}. Each array keeps its
   * nullability, metadata and extension type.
   *
   * <p>The caller still owns the arrays, and may close them immediately: the batch has its own references. It keeps the
   * memory of each array until it is released itself.
   *
   * <p>The batch is ready when all arrays are. If several have different events that are not complete, a new stream of
   * an event's device waits for them, and the batch has an event after that. An event of a runtime that is unknown to
   * the stream's runtime blocks the caller.
   *
   * @param names the name of each column; Arrow allows empty names, and the same name several times
   * @param columns at least one array, all of the same length and on the same device
   * @return the batch, without null rows of its own; the caller closes it
   * @throws IllegalArgumentException if no arrays are given, if the numbers of names and arrays differ, or if the
   *     lengths or devices differ; the message has both
   * @throws IllegalStateException if an array was closed
   * @throws DeviceException with the error of an event; with {@code ENOSYS} if several events have to be awaited, and
   *     no backend supports one of them
   */
  static RecordBatch ofColumns(List<String> names, List<? extends DeviceArray> columns) {
    return ArrayColumns.ofColumns(names, columns);
  }

  /** Returns the schema: the columns and the metadata. */
  Schema schema();

  /**
   * Returns this batch with its null rows moved into its columns. In the result each column is null in these
   * rows, and the batch has no bitmap of its own. The field stays the same. This handle stays open and unchanged.
   * ({@link RecordBatchReader#pushDownNulls} consumes its reader.)
   *
   * <p>In the C interface a batch is a struct, whose own bitmap may mark rows as null. Some consumers split a batch
   * into columns, such as DuckDB. They read only the columns, and mistake the bytes stored in such a row for values
   * (REQ-21).
   *
   * <p>Bitmaps are written, and booleans of a slice that do not begin at a byte. All other buffers are shared. If there
   * is a bitmap to read, this call waits as {@link #synchronize} does. Otherwise the result is another handle of the
   * same array.
   *
   * @return the result; the caller closes it
   * @throws DeviceException with {@code EINVAL} if a row is null and a column is not nullable, or has no bitmap, such
   *     as unions and run-ends; the message has the path and the row. With {@code ENOSYS} if the CPU cannot read the
   *     batch's bitmap, {@code ENOMEM} if there is not enough memory
   */
  default RecordBatch pushDownNulls() {
    return ArrayConversion.pushDownNulls(RecordBatchImpl.unwrap(this));
  }

  /**
   * Returns the column at a position. Borrowed: it is valid while this handle is open.
   *
   * <p>Positions count only the batch's own columns. {@link org.arbalest.device.statistics.Statistics#column} also
   * counts the children of columns.
   *
   * @throws DeviceException with {@code EINVAL} if the batch's own bitmap has null rows that its columns do not have
   *     (REQ-21). {@link #pushDownNulls} makes a batch whose columns have them; {@link #asColumn} returns the columns
   *     as they are stored. With {@code ENOSYS} if only that bitmap can decide this, and the CPU cannot read it
   */
  default Column column(int index) {
    return ColumnImpl.ofBatch(RecordBatchImpl.unwrap(this)).column(index);
  }

  /**
   * Returns the column of this name; see {@link #column(int)}.
   *
   * @throws IllegalArgumentException if no column or several columns have the name; the message lists the names
   */
  default Column column(String name) {
    return ColumnImpl.ofBatch(RecordBatchImpl.unwrap(this)).column(name);
  }

  /**
   * Returns this batch with only some columns, in the given order, without a copy. It works on any device, does
   * not wait, and reads no buffer. This handle stays open. ({@link RecordBatchReader#select(String...)} consumes its
   * reader.)
   *
   * <p>A path is the name of a column, or leads to a field of a struct: {@code "a.b"} is the field b of the column a.
   * The result then has a struct a with the selected fields only, where the first of them was given. It keeps the nulls
   * of a, but not its extension type. If a name contains a dot, the longest name counts: a column {@code "a.b"} before
   * a field b of a. A column that is given twice occurs twice.
   *
   * <p>The rows stay the same, also those that the batch's own bitmap makes null, and so does the schema's metadata.
   * The result keeps <b>all</b> memory of this batch, also that of the other columns: an array is released as a whole.
   * {@link #copyTo} makes a batch without it. A reader that makes only the selected columns saves more.
   *
   * @return the batch; the caller closes it
   * @throws IllegalArgumentException if no field or several fields have a path, or if a
   *     struct is selected as well as some of its fields; the message lists the candidates
   */
  default RecordBatch select(String... paths) {
    return ArrayColumns.select(RecordBatchImpl.unwrap(this), paths);
  }

  /**
   * Returns this batch with only the columns at these positions; see {@link #select(String...)}.
   *
   * @throws IndexOutOfBoundsException if the batch has no column at a position
   */
  default RecordBatch select(int... indices) {
    return ArrayColumns.select(RecordBatchImpl.unwrap(this), indices);
  }

  /**
   * Returns this batch with only some columns, in the given order, each with a name of its own, without a copy;
   * see {@link #select(String...)}. The columns are given by names, which are not paths.
   *
   * @param columns the names of the columns in this batch
   * @param names their names in the result, one for each column
   * @return the batch; the caller closes it
   * @throws IllegalArgumentException if no column or several columns have a name, or if
   *     the numbers of columns and of names differ
   */
  default RecordBatch select(List<String> columns, List<String> names) {
    return ArrayColumns.select(RecordBatchImpl.unwrap(this), columns, names);
  }

  /**
   * Returns this batch without some columns, without a copy. The rest is as in {@link #select(String...)}, but
   * names are not paths.
   *
   * @return the batch, which may have rows without columns; the caller closes it
   * @throws IllegalArgumentException if no column or several columns have a name; the
   *     message lists the candidates
   */
  default RecordBatch drop(String... names) {
    return ArrayColumns.drop(RecordBatchImpl.unwrap(this), names);
  }

  /**
   * Returns this batch with another name for a column, without a copy. This handle stays open.
   *
   * @return the batch; the caller closes it
   * @throws IllegalArgumentException if no column or several columns have the name, or if
   *     another column has the new name
   */
  default RecordBatch rename(String from, String to) {
    return ArrayColumns.rename(RecordBatchImpl.unwrap(this), from, to);
  }

  /**
   * Returns this batch with another column, without a copy of columns. The column replaces the column of this
   * name in its place, or becomes the last. It keeps its nullability, metadata and extension type.
   *
   * <p>Both handles stay open, also if this call throws: the result has its own references. The result is ready when
   * both arrays are, see {@link #ofColumns}.
   *
   * <p>The rows that the batch's own bitmap makes null stay null, regardless of the column. Only this bitmap may have
   * to be copied: if the batch is a slice, and the column has no elements in front of its first row. The call then
   * waits as {@link #synchronize} does.
   *
   * @param column an array of the batch's length, on its device
   * @return the batch; the caller closes it
   * @throws IllegalArgumentException if several columns have the name, or if the column
   *     has another length or is on another device; the message has both
   * @throws DeviceException with {@code ENOSYS} if a bitmap must be copied that the CPU cannot read: copy the batch, by
   *     {@link #copyTo}. With {@code ENOMEM} if there is not enough memory; with the errors of {@link #ofColumns}
   */
  default RecordBatch withColumn(String name, DeviceArray column) {
    Objects.requireNonNull(column, "column");
    return ArrayColumns.withColumn(RecordBatchImpl.unwrap(this), name, DeviceArrayImpl.unwrap(column));
  }

  /**
   * Returns this batch with other metadata of its schema, without a copy. This handle stays open.
   *
   * @return the batch; the caller closes it
   */
  default RecordBatch withMetadata(Metadata metadata) {
    return ArrayColumns.withMetadata(RecordBatchImpl.unwrap(this), metadata);
  }

  @Override
  default RecordBatch copyTo(Device target) {
    return RecordBatchImpl.unwrap(DeviceArray.super.copyTo(target));
  }

  @Override
  default RecordBatch copyTo(Device target, DeviceStream stream) {
    return RecordBatchImpl.unwrap(DeviceArray.super.copyTo(target, stream));
  }

  @Override
  default RecordBatch copyTo(MemoryManager target, DeviceStream stream) {
    return RecordBatchImpl.unwrap(DeviceArray.super.copyTo(target, stream));
  }

  @Override
  default RecordBatch viewOrCopyTo(Device target, DeviceStream stream) {
    return RecordBatchImpl.unwrap(DeviceArray.super.viewOrCopyTo(target, stream));
  }

  @Override
  default RecordBatch viewOrCopyTo(Device target) {
    return RecordBatchImpl.unwrap(DeviceArray.super.viewOrCopyTo(target));
  }

  @Override
  default RecordBatch convertTo(Field requested) {
    return RecordBatchImpl.unwrap(DeviceArray.super.convertTo(requested));
  }

  /** Converts this batch to the layout of another schema; see {@link #convertTo(Field)}. */
  default RecordBatch convertTo(Schema requested) {
    return convertTo(requested.asField());
  }

  @Override
  default RecordBatch countNulls(DeviceStream stream) {
    return RecordBatchImpl.unwrap(DeviceArray.super.countNulls(stream));
  }

  @Override
  default RecordBatch compact() {
    return RecordBatchImpl.unwrap(DeviceArray.super.compact());
  }

  @Override
  default RecordBatch filter(Selection rows) {
    return RecordBatchImpl.unwrap(DeviceArray.super.filter(rows));
  }

  @Override
  default RecordBatch take(long... rows) {
    return RecordBatchImpl.unwrap(DeviceArray.super.take(rows));
  }

  @Override
  default RecordBatch take(int... rows) {
    return RecordBatchImpl.unwrap(DeviceArray.super.take(rows));
  }

  @Override
  default RecordBatch take(Column rows) {
    return RecordBatchImpl.unwrap(DeviceArray.super.take(rows));
  }

  @Override
  RecordBatch retain();

  @Override
  RecordBatch move();

  @Override
  RecordBatch slice(long from, long count);
}
