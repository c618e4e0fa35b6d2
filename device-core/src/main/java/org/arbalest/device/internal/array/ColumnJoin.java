// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.arbalest.device.Device;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * A batch of columns that belong to several arrays. It shares their buffers. A column's struct is used unchanged if
 * possible. It is copied, without its buffers, if the rows begin at another position, or if its producer did not store
 * the sizes of text.
 */
public final class ColumnJoin {
  /** A column of the batch. Its struct is read once, because it may be a producer's. */
  private static final class Column {
    final Ownership structOwner;
    final Ownership checker;
    final Layout layout;
    final long struct;

    /** The position of the first row in the struct's buffers. */
    final long start;

    final long offset;
    final long length;

    /** Whether the data sizes of the struct are stored as unknown. It is then copied with the structs below it. */
    boolean mustStoreSizes;

    /** The offset and the length of the struct in the batch. */
    long newOffset;

    long newLength;

    Column(Ownership structOwner, Ownership checker, Layout layout, long struct, long start) {
      this.structOwner = structOwner;
      this.checker = checker;
      this.layout = layout;
      this.struct = struct;
      this.start = start;
      this.offset = RawArrowArray.offset(struct);
      this.length = RawArrowArray.length(struct);
    }

    /** Decides which parts are copied. */
    void decide(boolean storesSizes, long rowsOffset, long rows) {
      mustStoreSizes = storesSizes && !structOwner.storesDataSizes() && hasText(layout);
      newOffset = start - rowsOffset;
      newLength = rowsOffset + rows;
      boolean isLong = newOffset >= offset && length - (newOffset - offset) >= newLength;
      if (newOffset == offset && isLong) {
        newLength = length;
      } else if (isLong && layout.shape == Layout.Shape.VARIABLE && structOwner.dataSize(struct) == Long.MAX_VALUE) {
        newLength = length - (newOffset - offset); // the last offset is the only limit of the data (READ-07)
      }
    }

    boolean isMoved() {
      return newOffset != offset || newLength != length;
    }
  }

  /** The number of buffers of text and binary arrays. */
  private static final int VARIABLE = Layout.Shape.VARIABLE.buffers;

  private final Device device;
  private final long length;
  private final List<Column> columns = new ArrayList<>();
  private final Set<Ownership> sources = new LinkedHashSet<>(); // in the order of their columns

  /**
   * @param device the device of all columns
   * @param length the number of rows
   */
  public ColumnJoin(Device device, long length) {
    this.device = device;
    this.length = length;
  }

  /**
   * Adds a column. The caller has a reference to its array, and keeps it until the batch is made.
   *
   * @param start the position of the first row in the struct's buffers
   */
  public void add(Ownership owner, Field field, long struct, long start) {
    int index = columns.size();
    Ownership structOwner = owner.ownerOf(index, struct);
    columns.add(new Column(structOwner, owner.checker(index, struct), Layout.of(field), struct, start));
    sources.add(structOwner);
  }

  /** Returns whether each column's struct also has this number of elements in front of the first row. */
  public boolean hasInFront(long elements) {
    for (Column column : columns) {
      if (column.start - column.offset < elements) return false;
    }
    return true;
  }

  /** Creates the batch, with a reference to each of the arrays. It has no bitmap of its own. */
  public RecordBatch make(Field batch) {
    return made(batch, null, 0, 0);
  }

  /**
   * Creates the batch, with the bitmap of another batch.
   *
   * @param owner the owner of that batch, to which the caller has a reference
   * @param rows the struct of that batch
   * @param offset the position of the first row in its bitmap. All columns have as many elements in front
   */
  public RecordBatch make(Field batch, Ownership owner, long rows, long offset) {
    Ownership buffersOwner = owner.ownerOfBuffers(rows);
    sources.add(buffersOwner);
    return made(batch, buffersOwner, rows, offset);
  }

  private RecordBatch made(Field batch, @Nullable Ownership owner, long rows, long offset) {
    boolean storesSizes = false;
    for (Ownership source : sources) storesSizes |= source.storesDataSizes();
    for (Column column : columns) column.decide(storesSizes, offset, length);
    StructBlock block = block(rows);
    try {
      long root = root(block, Layout.of(batch), rows, offset);
      JoinedArray.Child[] children = new JoinedArray.Child[columns.size()];
      for (int i = 0; i < children.length; i++) {
        Column column = columns.get(i);
        long struct = struct(block, column);
        RawArrowArray.setChild(root, i, struct);
        Ownership structOwner = struct == column.struct ? column.structOwner : null;
        children[i] = new JoinedArray.Child(column.layout, struct, structOwner, column.checker);
      }
      DeviceArrayImpl handle = DeviceArrayImpl.of(device, batch, root, offset, length);
      Ownership[] all = sources.toArray(new Ownership[0]);
      JoinedArray joined = JoinedArray.of(device, all, children, owner, block.address, storesSizes, length == 0);
      return RecordBatchImpl.unwrap(handle.holding(joined)); // this cannot fail
    } catch (Throwable t) {
      NativeHeap.free(block.address);
      throw t;
    }
  }

