// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.compare.VectorEqualsVisitor;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.LargeListViewVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.NestedType.MapType;
import org.jspecify.annotations.Nullable;

/**
 * Loads an array into vectors: its buffers unchanged, from the array's first element on. It copies bits that do not
 * begin at a byte, and the run ends of slices, for which Arrow Java has no offset.
 */
final class VectorLoader {
  /** The number of bytes that all loaders have copied. */
  static final LongAdder COPIED = new LongAdder();

  /** An empty list that no thread uses now. */
  private static final AtomicReference<@Nullable List<ArrowBuf>> SPARE = new AtomicReference<>();

  private final ArrayLoan loan;

  /**
   * The loan of the vectors from which the array was made, if it was made from vectors. {@code next} is the buffer that
   * comes next if the buffers are used in their order.
   */
  private final @Nullable VectorLoan source;

  private int next;

  private final @Nullable LoadedDictionaries dictionaries;

  /** The buffers of the current vector; released after it is loaded. */
  private final List<ArrowBuf> buffers;

  /** The node of the last loaded vector; most vectors have the same number of elements as the one before. */
  private @Nullable ArrowFieldNode node;

  private VectorLoader(DeviceArray array, ArrayLoan loan, @Nullable LoadedDictionaries dictionaries,
      List<ArrowBuf> buffers) {
    this.loan = loan;
    this.source = ArrayBridge.origin(array) instanceof VectorLoan vectors ? vectors : null;
    this.dictionaries = dictionaries;
    this.buffers = buffers;
  }

  private static List<ArrowBuf> takeSpare() {
    List<ArrowBuf> spare = SPARE.getAndSet(null);
    return spare == null ? new ArrayList<>(3) : spare;
  }

  /**
   * Returns a node with a null count of 0. Arrow Java uses the null count only for vectors without a bitmap, which have
   * no nulls here.
   */
  private ArrowFieldNode node(int count) {
    ArrowFieldNode last = node;
    if (last != null && last.getLength() == count) return last;
    ArrowFieldNode next = new ArrowFieldNode(count, 0);
    node = next;
    return next;
  }

  /** Throws unless the CPU can read an array now. */
  static void requireReadable(DeviceArray array) {
    if (!array.device().isCpuAccessible()) {
      String first = "the array is on " + array.device() + ", but vectors are in main memory: ";
      throw new DeviceException(Errno.ENOSYS,
          first + "copy it with copyTo(Devices.cpu()), and wait for the copy with synchronize()");
    }
    if (!array.isReady()) {
      throw new IllegalStateException(
          "the array's event has not completed: wait with synchronize(), or use onReady() to learn when it has");
    }
  }

  /**
   * Loads a record batch into a root's vectors. On failure their content is undefined, but their state is valid. Throws
   * {@link Unfit}.
   */
  static void load(DeviceArray given, RootPlan plan, VectorSchemaRoot root, @Nullable LoadedDictionaries dictionaries,
      boolean isNew) {
    plan.requireLike(given.field());
    ArrayLoan loan = new ArrayLoan(given.retain()); // another thread may close the given handle
    List<ArrowBuf> buffers = null;
    try {
      DeviceArray array = loan.array;
      buffers = takeSpare();
      requireRows(array);
      VectorLoader loader = new VectorLoader(array, loan, dictionaries, buffers);
      ArrayStruct struct = ArrayBridge.struct(array);
      for (int i = 0; i < plan.columns.length; i++) loader.column(plan.columns[i], struct, i, array, root.getVector(i));
      if (isNew) return;
      root.setRowCount(count(array.length()));
      if (!plan.hasDenseUnion) return;
      // setRowCount sized the children of dense unions by the number of rows of each child, not by their offsets; so
      // load them again.
      for (int i = 0; i < plan.columns.length; i++) {
        if (plan.columns[i].hasDenseUnion) loader.column(plan.columns[i], struct, i, array, root.getVector(i));
      }
    } finally {
      if (buffers != null) SPARE.set(buffers);
      loan.release();
    }
  }

  /** Loads the dictionaries of a record batch, and no columns. Throws {@link Unfit}. */
  static void loadDictionaries(DeviceArray given, RootPlan plan, LoadedDictionaries dictionaries) {
    plan.requireLike(given.field());
    ArrayLoan loan = new ArrayLoan(given.retain());
    try {
      VectorLoader loader = new VectorLoader(loan.array, loan, dictionaries, new ArrayList<>(3));
      loader.dictionariesBelow(plan.columns, ArrayBridge.struct(loan.array));
    } finally {
      loan.release();
    }
  }

