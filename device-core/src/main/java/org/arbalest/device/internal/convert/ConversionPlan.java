// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.arbalest.device.Conversion;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.copy.Positions;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.internal.schema.ViewStruct;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a conversion: buffers of the source that stay unchanged, and pieces of one new allocation.
 *
 * <p>Measuring reads and checks the necessary buffers, and copies nothing. It throws {@link MalformedException} if the
 * array is invalid or does not fit the request.
 */
final class ConversionPlan implements AutoCloseable {
  static final long ALIGNMENT = 64;

  final Ownership owner;

  /** Whether the new buffers contain only the visible elements. */
  final boolean isCompact;

  private final Device device;

  /** The conversion of booleans, if the CPU cannot read the array; null if the CPU converts. */
  private final @Nullable QueuedBooleans queued;

  /** Lists of positions, and masks; freed at the end. */
  private final List<DeviceBuffer> temporary = new ArrayList<>();

  private boolean isReadable;
  private boolean isUnreachable;
  private long total;
  private long copiedBytes;
  private int copied;
  private int shared;

  ConversionPlan(Ownership owner, Device device, boolean isCompact, @Nullable QueuedBooleans queued) {
    this.owner = owner;
    this.device = device;
    this.isCompact = isCompact;
    this.queued = queued;
  }

  @Nullable
  QueuedBooleans queued() {
    return queued;
  }

  @Override
  public void close() {
    for (DeviceBuffer memory : temporary) memory.close();
    temporary.clear();
  }

  /** Returns the size of the allocation in bytes. */
  long total() {
    return total;
  }

  Conversion conversion() {
    return new Conversion(copiedBytes, copied, shared);
  }

  /** Returns whether the result has no buffer of the source. */
  boolean isAllNew() {
    return shared == 0 && total > 0;
  }

  /** Returns whether the conversion failed because the CPU cannot read the buffers. */
  boolean isUnreachable() {
    return isUnreachable;
  }

  /** Must be called before buffers are read. Blocks until the array's event completes. */
  void look() {
    if (isReadable) return;
    if (!owner.isCpuAccessible()) {
      isUnreachable = true;
      throw new MalformedException(
          "the CPU cannot read buffers on " + device + "; copy the array to the CPU first, with copyTo");
    }
    EventPoint event = owner.event();
    if (event != null) {
      SyncEventImpl.synchronize(event, owner);
    } else if (owner.syncEvent() != 0) {
      DeviceImpl.unwrap(device).driver(); // throws, because the device is unknown and nothing can wait
    }
    isReadable = true;
  }

  /** Allocates a list of {@code count} positions, a long each. */
  long list(long count) {
    requireRoom(count);
    return temporary(Long.BYTES * count);
  }

  /** Throws if a list of the elements' positions would exceed any memory. */
  static void requireRoom(long count) {
    if (count > Layout.MOST_BYTES / Long.BYTES)
      throw new MalformedException(count + " elements do not fit in memory");
  }

  /**
   * Throws if the positions of {@code lists} lists with {@code each} elements, at least one, would exceed any memory.
   */
  static void requireRoom(long lists, long each) {
    if (lists > Layout.MOST_BYTES / Long.BYTES / each)
      throw new MalformedException(lists + " lists of " + each + " elements do not fit in memory");
  }

  /** Allocates memory that is freed at the end of the conversion. */
  long temporary(long bytes) {
    DeviceBuffer memory = CpuDevice.get().allocate(bytes);
    temporary.add(memory);
    return memory.address();
  }

  /** Adds a buffer of the source, or a part of it. */
  Node.Buffer share(long address, long bytes) {
    if (address != 0) shared++;
    return new Node.Buffer(address, bytes, null);
  }

  Node.Buffer share(long address) {
    return share(address, 0);
  }

  /** Adds a buffer to write. An empty buffer has an address, too (ARR-08). */
  Node.Buffer piece(long bytes, LongConsumer writer) {
    if (queued != null) look(); // throws, because the CPU cannot write the piece
    return queuedPiece(bytes, writer);
  }

  /** Adds a buffer for which the writer only queues work. */
  Node.Buffer queuedPiece(long bytes, LongConsumer writer) {
    if (bytes < 0 || bytes > Layout.MOST_BYTES - total)
      throw new MalformedException(bytes + " bytes beside " + total + " others do not fit in memory");
    Node.Buffer piece = new Node.Buffer(total, bytes, writer);
    total = (total + Math.max(bytes, 1) + ALIGNMENT - 1) & -ALIGNMENT;
    copiedBytes += bytes;
    if (bytes > 0) copied++;
    return piece;
  }