  private StructBlock block(long rows) {
    int structs = 1;
    // without rows, the batch has its own list of one buffer
    long entries = (long) columns.size() + (rows == 0 ? 1 : 0);
    for (Column column : columns) {
      if (column.mustStoreSizes) {
        structs += structs(column.layout);
        entries += entries(column.layout);
      } else if (column.isMoved()) {
        structs++;
      }
    }
    return new StructBlock(structs, entries);
  }

  private long root(StructBlock block, Layout layout, long rows, long offset) {
    if (rows == 0) {
      long root = block.node(layout, length, 0, 0, 1);
      RawArrowArray.setBuffer(root, 0, 0);
      return root;
    }
    long root = block.copy(rows);
    setWindow(Layout.Shape.STRUCT, root, offset, length);
    RawArrowArray.setNChildren(root, columns.size());
    RawArrowArray.setChildren(root, columns.isEmpty() ? 0 : block.list(columns.size()));
    return root;
  }

  private static long struct(StructBlock block, Column column) {
    if (!column.mustStoreSizes && !column.isMoved()) return column.struct;
    long struct = column.mustStoreSizes ? copy(block, column.layout, column.struct) : block.copy(column.struct);
    setWindow(column.layout.shape, struct, column.newOffset, column.newLength);
    return struct;
  }

  /** Limits a struct to some of its elements. Its null count becomes unknown, unless it is 0. */
  private static void setWindow(Layout.Shape shape, long struct, long offset, long length) {
    if (RawArrowArray.offset(struct) == offset && RawArrowArray.length(struct) == length) return;
    RawArrowArray.setOffset(struct, offset);
    RawArrowArray.setLength(struct, length);
    if (shape == Layout.Shape.NULL) {
      RawArrowArray.setNullCount(struct, length);
    } else if (RawArrowArray.nullCount(struct) != 0) {
      RawArrowArray.setNullCount(struct, -1);
    }
  }

  /** Returns whether the array or an array below it has text or binary data, whose size only its owner knows. */
  private static boolean hasText(Layout layout) {
    if (layout.shape == Layout.Shape.VARIABLE) return true;
    for (FieldImpl child : layout.children) {
      if (hasText(child.layout)) return true;
    }
    return layout.dictionary != null && hasText(layout.dictionary.layout);
  }

  private static int structs(Layout layout) {
    if (!hasText(layout)) return 0;
    int structs = 1;
    for (FieldImpl child : layout.children) structs += structs(child.layout);
    return layout.dictionary == null ? structs : structs + structs(layout.dictionary.layout);
  }

  private static long entries(Layout layout) {
    if (!hasText(layout)) return 0;
    long entries = layout.shape == Layout.Shape.VARIABLE ? VARIABLE + 1 : layout.children.length;
    for (FieldImpl child : layout.children) entries += entries(child.layout);
    return layout.dictionary == null ? entries : entries + entries(layout.dictionary.layout);
  }

  /** Copies a struct, and the structs below it that lead to text, whose size is then stored as unknown. */
  private static long copy(StructBlock block, Layout layout, long struct) {
    if (!hasText(layout)) return struct;
    long copy = block.copy(struct);
    if (layout.shape == Layout.Shape.VARIABLE) {
      long buffers = block.list(VARIABLE + 1);
      NativeHeap.copy(RawArrowArray.buffers(struct), buffers, (long) VARIABLE * Long.BYTES);
      NativeHeap.putLong(buffers + (long) VARIABLE * Long.BYTES, Long.MAX_VALUE);
      RawArrowArray.setBuffers(copy, buffers);
    }
    FieldImpl[] children = layout.children;
    if (children.length > 0) RawArrowArray.setChildren(copy, block.list(children.length));
    for (int i = 0; i < children.length; i++)
      RawArrowArray.setChild(copy, i, copy(block, children[i].layout, RawArrowArray.child(struct, i)));
    FieldImpl values = layout.dictionary;
    if (values != null) RawArrowArray.setDictionary(copy, copy(block, values.layout, RawArrowArray.dictionary(struct)));
    return copy;
  }
}