  private void dictionariesBelow(VectorPlan[] plans, ArrayStruct node) {
    for (int i = 0; i < plans.length; i++) {
      if (!plans[i].hasDictionary) continue;
      ArrayStruct child = node.child(i);
      try {
        dictionariesBelow(plans[i].children, child);
        if (plans[i].dictionary != null) loadDictionary(plans[i], plans[i].dictionary, child.dictionary());
      } catch (RuntimeException e) {
        throw Unfit.of(e).under(plans[i].field.name());
      }
    }
  }

  private void column(VectorPlan plan, ArrayStruct struct, int index, DeviceArray array, FieldVector vector) {
    loadChild(plan, struct.child(index), ArrayBridge.offset(array), array.length(), vector);
  }

  private static void requireRows(DeviceArray array) {
    if (ArrayBridge.struct(array).buffer(0) == 0) return;
    long nulls = array.asColumn().nullCount();
    if (nulls > 0) throw new Unfit(
        "there are " + nulls
            + " null rows, but only the columns of a root have nulls: pushDownNulls() moves the nulls into the "
            + "columns");
  }

  /** Loads an array into one vector. Throws {@link Unfit}. */
  static void load(DeviceArray given, VectorPlan plan, FieldVector vector, @Nullable LoadedDictionaries dictionaries) {
    ArrayLoan loan = new ArrayLoan(given.retain());
    try {
      DeviceArray array = loan.array;
      new VectorLoader(array, loan, dictionaries, new ArrayList<>(3)).load(plan, ArrayBridge.struct(array),
          ArrayBridge.offset(array), array.length(),
          vector);
    } finally {
      loan.release();
    }
  }

  /** Loads some elements of an array struct, and its children. */
  private void load(VectorPlan plan, ArrayStruct node, long start, long length, FieldVector vector) {
    if (vector instanceof ExtensionTypeVector<?> extension) {
      load(plan, node, start, length, (FieldVector) extension.getUnderlyingVector());
      return;
    }
    plan.requireLike(vector);
    int count = count(length);
    Throwable failure = null;
    try {
      takeBuffers(node, start, count, vector);
      vector.loadFieldBuffers(node(count), buffers);
    } catch (Throwable t) {
      failure = t;
    }
    Releases.raise(Releases.ofAll(buffers, failure));
    loadBelow(plan, node, start, count, vector);
    if (plan.dictionary != null) loadDictionary(plan, plan.dictionary, node.dictionary());
  }

  private void takeBuffers(ArrayStruct node, long start, int count, FieldVector vector) {
    BufferAllocator allocator = vector.getAllocator();
    switch (vector) {
      case NullVector _, RunEndEncodedVector _ -> {}
      case UnionVector _ -> take(node, typeIds(node, 1), start, count, 1, allocator);
      case DenseUnionVector _ -> {
        int first = typeIds(node, 2);
        take(node, first, start, count, 1, allocator);
        take(node, first + 1, start, count, Integer.BYTES, allocator);
      }
      default -> {
        takeValidity(node.buffer(0), start, count, allocator);
        takeOthers(node, start, count, vector, allocator);
      }
    }
  }

  /** Adds the buffers after the validity. */
  private void takeOthers(ArrayStruct node, long start, int count, FieldVector vector, BufferAllocator allocator) {
    switch (vector) {
      case BitVector _ -> takeBits(node.buffer(1), start, count, allocator);
      case BaseFixedWidthVector fixed -> take(node, 1, start, count, fixed.getTypeWidth(), allocator);
      case BaseVariableWidthVector _ -> {
        takeOffsets(node, start, count, Integer.BYTES, allocator);
        takeData(node, start, count, Integer.BYTES, allocator);
      }
      case BaseLargeVariableWidthVector _ -> {
        takeOffsets(node, start, count, Long.BYTES, allocator);
        takeData(node, start, count, Long.BYTES, allocator);
      }
      case BaseVariableWidthViewVector _ -> {
        take(node, 1, start, count, BaseVariableWidthViewVector.ELEMENT_SIZE, allocator);
        takeVariadic(node, allocator);
      }
      case ListVector _ -> takeOffsets(node, start, count, Integer.BYTES, allocator);
      case LargeListVector _ -> takeOffsets(node, start, count, Long.BYTES, allocator);
      case ListViewVector _ -> {
        take(node, 1, start, count, Integer.BYTES, allocator);
        take(node, 2, start, count, Integer.BYTES, allocator);
      }
      case LargeListViewVector _ -> {
        take(node, 1, start, count, Long.BYTES, allocator);
        take(node, 2, start, count, Long.BYTES, allocator);
      }
      case FixedSizeListVector _, StructVector _ -> {}
      default -> throw new Unfit("unsupported vector class: " + vector.getClass().getName());
    }
  }