  /** Measures an array of the result, which consists of the selected elements of a struct. */
  Node measure(Field from, long struct, Rows rows, Field to) {
    return measure(from, struct, rows, to, false);
  }

  private Node measure(Field from, long struct, Rows rows, Field to, boolean isEntry) {
    if (from.type() instanceof RunEndEncodedType && !(to.type() instanceof RunEndEncodedType))
      return Encodings.expand(this, from, struct, rows, to);
    if (from.type() instanceof DictionaryType && !(to.type() instanceof DictionaryType))
      return Encodings.decode(this, from, struct, rows, to);
    if (rows.isRange() && !isCompact && !rows.takesNulls && Compatible.isSame(from, to, isEntry))
      return same(Layout.of(from), struct, rows.start, rows.count);
    Layout layout = Layout.of(to);
    Node node = new Node(layout, rows.count);
    node.offset = inFront(from, struct, rows, to);
    addParts(node, from, struct, node.offset == 0 ? rows : rows.from(rows.start - node.offset), to, isEntry);
    return node;
  }

  /** Returns how many elements in front of the rows the result has, because the CPU moves no bits on a device. */
  private long inFront(Field from, long struct, Rows rows, Field to) {
    if (owner.isCpuAccessible() || isCompact || rows.count == 0 || !rows.isRange() || rows.takesNulls) return 0;
    boolean hasBits = bitmap(Layout.of(from), struct) != 0
        || (from.type() instanceof BoolType && to.type() instanceof BoolType);
    return hasBits ? rows.start & 7 : 0;
  }

  /** Adds the buffers of a node and the arrays below it. The rows include those in front of the node's offset. */
  private void addParts(Node node, Field from, long struct, Rows rows, Field to, boolean isEntry) {
    Layout layout = node.layout;
    if (layout.shape == Layout.Shape.NULL) addNulls(node, from, rows, to);
    if (layout.shape.hasValidity) addValidity(node, from, struct, rows, to);
    switch (layout.shape) {
      case NULL -> {}
      case FIXED -> FixedWidth.measure(this, node, from, struct, rows, to);
      case VARIABLE -> Texts.measure(this, node, new TextSource(this, Layout.of(from), struct, rows));
      case VIEW -> TextViews.measure(this, node, new TextSource(this, Layout.of(from), struct, rows));
      case LIST, LIST_VIEW -> Lists.measure(this, node, from, struct, rows, to);
      case STRUCT -> addFields(node, from, struct, rows, to, isEntry);
      case FIXED_LIST -> addItems(node, from, struct, rows, to);
      case SPARSE_UNION -> Unions.sparse(this, node, from, struct, rows, to);
      case DENSE_UNION -> Unions.dense(this, node, from, struct, rows, to);
      case RUN_END -> Encodings.runs(this, node, from, struct, rows, to);
    }
  }

  /** Measures a struct without its validity bitmap; the nulls move into its fields. */
  Node pushDown(Field struct, long address, Rows rows) {
    Node node = new Node(Layout.of(struct), rows.count);
    node.buffers.add(Node.Buffer.NONE);
    List<Field> fields = struct.type().children();
    for (int i = 0; i < fields.size(); i++) {
      int index = i;
      node.add(fields.get(i).name(), () -> pushedDown(struct, address, rows, index));
    }
    return node;
  }

  /** Measures a field of a struct, with the nulls of the struct added to its own. */
  Node pushedDown(Field struct, long address, Rows rows, int index) {
    long bitmap = bitmap(Layout.of(struct), address);
    if (bitmap != 0) look();
    Field field = struct.type().children().get(index);
    long child = RawArrowArray.child(address, index);
    Rows below = rows.child(this, child, 1, above(Layout.of(struct), address, rows, 0, 0, 1));
    if (rows.nulls(this, bitmap) == 0) return measure(field, child, below, field);
    long row = rows.exposedNull(bitmap);
    Layout.Shape shape = Layout.of(field).shape;
    if (!shape.hasValidity && shape != Layout.Shape.NULL) {
      throw new MalformedException(
          "row " + row + " of the batch is null in the batch's own bitmap, but " + TypeNames.of(field)
              + " has no bitmap");
    }
    if (!field.isNullable()) {
      throw new MalformedException("row " + row
          + " of the batch is null in the batch's own bitmap, but this column is not nullable: call convertTo with a "
          + "schema in which it is");
    }
    return measure(field, child, below.takingNulls(), field);
  }

