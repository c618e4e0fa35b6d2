// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.ColumnJoin;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.array.SelectedArray;
import org.arbalest.device.internal.array.StructBlock;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Projection;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;

/** Batches with other columns than an existing batch, which share its buffers. */
public final class ArrayColumns {
  /** The owner of the columns, for errors. */
  private static final String BATCH = "the batch";

  /** The part of an operation that needs the batch's memory, which the caller holds. */
  private interface Operation {
    RecordBatch apply(Ownership owner, Field batch);
  }

  private ArrayColumns() {}

  /** See {@link RecordBatch#select(String...)}. */
  public static RecordBatch select(RecordBatchImpl array, String... paths) {
    Objects.requireNonNull(paths, "paths");
    return held(array, (owner, batch) -> select(array, owner, Projection.of(batch, BATCH, paths)));
  }

  /** See {@link RecordBatch#select(int...)}. */
  public static RecordBatch select(RecordBatchImpl array, int... indices) {
    Objects.requireNonNull(indices, "indices");
    return held(array, (owner, batch) -> select(array, owner, Projection.of(batch, indices)));
  }

  /** See {@link RecordBatch#select(List, List)}. */
  public static RecordBatch select(RecordBatchImpl array, List<String> columns, List<String> names) {
    Objects.requireNonNull(columns, "columns");
    Objects.requireNonNull(names, "names");
    return held(array, (owner, batch) -> {
      if (columns.size() != names.size())
        throw new IllegalArgumentException("each column needs a name, but there are " + names.size() + " names for "
            + columns.size() + " columns");
      int[] positions = columns.stream().mapToInt(column -> Projection.find(batch, column, BATCH)).toArray();
      return select(array, owner, Projection.of(batch, positions).withNames(names));
    });
  }

  /** See {@link RecordBatch#drop}. */
  public static RecordBatch drop(RecordBatchImpl array, String... names) {
    Objects.requireNonNull(names, "names");
    return held(array, (owner, batch) -> select(array, owner, Projection.without(batch, BATCH, names)));
  }

  /**
   * Returns a batch with the columns of a projection.
   *
   * @param projection of a field that differs from the array's at most in metadata, nullability, and the names of items
   */
  public static RecordBatch select(RecordBatchImpl array, Projection projection) {
    return held(array, (owner, _) -> select(array, owner, projection));
  }

  private static RecordBatch select(RecordBatchImpl array, Ownership owner, Projection projection) {
    StructBlock block = new StructBlock(projection.structs, projection.fields);
    try {
      long root = write(block, projection, array.struct(owner));
      DeviceArrayImpl handle =
          DeviceArrayImpl.of(array.device(), projection.result, root, array.offset(), array.length());
      SelectedArray selected = SelectedArray.of(owner, block.address, projection.structs, array.struct(owner));
      return RecordBatchImpl.unwrap(handle.holding(selected));
    } catch (Throwable t) {
      NativeHeap.free(block.address);
      throw t;
    }
  }

  private static long write(StructBlock block, Projection projection, long from) {
    int count = projection.size();
    long to = block.copy(from);
    RawArrowArray.setNChildren(to, count);
    RawArrowArray.setChildren(to, count == 0 ? 0 : block.list(count));
    for (int i = 0; i < count; i++) {
      long child = RawArrowArray.child(from, projection.position(i));
      Projection part = projection.part(i);
      RawArrowArray.setChild(to, i, part == null ? child : write(block, part, child));
    }
    return to;
  }