  /**
   * Returns some bytes of the array as a buffer for an allocator. If the bytes come from vectors of the same allocator,
   * it is a slice of their buffer; otherwise it wraps the bytes and counts them. The caller releases the buffer.
   */
  private ArrowBuf borrow(BufferAllocator allocator, long buffer, long from, long bytes) {
    if (bytes == 0) return allocator.getEmpty();
    if (buffer == 0) throw new Unfit("a buffer of " + (from + bytes) + " bytes is missing");
    ArrowBuf own = source == null ? null : share(source, allocator, buffer + from, bytes);
    return own == null ? loan.wrap(allocator, buffer + from, bytes) : own;
  }

  private @Nullable ArrowBuf share(VectorLoan vectors, BufferAllocator allocator, long address, long bytes) {
    int count = vectors.count();
    for (int i = 0; i < count; i++) {
      if (next >= count) next = 0;
      int index = next++;
      if (vectors.has(index, address, bytes)) return vectors.share(index, address, bytes, allocator);
    }
    return null;
  }

  /** Returns the index of a union's first buffer: older producers put a validity bitmap before it (ARR-05). */
  private static int typeIds(ArrayStruct node, int expected) {
    return node.bufferCount() - expected;
  }

  private void take(ArrayStruct node, int buffer, long start, int count, int width, BufferAllocator allocator) {
    buffers.add(borrow(allocator, node.buffer(buffer), start * width, (long) count * width));
  }

  /**
   * Adds the offsets, one more than elements. An array without elements may have none; then a 0 is allocated, because
   * Arrow Java writes it to IPC.
   */
  private void takeOffsets(ArrayStruct node, long start, int count, int width, BufferAllocator allocator) {
    if (count > 0) {
      buffers.add(borrow(allocator, node.buffer(1), start * width, (count + 1L) * width));
      return;
    }
    ArrowBuf zero = allocator.buffer(width);
    buffers.add(zero);
    zero.setZero(0, width);
  }

  /**
   * Adds the bytes up to the last element's end. That end must not exceed the end of the whole array, where its data
   * end.
   */
  private void takeData(ArrayStruct node, long start, int count, int width, BufferAllocator allocator) {
    if (count == 0) {
      buffers.add(allocator.getEmpty());
      return;
    }
    long bytes = offset(node, start + count, width);
    long there = offset(node, node.offset() + node.length(), width);
    if (bytes < 0 || bytes > there)
      throw new Unfit("offsets[" + (start + count) + "] = " + bytes + ", but there are " + there + " bytes of data");
    buffers.add(borrow(allocator, node.buffer(2), 0, bytes));
  }

  private static long offset(ArrayStruct node, long index, int width) {
    long at = node.buffer(1) + index * width;
    return width == Integer.BYTES ? MemoryUtil.getInt(at) : MemoryUtil.getLong(at);
  }

  private void takeVariadic(ArrayStruct node, BufferAllocator allocator) {
    int count = node.bufferCount() - 3;
    long sizes = node.buffer(count + 2);
    for (int i = 0; i < count; i++) {
      buffers.add(borrow(allocator, node.buffer(2 + i), 0, MemoryUtil.getLong(sizes + (long) Long.BYTES * i)));
    }
  }

  private void takeValidity(long address, long start, int count, BufferAllocator allocator) {
    if (address == 0) {
      takeOnes(count, allocator);
    } else {
      takeBits(address, start, count, allocator);
    }
  }

  /**
   * Adds a bitmap without nulls. Arrow Java would create one itself; but if that allocation fails, the vector keeps its
   * old bitmap, which is already released.
   */
  private void takeOnes(int count, BufferAllocator allocator) {
    long bytes = (count + 7L) >>> 3;
    ArrowBuf ones = allocator.buffer(bytes);
    buffers.add(ones);
    ones.setOne(0, bytes);
    if ((count & 7) != 0) ones.setByte(bytes - 1, 0xff >>> (8 - (count & 7)));
  }