  /** Measures a batch in which elements without a source are nulls of each column, and not of the batch. */
  Node withNullRows(Field batch, long address, Rows rows) {
    Layout layout = Layout.of(batch);
    Node node = new Node(layout, rows.count);
    long bitmap = bitmap(layout, address);
    node.nulls = rows.ownNulls(bitmap);
    node.buffers.add(node.nulls == 0 ? Node.Buffer.NONE
        : piece((rows.count + 7) >>> 3, to -> rows.writeOwnValidity(bitmap, to)));
    addFields(node, batch, address, rows, batch, false);
    return node;
  }

  /** Measures a child of the result, which comes from a child of the source. */
  void child(Node node, Field from, int own, long struct, Rows rows, Field to, int asked) {
    Field wanted = to.type().children().get(asked);
    boolean isEntry = to.type() instanceof MapType;
    node.add(wanted.name(),
        () -> measure(from.type().children().get(own), RawArrowArray.child(struct, own), rows, wanted, isEntry));
  }

  private void addFields(Node node, Field from, long struct, Rows rows, Field to, boolean isEntry) {
    int[] fields = Compatible.fields(from, to, isEntry);
    for (int i = 0; i < fields.length; i++) {
      long field = RawArrowArray.child(struct, fields[i]);
      child(node, from, fields[i], struct, rows.child(this, field, 1, above(Layout.of(from), struct, rows, 0, 0, 1)),
          to, i);
    }
  }

  private void addItems(Node node, Field from, long struct, Rows rows, Field to) {
    long size = node.layout.listSize;
    long items = RawArrowArray.child(struct, 0);
    Layout item = node.layout.children[0].layout;
    boolean isSlots = rows.isPlainList() && size > 0 && item.shape == Layout.Shape.FIXED && item.bits >= Byte.SIZE
        && size <= Integer.MAX_VALUE / item.width() && item.dictionary == null && from.type().equals(to.type())
        && bitmap(item, items) == 0;
    if (!isSlots) {
      // a list of positions could exceed the memory, and nulls have no positions
      boolean areNulls =
          !rows.isRange() && item.shape == Layout.Shape.NULL && to.type().children().getFirst().isNullable();
      Rows below = areNulls ? Rows.range(0, Math.multiplyExact(rows.count, size))
          : rows.child(this, items, size, above(Layout.of(from), struct, rows, 0, 0, size));
      child(node, from, 0, struct, below, to, 0);
      return;
    }
    Node slots = new Node(item, rows.count * size);
    long first = RawArrowArray.buffer(items, 1) + item.width() * RawArrowArray.offset(items);
    slots.buffers.add(Node.Buffer.NONE);
    slots.buffers.add(FixedWidth.values(this, first, item.bits * size, struct, rows)); // a list is one wide value
    node.children.add(slots);
  }

  static Rows.Above above(Layout layout, long struct, Rows rows, long types, int type, long each) {
    return new Rows.Above(rows, bitmap(layout, struct), types, type, each);
  }

  /** Returns the validity bitmap of a struct, or 0 if it has no nulls. */
  static long bitmap(Layout layout, long struct) {
    return layout.shape.hasValidity && RawArrowArray.nullCount(struct) != 0 ? RawArrowArray.buffer(struct, 0) : 0;
  }

  private void addNulls(Node node, Field from, Rows rows, Field to) {
    node.nulls = rows.count;
    if (to.isNullable() || (!from.isNullable() && !rows.isDecoded)) return;
    if (rows.mayBeHidden()) look();
    long row = rows.exposed();
    if (row >= 0) throw isNull(row);
  }

  private static MalformedException isNull(long row) {
    return new MalformedException("row " + row + ": is null, but the requested field is not nullable");
  }

