package org.arbalest.device.internal.copy;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.array.ArrayExport;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;

/**
 * What a copy of an array in one allocation is made of: the structs that describe it, and the pieces of memory to be copied.
 *
 * <p>An array's own elements are copied from the first that is shown, but for up to seven more where a bitmap is copied, whose first byte may
 * begin with them; so are the fields of structs. The elements of lists are copied whole, since which of them are shown is known to the device
 * only. Of an array without elements nothing is read, and its copy begins at 0, children alike (ARR-19); only a dictionary stays. Every piece
 * begins at a multiple of 64 bytes.
 */
final class CopyPlan {
  private static final long NODE = ArrowArrayStruct.SIZE;
  private static final long ALIGNMENT = 64;

  /** Eight zero bytes, for the offsets of an empty array whose producer left them out (ARR-08). */
  private static final long ZEROES = zeroes();

  /** Where the CPU cannot read: where the ends of the texts are to be fetched from, and then what was there. */
  private long[] ends = new long[8];

  private long[] endWidths = new long[8];
  private int endCount;
  private int nextEnd;
  private final Ownership owner;
  private final boolean hostReads;

  /** Offsets that were rewritten, to be freed when they are copied. */
  private final List<DeviceBuffer> staging;

  /** The pieces: from which address, to where in the allocation, how many bytes; and the cell that is to point there. */
  long[] from = new long[16];

  long[] at = new long[16];
  long[] bytes = new long[16];
  private long[] cells = new long[16];
  int pieces;

  /** The size of the allocation. */
  long total;

  /** The structs and their lists; the first is the array. */
  long block;

  private int nodes;
  private long entries;
  private long nextNode;
  private long nextList;

  /**
   * An empty plan.
   *
   * @param owner knows how large the buffers are, if anybody does
   * @param hostReads whether the CPU may read the source's buffers, now
   * @param staging where buffers that the copies need are added
   */
  CopyPlan(Ownership owner, boolean hostReads, List<DeviceBuffer> staging) {
    this.owner = owner;
    this.hostReads = hostReads;
    this.staging = staging;
  }

  /** Counts the structs, and finds out which offsets must be known. */
  void measure(Field field, long source, long start, long length) {
    checked(() -> measure(Layout.of(field), source, start, length));
  }

  /** The addresses of the offsets to be fetched; replaced by their values, they are what {@link #write} needs. */
  long[] ends() {
    return Arrays.copyOf(ends, endCount);
  }

  /** The width in bytes of one of the offsets to be fetched. */
  long endWidth(int index) {
    return endWidths[index];
  }

  boolean hostReads() {
    return hostReads;
  }

  void fetched(long[] values) {
    ends = values;
  }

  /** Writes the structs, and lists the pieces. The caller frees {@link #block}, also on failure. */
  void write(Field field, long source, long start, long length) {
    block = NativeHeap.allocate(NODE * nodes + Long.BYTES * entries);
    nextNode = block;
    nextList = block + NODE * nodes;
    checked(() -> write(Layout.of(field), source, start, length));
  }

  /** Lets the structs point into an allocation. */
  void pointInto(long base) {
    for (int i = 0; i < pieces; i++) NativeHeap.putLong(cells[i], base + at[i]);
  }

  /** Zeroes what lies between the pieces. */
  void clearGaps(long base) {
    for (int i = 0; i < pieces; i++) {
      long end = at[i] + bytes[i];
      long next = i + 1 < pieces ? at[i + 1] : total;
      if (end < next) NativeHeap.fill(base + end, next - end, (byte) 0);
    }
  }

  private static void checked(Runnable action) {
    try {
      action.run();
    } catch (Malformed e) {
      throw e.toDeviceException();
    } catch (ArithmeticException e) {
      throw DeviceException.invalid("the array's buffers add up to more bytes than a long holds: " + e.getMessage());
    }
  }