  private void takeBits(long address, long start, int count, BufferAllocator allocator) {
    boolean asTheyAre = (start & 7) == 0 || count == 0 || address == 0; // borrow rejects a missing buffer
    buffers.add(asTheyAre ? borrow(allocator, address, start >>> 3, (count + 7L) >>> 3)
        : shifted(address, start, count, allocator));
  }

  /** Returns a copy of bits that do not begin at a byte; reads no byte after the last bit. */
  private static ArrowBuf shifted(long address, long start, int count, BufferAllocator allocator) {
    long bytes = (count + 7L) >>> 3;
    int by = (int) (start & 7);
    long first = address + (start >>> 3);
    long last = address + ((start + count - 1) >>> 3);
    ArrowBuf copy = allocator.buffer(bytes);
    long done = 0;
    for (; done + Long.BYTES <= bytes && first + done + Long.BYTES <= last; done += Long.BYTES) {
      long high = (long) MemoryUtil.getByte(first + done + Long.BYTES) << (Long.SIZE - by);
      copy.setLong(done, MemoryUtil.getLong(first + done) >>> by | high);
    }
    for (; done < bytes; done++) {
      int low = (MemoryUtil.getByte(first + done) & 0xff) >>> by;
      int high = first + done < last ? MemoryUtil.getByte(first + done + 1) << (Byte.SIZE - by) : 0;
      copy.setByte(done, low | high);
    }
    COPIED.add(bytes);
    return copy;
  }

  private void loadBelow(VectorPlan plan, ArrayStruct node, long start, int count, FieldVector vector) {
    VectorPlan[] plans = plan.children;
    switch (vector) {
      case RunEndEncodedVector runs -> loadRuns(plan, node, start, count, runs);
      case FixedSizeListVector list -> {
        ArrayStruct child = node.child(0);
        loadChild(plans[0], child, start * list.getListSize(), (long) count * list.getListSize(), list.getDataVector());
      }
      case StructVector _, UnionVector _ -> {
        List<FieldVector> children = plan.children(vector);
        for (int i = 0; i < plans.length; i++) loadChild(plans[i], node.child(i), start, count, children.get(i));
      }
      case DenseUnionVector union -> {
        for (int i = 0; i < plans.length; i++) loadWhole(plans[i], node.child(i), plans[i].in(union, plan.typeIds[i]));
      }
      default -> {
        if (plan.field.type() instanceof MapType) requireEntries(node, start, count);
        if (plans.length > 0) loadWhole(plans[0], node.child(0), plan.children(vector).getFirst());
      }
    }
  }

  /**
   * Throws {@link Unfit} if a visible map entry is null: entries may be nullable in this library, but not in Arrow
   * Java.
   */
  private static void requireEntries(ArrayStruct node, long start, int count) {
    ArrayStruct entries = node.child(0);
    long bitmap = entries.buffer(0);
    if (bitmap == 0 || entries.nullCount() == 0) return;
    long maps = node.buffer(0);
    for (long row = start; row < start + count; row++) {
      if (maps != 0 && !isSet(maps, row)) continue;
      // offsets are validated elsewhere, or not at all
      long end = Math.min(offset(node, row + 1, Integer.BYTES), entries.length());
      for (long entry = Math.max(0, offset(node, row, Integer.BYTES)); entry < end; entry++) {
        if (isSet(bitmap, entries.offset() + entry)) continue;
        throw new Unfit("row " + (row - start) + ": entry " + entry + " is null, which an entry of a map must not be");
      }
    }
  }

  private static boolean isSet(long bitmap, long index) {
    return (MemoryUtil.getByte(bitmap + (index >>> 3)) >>> (index & 7) & 1) != 0;
  }

  private void loadWhole(VectorPlan plan, ArrayStruct child, FieldVector vector) {
    loadChild(plan, child, 0, child.length(), vector);
  }

  /** Loads elements of a child, from a position that is relative to the child's own first element. */
  private void loadChild(VectorPlan plan, ArrayStruct child, long start, long length, FieldVector vector) {
    try {
      load(plan, child, child.offset() + start, length, vector);
    } catch (RuntimeException e) {
      throw Unfit.of(e).under(plan.field.name());
    }
  }