  private void addValidity(Node node, Field from, long struct, Rows rows, Field to) {
    long bitmap = bitmap(Layout.of(from), struct);
    if (rows.takesNulls) {
      long all = rows.mask(this, bitmap).bitmap();
      long bytes = (rows.count + 7) >>> 3;
      node.nulls = rows.count - Bitmaps.countOnes(all, 0, rows.count);
      node.buffers.add(piece(bytes, address -> NativeHeap.copy(all, address, bytes)));
      return;
    }
    if (rows.count == 0 || (bitmap == 0 && !rows.hasNone)) {
      node.buffers.add(Node.Buffer.NONE);
      return;
    }
    boolean isAsked = !to.isNullable() && (from.isNullable() || rows.isDecoded || rows.hasNone);
    boolean isAligned = rows.isRange() && (rows.start & 7) == 0;
    if (isAligned && !isAsked && !isCompact) {
      boolean isWhole =
          rows.start + node.offset == RawArrowArray.offset(struct) && node.length == RawArrowArray.length(struct);
      node.nulls = isWhole ? RawArrowArray.nullCount(struct) : -1;
      node.buffers.add(share(bitmap + (rows.start >>> 3)));
      return;
    }
    look();
    node.nulls = rows.nulls(this, bitmap);
    if (isAsked && node.nulls > 0) {
      long row = rows.exposedNull(bitmap);
      if (row >= 0) throw isNull(row);
      // without values, no index would be valid in place of the null
      boolean hasValues = node.layout.dictionary == null || RawArrowArray.length(RawArrowArray.dictionary(struct)) > 0;
      // the requested field has no nulls, so hidden elements without a source become valid
      if (hasValues && rows.ownNulls(bitmap) == 0) node.nulls = 0;
    }
    if (node.nulls == 0) {
      node.buffers.add(Node.Buffer.NONE);
    } else if (isAligned && (!isCompact || rows.isWhole(struct))) {
      node.buffers.add(share(bitmap + (rows.start >>> 3)));
    } else {
      node.buffers.add(piece((rows.count + 7) >>> 3, address -> rows.writeValidity(bitmap, address)));
    }
  }

  /** Shares a range of a struct's elements unchanged, with all its descendants. */
  Node same(Layout layout, long struct, long start, long count) {
    Node node = new Node(layout, count);
    boolean isWhole = start == RawArrowArray.offset(struct) && count == RawArrowArray.length(struct);
    long surplus = Positions.surplus(layout, struct);
    long nulls = RawArrowArray.nullCount(struct);
    boolean isView = layout.shape == Layout.Shape.VIEW;
    node.offset = start;
    node.nulls =
        layout.shape == Layout.Shape.NULL ? count : !layout.shape.hasValidity || nulls == 0 ? 0 : isWhole ? nulls : -1;
    long buffers = isView ? 2 + ViewStruct.variadic(struct) : layout.shape.buffers;
    for (long i = 0; i < buffers; i++) {
      long address = RawArrowArray.buffer(struct, surplus + i);
      if (i == 0 && layout.shape.hasValidity && node.nulls == 0) address = 0;
      long bytes =
          isView && i >= 2 ? ViewStruct.dataSize(struct, i - 2)
              : layout.shape == Layout.Shape.VARIABLE && i == 2 ? textSize(layout, struct, isWhole) : 0;
      node.buffers.add(share(address, bytes));
    }
    for (int i = 0; i < layout.children.length; i++)
      node.children.add(sameWhole(layout.children[i].layout, RawArrowArray.child(struct, i)));
    if (layout.dictionary != null)
      node.dictionary = sameWhole(layout.dictionary.layout, RawArrowArray.dictionary(struct));
    return node;
  }

  /**
   * Returns the size of a struct's text in bytes, or a large number if it is unknown. A slice must still be bounded by
   * the last offset of its array (READ-07). If its size is unknown, returns that offset, unless the CPU cannot read it.
   */
  long textSize(Layout layout, long struct, boolean isWhole) {
    long known = owner.dataSize(struct);
    if (isWhole || known != Long.MAX_VALUE || !owner.isCpuAccessible() || RawArrowArray.length(struct) == 0)
      return known;
    look();
    long end = RawArrowArray.offset(struct) + RawArrowArray.length(struct);
    return Math.max(0, Integers.get(RawArrowArray.buffer(struct, 1), layout.bits, end));
  }

  /** Shares all elements of a struct unchanged. */
  Node sameWhole(Layout layout, long struct) {
    return same(layout, struct, RawArrowArray.offset(struct), RawArrowArray.length(struct));
  }
}