  /** See {@link RecordBatch#rename}. */
  public static RecordBatch rename(RecordBatchImpl array, String from, String to) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    return held(array, (owner, batch) -> {
      int position = Projection.find(batch, from, BATCH);
      Field[] fields = Layout.of(batch).children.clone();
      fields[position] = fields[position].withName(to);
      for (int i = 0; i < fields.length; i++) {
        if (i == position || !fields[i].name().equals(to)) continue;
        throw new IllegalArgumentException(
            "cannot rename \"" + from + "\": the batch already has a column \"" + to + "\", at " + i
                + "; drop or rename that column first");
      }
      return withField(array, owner, batch.storage().withType(new StructType(Arrays.asList(fields))));
    });
  }

  /** See {@link RecordBatch#withMetadata}. */
  public static RecordBatch withMetadata(RecordBatchImpl array, Metadata metadata) {
    Objects.requireNonNull(metadata, "metadata");
    return held(array, (owner, batch) -> withField(array, owner, batch.withMetadata(metadata)));
  }

  private static RecordBatch withField(RecordBatchImpl array, Ownership owner, Field field) {
    DeviceArrayImpl handle =
        DeviceArrayImpl.of(array.device(), field, array.struct(owner), array.offset(), array.length());
    owner.retain();
    return RecordBatchImpl.unwrap(handle.holding(owner));
  }

  /** See {@link RecordBatch#withColumn}. */
  public static RecordBatch withColumn(RecordBatchImpl array, String name, DeviceArrayImpl column) {
    Objects.requireNonNull(name, "name");
    return held(array, (owner, batch) -> {
      Ownership added = column.share();
      try {
        requireLike(array, name, column, BATCH + " has " + DeviceArrayImpl.counted(array.length(), "row"));
        return withColumn(array, owner, batch, name, column, added);
      } finally {
        added.release();
      }
    });
  }

  private static RecordBatch withColumn(RecordBatchImpl array, Ownership owner, Field batch, String name,
      DeviceArrayImpl column, Ownership added) {
    long struct = array.struct(owner);
    FieldImpl[] present = Layout.of(batch).children;
    List<Field> fields = new ArrayList<>(Arrays.asList(present));
    int replaced = FieldImpl.unwrap(batch).indexOf(name, BATCH);
    Field field = column.field().withName(name);
    if (replaced < 0) {
      fields.add(field);
    } else {
      fields.set(replaced, field);
    }
    ColumnJoin join = new ColumnJoin(array.device(), array.length());
    for (int i = 0; i < fields.size(); i++) {
      if (i == replaced || i == present.length) {
        join.add(added, field, column.struct(added), column.offset());
      } else {
        long child = RawArrowArray.child(struct, i);
        join.add(owner, present[i], child, RawArrowArray.offset(child) + array.offset());
      }
    }
    Field result = batch.storage().withType(new StructType(fields));
    if (RawArrowArray.buffer(struct, 0) == 0 || RawArrowArray.nullCount(struct) == 0) return join.make(result);
    if (join.hasInFront(array.offset())) return join.make(result, owner, struct, array.offset());
    return withMovedRows(array, owner, batch, join, result);
  }

  /**
   * Makes the batch with a copy of its own bitmap, in which the first row is at 0. The rows of the bitmap and of the
   * columns are at the same positions, but the new column has too few elements in front of its first row.
   */
  private static RecordBatch withMovedRows(RecordBatchImpl array, Ownership owner, Field batch, ColumnJoin join,
      Field result) {
    try (RecordBatch bitmap = select(array, owner, Projection.of(batch));
        DeviceArray moved = ArrayConversion.compact(DeviceArrayImpl.unwrap(bitmap))) {
      DeviceArrayImpl rows = DeviceArrayImpl.unwrap(moved);
      Ownership held = rows.share();
      try {
        return join.make(result, held, rows.struct(held), rows.offset());
      } finally {
        held.release();
      }
    }
  }

  /** See {@link RecordBatch#ofColumns}. */
  public static RecordBatch ofColumns(List<String> names, List<? extends DeviceArray> columns) {
    Objects.requireNonNull(names, "names");
    Objects.requireNonNull(columns, "columns");
    List<DeviceArrayImpl> arrays = new ArrayList<>(columns.size());
    for (DeviceArray column : columns)
      arrays.add(DeviceArrayImpl.unwrap(Objects.requireNonNull(column, () -> "columns[" + arrays.size() + "]")));
    Ownership[] owners = new Ownership[arrays.size()];
    int shared = 0;
    try {
      while (shared < owners.length) {
        owners[shared] = arrays.get(shared).share();
        shared++;
      }
      return ofColumns(names, arrays, owners);
    } finally {
      while (shared > 0) owners[--shared].release();
    }
  }

  private static RecordBatch ofColumns(List<String> names, List<DeviceArrayImpl> arrays, Ownership[] owners) {
    if (arrays.isEmpty())
      throw new IllegalArgumentException("a batch needs at least one array, which defines the number of rows");
    if (names.size() != arrays.size()) {
      throw new IllegalArgumentException(
          "each array needs a name, but there are " + names.size() + " names for " + arrays.size() + " arrays");
    }
    DeviceArrayImpl first = arrays.getFirst();
    ColumnJoin join = new ColumnJoin(first.device(), first.length());
    List<Field> fields = new ArrayList<>();
    for (int i = 0; i < arrays.size(); i++) {
      DeviceArrayImpl array = arrays.get(i);
      String name = Objects.requireNonNull(names.get(i), "names[" + i + "]");
      requireLike(first, name, array,
          "column \"" + names.getFirst() + "\" has " + DeviceArrayImpl.counted(first.length(), "row"));
      Field field = array.field().withName(name);
      fields.add(field);
      join.add(owners[i], field, array.struct(owners[i]), array.offset());
    }
    return join.make(Schema.of(fields).asField());
  }

  /** Throws unless a column has the length and the device of an array. */
  private static void requireLike(DeviceArrayImpl array, String name, DeviceArrayImpl column, String other) {
    if (column.length() != array.length()) {
      throw new IllegalArgumentException("column \"" + name + "\" has "
          + DeviceArrayImpl.counted(column.length(), "row") + ", but " + other
          + "; the columns of a batch have the same length");
    }
    if (!column.device().equals(array.device())) {
      throw new IllegalArgumentException("column \"" + name + "\" is on " + column.device() + ", but the other columns"
          + " are on " + array.device() + "; copy it there with copyTo");
    }
  }

  /** Calls an operation with a reference to the batch's memory. */
  private static RecordBatch held(RecordBatchImpl array, Operation operation) {
    Ownership owner = array.share();
    try {
      return operation.apply(owner, array.schema().asField());
    } finally {
      owner.release();
    }
  }
}