  private void loadDictionary(VectorPlan plan, VectorPlan values, ArrayStruct node) {
    try {
      // not null: the plan itself needs a provider
      LoadedDictionaries loaded = Objects.requireNonNull(dictionaries);
      FieldVector vector = VectorPlan.lookup(plan.dictionaryId, loaded.provider).getVector();
      if (!loaded.has(plan.dictionaryId)) {
        loadAll(values, node, vector);
        loaded.add(plan.dictionaryId, node);
      } else if (!loaded.isSame(plan.dictionaryId, node)) {
        requireEqual(plan.dictionaryId, values, node, vector);
      }
    } catch (RuntimeException e) {
      throw Unfit.of(e).under(Unfit.DICTIONARY);
    }
  }

  private void loadAll(VectorPlan plan, ArrayStruct node, FieldVector vector) {
    load(plan, node, node.offset(), node.length(), vector);
  }

  /** Throws {@link Unfit} unless another array of values equals a dictionary that is already loaded. */
  private void requireEqual(long id, VectorPlan plan, ArrayStruct node, FieldVector loaded) {
    try (FieldVector other = ArrowSchemas.vector(loaded.getField(), loaded.getAllocator())) {
      loadAll(plan, node, other);
      if (VectorEqualsVisitor.vectorEquals(loaded, other, null)) return;
      String first = "dictionary " + id + " has " + loaded.getValueCount()
          + " values already, of another field or an earlier batch, not these "
          + other.getValueCount();
      throw new Unfit(
          first + ": one number stands for one dictionary; only ArrowReaders.toReplacingArrowReader allows changes");
    }
  }

  /** Loads the runs unchanged, or the runs of a slice, whose ends then differ. */
  private void loadRuns(VectorPlan plan, ArrayStruct node, long start, int count, RunEndEncodedVector vector) {
    ArrayStruct ends = node.child(0);
    ArrayStruct values = node.child(1);
    plan.children[0].requireLike(vector.getRunEndsVector());
    int width = ((BaseFixedWidthVector) vector.getRunEndsVector()).getTypeWidth();
    long address = ends.buffer(1) + ends.offset() * width;
    int runs = count(ends.length());
    if (runs > 0 && ends.buffer(1) == 0) throw new Unfit("there are " + runs + " runs, but no buffer of their ends");
    int first = count == 0 ? runs : runOf(address, width, runs, start);
    int last = count == 0 ? runs : runOf(address, width, runs, start + count - 1) + 1;
    if (count > 0 && last > runs) throw new Unfit("the runs end before row " + (start + count - 1));
    if (first == 0 && last == runs && start == 0 && (runs == 0 || end(address, width, runs - 1) == count)) {
      loadWhole(plan.children[0], ends, vector.getRunEndsVector());
    } else {
      loadEnds(address, width, start, count, first, last, vector.getRunEndsVector());
    }
    loadChild(plan.children[1], values, first, last - first, vector.getValuesVector());
  }

  private void loadEnds(long address, int width, long start, int count, int first, int last, FieldVector vector) {
    int runs = last - first;
    BufferAllocator allocator = vector.getAllocator();
    Throwable failure = null;
    try {
      takeOnes(runs, allocator);
      ArrowBuf ends = allocator.buffer((long) runs * width);
      buffers.add(ends);
      for (int i = 0; i < runs; i++) {
        long end = Math.min(end(address, width, first + i) - start, count);
        switch (width) {
          case Short.BYTES -> ends.setShort((long) i * width, (short) end);
          case Integer.BYTES -> ends.setInt((long) i * width, (int) end);
          default -> ends.setLong((long) i * width, end);
        }
      }
      COPIED.add((long) runs * width);
      vector.loadFieldBuffers(node(runs), buffers);
    } catch (Throwable t) {
      failure = t;
    }
    Releases.raise(Releases.ofAll(buffers, failure));
  }

  /** Returns the first run that ends after a row. */
  private static int runOf(long address, int width, int runs, long row) {
    int low = 0;
    int high = runs;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (end(address, width, middle) > row) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  private static long end(long address, int width, int run) {
    long at = address + (long) run * width;
    return switch (width) {
      case Short.BYTES -> MemoryUtil.getShort(at);
      case Integer.BYTES -> MemoryUtil.getInt(at);
      default -> MemoryUtil.getLong(at);
    };
  }

  /** Returns a number of elements as an {@code int}, as Arrow Java counts them. Throws {@link Unfit}. */
  static int count(long length) {
    if (length > Integer.MAX_VALUE)
      throw new Unfit("there are " + length + " elements, of which a vector has " + Integer.MAX_VALUE + " at most");
    return (int) length;
  }
}