  private void measure(Layout layout, long source, long start, long length) {
    nodes++;
    entries = Math.addExact(entries, bufferCount(layout, source) + layout.children.length);
    if (layout.shape == Layout.Shape.VIEW) entries += variadic(source);
    if (layout.shape == Layout.Shape.VARIABLE) entries++;
    long skip = length == 0 ? 0 : skip(layout, source, start);
    if (layout.shape == Layout.Shape.VARIABLE && !hostReads && length != 0) {
      addEnd(layout, source, start + length);
      if (start + length != end(source)) addEnd(layout, source, end(source));
    }
    for (int i = 0; i < layout.children.length; i++) {
      long child = ArrowArrayStruct.child(source, i);
      try {
        long count = length + skip;
        long childStart = count == 0 ? 0 : childStart(layout, child, start - skip);
        measure(layout.children[i].layout, child, childStart, count == 0 ? 0 : childLength(layout, child, count));
      } catch (Malformed e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary != null) {
      long values = ArrowArrayStruct.dictionary(source);
      measure(Layout.of(dictionary), values, ArrowArrayStruct.offset(values), ArrowArrayStruct.length(values));
    }
  }

  private void addEnd(Layout layout, long source, long end) {
    long offsets = ArrowArrayStruct.buffer(source, 1);
    if (endCount == ends.length) {
      ends = Arrays.copyOf(ends, 2 * endCount);
      endWidths = Arrays.copyOf(endWidths, 2 * endCount);
    }
    endWidths[endCount] = layout.width();
    ends[endCount++] = offsets + layout.width() * end;
  }

  private long write(Layout layout, long source, long start, long length) {
    long node = nextNode;
    nextNode += NODE;
    long skip = length == 0 ? 0 : skip(layout, source, start);
    long begin = length == 0 ? 0 : start - skip;
    long count = Math.addExact(length, skip);
    boolean isWhole = start == ArrowArrayStruct.offset(source) && length == ArrowArrayStruct.length(source);
    long nulls = nullCount(layout, source, length, isWhole);
    ArrowArrayStruct.setLength(node, length);
    ArrowArrayStruct.setOffset(node, layout.shape == Layout.Shape.RUN_END && length != 0 ? start : skip);
    ArrowArrayStruct.setNullCount(node, nulls);
    int buffers = bufferCount(layout, source);
    ArrowArrayStruct.setNBuffers(node, buffers);
    ArrowArrayStruct.setBuffers(node, buffers == 0 ? 0 : list(buffers));
    if (layout.shape == Layout.Shape.VARIABLE) list(1); // for the size of the data
    writeBuffers(layout, source, node, begin, count, nulls != 0);
    writeChildren(layout, source, node, begin, count);
    ArrowArrayStruct.setPrivateData(node, 0);
    ArrowArrayStruct.setRelease(node, ArrayExport.RELEASE); // live, though never released through C
    return node;
  }

  private void writeChildren(Layout layout, long source, long node, long begin, long count) {
    int children = layout.children.length;
    ArrowArrayStruct.setNChildren(node, children);
    ArrowArrayStruct.setChildren(node, children == 0 ? 0 : list(children));
    for (int i = 0; i < children; i++) {
      long child = ArrowArrayStruct.child(source, i);
      try {
        long start = count == 0 ? 0 : childStart(layout, child, begin);
        long length = count == 0 ? 0 : childLength(layout, child, count);
        ArrowArrayStruct.setChild(node, i, write(layout.children[i].layout, child, start, length));
      } catch (Malformed e) {
        throw e.under(layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    ArrowArrayStruct.setDictionary(node, 0);
    if (dictionary == null) return;
    long values = ArrowArrayStruct.dictionary(source);
    long copy = write(Layout.of(dictionary), values, ArrowArrayStruct.offset(values), ArrowArrayStruct.length(values));
    ArrowArrayStruct.setDictionary(node, copy);
  }

  private void writeBuffers(Layout layout, long source, long node, long begin, long count, boolean mayHaveNulls) {
    long cell = ArrowArrayStruct.buffers(node);
    long surplus = surplus(layout, source);
    if (layout.shape.hasValidity) {
      long validity = ArrowArrayStruct.buffer(source, 0);
      if (validity == 0 || !mayHaveNulls) {
        NativeHeap.putLong(cell, 0);
      } else {
        copyBits(validity, begin, count, 1, cell);
      }
      cell += Long.BYTES;
    }
    switch (layout.shape) {
      case FIXED -> copyBits(ArrowArrayStruct.buffer(source, 1), begin, count, layout.bits, cell);
      case VARIABLE -> copyVariable(layout, source, begin, count, cell);
      case LIST -> copyOffsets(layout, ArrowArrayStruct.buffer(source, 1), begin, count, cell);
      case VIEW -> copyViews(source, begin, count, cell);
      case LIST_VIEW -> {
        copyBits(ArrowArrayStruct.buffer(source, 1), begin, count, layout.bits, cell);
        copyBits(ArrowArrayStruct.buffer(source, 2), begin, count, layout.bits, cell + Long.BYTES);
      }
      case SPARSE_UNION -> copyBits(ArrowArrayStruct.buffer(source, surplus), begin, count, 8, cell);
      case DENSE_UNION -> {
        copyBits(ArrowArrayStruct.buffer(source, surplus), begin, count, 8, cell);
        copyBits(ArrowArrayStruct.buffer(source, surplus + 1), begin, count, 32, cell + Long.BYTES);
      }
      case NULL, FIXED_LIST, STRUCT, RUN_END -> {}
    }
  }

  private void copyBits(long address, long begin, long count, long each, long cell) {
    long first = Math.multiplyExact(begin, each) >>> 3;
    long size = Math.addExact(Math.multiplyExact(count, each), 7) >>> 3;
    add(address == 0 ? 0 : address + first, address == 0 ? 0 : size, cell);
  }

  /** Offsets as they are; of an empty array one, which is 0, whatever its producer has, which may be none. */
  private void copyOffsets(Layout layout, long offsets, long begin, long count, long cell) {
    if (count == 0) {
      add(ZEROES, layout.width(), cell);
    } else {
      copyBits(offsets, begin, Math.addExact(count, 1), layout.bits, cell);
    }
  }

  private void copyVariable(Layout layout, long source, long begin, long count, long cell) {
    long offsets = ArrowArrayStruct.buffer(source, 1);
    long data = ArrowArrayStruct.buffer(source, 2);
    if (count == 0) {
      add(ZEROES, layout.width(), cell);
      addData(data, 0, cell);
      return;
    }
    long first = hostReads ? offset(layout, offsets, begin) : 0;
    long last = hostReads ? offset(layout, offsets, begin + count) : ends[nextEnd++];
    checkExtent(begin, begin + count, first, last, owner.dataSize(source), "bytes of data");
    checkLast(layout, source, offsets, begin + count, last);
    if (last > first && data == 0) throw new Malformed("the data is NULL, but the offsets say " + (last - first) + " bytes");
    if (first == 0) {
      copyOffsets(layout, offsets, begin, count, cell);
    } else {
      add(rebased(layout, offsets, begin, count, first, last), layout.width() * (count + 1), cell);
    }
    addData(data + first, last - first, cell);
  }

  /** What two offsets say must lie within what there is, as far as that is known. */
  static void checkExtent(long begin, long end, long first, long last, long known, String what) {
    if (first < 0 || last < first) {
      throw new Malformed("offsets[" + end + "] = " + last + " is before offsets[" + begin + "] = " + first + ", or one is negative");
    }
    if (last > known) throw new Malformed("offsets[" + end + "] = " + last + " is beyond the " + known + " " + what);
  }

  /** What the array's own last offset says bounds the others: a part of it has no more text than the whole. */
  private void checkLast(Layout layout, long source, long offsets, long at, long offset) {
    long end = end(source);
    if (at == end) return;
    long most = hostReads ? offset(layout, offsets, end) : ends[nextEnd++];
    if (offset > most) throw beyondLast(at, offset, end, most);
  }

  static Malformed beyondLast(long at, long offset, long end, long most) {
    return new Malformed("offsets[" + at + "] = " + offset + " is beyond the last, offsets[" + end + "] = " + most);
  }

  static Malformed outside(long at, long offset, long first, long last) {
    return new Malformed("offsets[" + at + "] = " + offset + " is not between " + first + " and " + last);
  }

  /** The bytes of texts, and behind the list of the buffers their number, as {@link Ownership#dataSize} wants it. */
  private void addData(long data, long size, long cell) {
    add(data, size, cell + Long.BYTES);
    NativeHeap.putLong(cell + 2 * Long.BYTES, size);
  }

  static long end(long source) {
    return ArrowArrayStruct.offset(source) + ArrowArrayStruct.length(source);
  }

  static long offset(Layout layout, long offsets, long index) {
    return Integers.get(offsets, layout.bits, index);
  }

  /** Offsets that count from the first, so that only the bytes which are shown must be copied. */
  private long rebased(Layout layout, long offsets, long begin, long count, long first, long last) {
    DeviceBuffer buffer = DeviceRegistry.cpu().allocate(Math.multiplyExact(layout.width(), count + 1));
    staging.add(buffer);
    long to = buffer.address();
    for (long i = 0; i <= count; i++) {
      long offset = offset(layout, offsets, begin + i);
      if (offset < first || offset > last) {
        throw outside(begin + i, offset, first, last);
      }
      Integers.put(to, layout.bits, i, offset - first);
    }
    return to;
  }

  private void copyViews(long source, long begin, long count, long cell) {
    copyBits(ArrowArrayStruct.buffer(source, 1), begin, count, 128, cell);
    long variadic = variadic(source);
    long sizes = ArrowArrayStruct.buffer(source, variadic + 2);
    long copiedSizes = list(variadic);
    for (long i = 0; i < variadic; i++) {
      long size = count == 0 ? 0 : NativeHeap.getLong(sizes + Long.BYTES * i);
      NativeHeap.putLong(copiedSizes + Long.BYTES * i, size);
      add(ArrowArrayStruct.buffer(source, 2 + i), size, cell + Long.BYTES * (1 + i));
    }
    NativeHeap.putLong(cell + Long.BYTES * (1 + variadic), copiedSizes);
  }

  /** A piece; of no bytes, it is still somewhere, so that no exported pointer is NULL (ARR-08). */
  private void add(long address, long size, long cell) {
    if (total > Layout.MOST_BYTES - size) throw new Malformed(size + " bytes beside " + total + " others are more than memory has");
    if (pieces == from.length) grow();
    from[pieces] = address;
    at[pieces] = total;
    bytes[pieces] = size;
    cells[pieces++] = cell;
    total = (total + size + ALIGNMENT - 1) & -ALIGNMENT;
  }

  private void grow() {
    from = Arrays.copyOf(from, 2 * pieces);
    at = Arrays.copyOf(at, 2 * pieces);
    bytes = Arrays.copyOf(bytes, 2 * pieces);
    cells = Arrays.copyOf(cells, 2 * pieces);
  }

  private long list(long count) {
    long list = nextList;
    nextList += Long.BYTES * count;
    return list;
  }

  /** How many elements before the first are copied too, so that a bitmap begins with a whole byte. */
  private static long skip(Layout layout, long source, long start) {
    boolean hasBitmap = layout.bits % 8 != 0 || (layout.shape.hasValidity && ArrowArrayStruct.buffer(source, 0) != 0);
    return hasBitmap ? start & 7 : 0;
  }

  static long childStart(Layout layout, long child, long begin) {
    long offset = ArrowArrayStruct.offset(child);
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> Math.addExact(offset, begin);
      case FIXED_LIST -> Math.addExact(offset, Math.multiplyExact(begin, layout.listSize));
      default -> offset;
    };
  }

  static long childLength(Layout layout, long child, long count) {
    return switch (layout.shape) {
      case STRUCT, SPARSE_UNION -> count;
      case FIXED_LIST -> Math.multiplyExact(count, layout.listSize);
      default -> ArrowArrayStruct.length(child);
    };
  }

  private static long nullCount(Layout layout, long source, long length, boolean isWhole) {
    if (layout.shape == Layout.Shape.NULL || length == 0) return length;
    if (!layout.shape.hasValidity || ArrowArrayStruct.buffer(source, 0) == 0) return 0;
    long nulls = ArrowArrayStruct.nullCount(source);
    return isWhole || nulls == 0 ? nulls : -1;
  }

  static long variadic(long source) {
    return ArrowArrayStruct.nBuffers(source) - 3;
  }

  /** Older peers send a bitmap for types that have none (ARR-05). */
  static long surplus(Layout layout, long source) {
    return layout.shape.hasValidity ? 0 : ArrowArrayStruct.nBuffers(source) - layout.shape.buffers;
  }

  private static int bufferCount(Layout layout, long source) {
    return Math.toIntExact(ArrowArrayStruct.nBuffers(source) - surplus(layout, source));
  }

  private static long zeroes() {
    long address = NativeHeap.allocate(Long.BYTES);
    NativeHeap.putLong(address, 0);
    return address;
  }
}
