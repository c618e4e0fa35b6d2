// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.write;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Function;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.schema.IpcField;
import org.arbalest.device.ipc.internal.schema.IpcSchema;
import org.arbalest.device.ipc.internal.schema.Shape;
import org.arbalest.device.spi.ArrayBridge;
import org.arbalest.device.spi.ArrayStruct;
import org.arbalest.device.types.FlatType.DecimalType;

/**
 * Lists the buffers of a batch's visible range. Buffers are listed where they are. Bits and offsets that do not begin
 * at the first row are written anew.
 */
final class BatchEncoder {
  private final EncodedBatch target;
  private final Function<IpcField, DictionaryState.Indices> indices;

  /**
   * Creates an encoder.
   *
   * @param indices returns the indices in the output for the values of a dictionary-encoded field
   */
  BatchEncoder(EncodedBatch target, Function<IpcField, DictionaryState.Indices> indices) {
    this.target = target;
    this.indices = indices;
  }

  /** Lists the columns of a batch, which the CPU can read, and which has no null rows of its own. */
  void encode(IpcSchema schema, DeviceArray batch) {
    if (add(schema, batch)) return;
    target.close();
    DeviceArray compact = target.keep(batch.compact());
    if (!add(schema, compact)) throw new IllegalStateException("a compact batch has rows beside the visible ones");
  }

  private boolean add(IpcSchema schema, DeviceArray batch) {
    ArrayStruct struct = ArrayBridge.struct(batch);
    long offset = ArrayBridge.offset(batch);
    for (int i = 0; i < schema.columnCount(); i++) {
      ArrayStruct column = struct.child(i);
      if (!add(schema.column(i), column, column.offset() + offset, batch.length())) return false;
    }
    return true;
  }

  /** Lists a single array: the values of a dictionary. */
  void encode(IpcField field, DeviceArray array) {
    if (add(field, ArrayBridge.struct(array), ArrayBridge.offset(array), array.length())) return;
    target.close();
    DeviceArray compact = target.keep(array.compact());
    if (!add(field, ArrayBridge.struct(compact), ArrayBridge.offset(compact), compact.length()))
      throw new IllegalStateException("a compact array has elements beside the visible ones");
  }

  /**
   * Lists an array and those below it.
   *
   * @param offset the first element in the buffers
   * @return false if the array must be made compact first
   */
  private boolean add(IpcField field, ArrayStruct struct, long offset, long length) {
    Shape shape = field.shape;
    if (!isWritable(field, struct, offset, length)) return false;
    if (shape == Shape.NULL) {
      target.addArray(length, length);
      return true;
    }
    addValidity(shape, struct, offset, length);
    return switch (shape) {
      case NULL -> true;
      case BITS -> {
        addBits(struct.buffer(1), offset, length, offset + length == struct.offset() + struct.length());
        yield true;
      }
      case FIXED -> {
        addFixed(field, struct, offset, length);
        yield true;
      }
      case VARIABLE -> {
        long first = first(struct, field, offset, length);
        long end = end(struct, field, offset, length);
        checkOffsets(field, first, end, end(struct, field, struct.offset(), struct.length()));
        addOffsets(struct.buffer(1), (int) field.width, offset, length, first);
        target.addBuffer(struct.buffer(2) + first, end - first);
        yield true;
      }
      case VIEW -> {
        addViews(struct, length);
        yield true;
      }
      case LIST -> {
        long first = first(struct, field, offset, length);
        long end = end(struct, field, offset, length);
        checkOffsets(field, first, end, struct.child(0).length());
        addOffsets(struct.buffer(1), (int) field.width, offset, length, first);
        yield add(field.child(0), struct.child(0), struct.child(0).offset() + first, end - first);
      }
      case LIST_VIEW -> {
        target.addBuffer(struct.buffer(1), length * field.width);
        target.addBuffer(struct.buffer(2), length * field.width);
        yield addWhole(field.child(0), struct.child(0));
      }
      case STRUCT -> addChildren(field, struct, offset, length);
      case FIXED_LIST -> {
        ArrayStruct child = struct.child(0);
        yield add(field.child(0), child, child.offset() + offset * field.width, length * field.width);
      }
      case SPARSE_UNION -> {
        target.addBuffer(struct.buffer(0) + offset, length);
        yield addChildren(field, struct, offset, length);
      }
      case DENSE_UNION -> {
        target.addBuffer(struct.buffer(0), length);
        target.addBuffer(struct.buffer(1), length * Integer.BYTES);
        boolean isWritten = true;
        for (int i = 0; i < field.childCount(); i++) isWritten &= addWhole(field.child(i), struct.child(i));
        yield isWritten;
      }
      case RUN_ENDS -> addWhole(field.child(0), struct.child(0)) && addWhole(field.child(1), struct.child(1));
    };
  }

  /** Returns whether the visible range is all that the buffers have, for layouts where it cannot be cut out. */
  private static boolean isWritable(IpcField field, ArrayStruct struct, long offset, long length) {
    return switch (field.shape) {
      case VIEW, LIST_VIEW, DENSE_UNION -> offset == 0 && length == struct.length();
      case RUN_ENDS -> offset == 0 && length == lastRunEnd(field, struct.child(0));
      default -> true;
    };
  }

  private static long lastRunEnd(IpcField field, ArrayStruct ends) {
    if (ends.length() == 0) return 0;
    int bytes = (int) field.child(0).width / 8;
    long last = ends.buffer(1) + bytes * (ends.offset() + ends.length() - 1);
    return bytes == Short.BYTES ? NativeMemory.segment(last, bytes).get(ValueLayout.JAVA_SHORT_UNALIGNED, 0)
        : NativeMemory.readOffset(last, bytes);
  }

  private boolean addWhole(IpcField field, ArrayStruct struct) {
    return add(field, struct, struct.offset(), struct.length());
  }

  private boolean addChildren(IpcField field, ArrayStruct struct, long offset, long length) {
    boolean isWritten = true;
    for (int i = 0; isWritten && i < field.childCount(); i++) {
      ArrayStruct child = struct.child(i);
      isWritten = add(field.child(i), child, child.offset() + offset, length);
    }
    return isWritten;
  }

  private void addValidity(Shape shape, ArrayStruct struct, long offset, long length) {
    long bitmap = shape.hasValidity ? struct.buffer(0) : 0;
    long nullCount = bitmap == 0 ? 0 : struct.nullCount();
    boolean isWhole = offset == struct.offset() && length == struct.length();
    if (nullCount != 0 && (nullCount < 0 || !isWhole)) nullCount = length - countBits(bitmap, offset, length);
    target.addArray(length, nullCount);
    if (!shape.hasValidity) return;
    if (nullCount == 0) target.addBuffer(0, 0);
    else addBits(bitmap, offset, length, offset + length == struct.offset() + struct.length());
  }

  /** @param isWhole whether no visible or invisible row follows the range */
  private void addBits(long bits, long offset, long length, boolean isWhole) {
    long bytes = (length + 7) >>> 3;
    // the bits of other rows in the last byte are not written
    if (length == 0 || ((offset & 7) == 0 && (isWhole || (length & 7) == 0))) {
      target.addBuffer(bits + (offset >>> 3), bytes);
      return;
    }
    long copy = target.allocate(bytes);
    shiftBits(bits + (offset >>> 3), (int) (offset & 7), length, copy);
    target.addBuffer(copy, bytes);
  }

  private void addFixed(IpcField field, ArrayStruct struct, long offset, long length) {
    long width = field.width / 8;
    long bytes = length * width;
    long from = struct.buffer(1) + offset * width;
    DictionaryState.Indices moved = field.values == null ? DictionaryState.Indices.SAME : indices.apply(field);
    if (moved.shift() == 0 && moved.indices() == null) {
      // Polars copies a stored buffer to where its values are at 8 modulo 16, and then cannot read these
      boolean mustCompress = field.field.type() instanceof DecimalType && width > Long.BYTES;
      target.addBuffer(from, bytes, mustCompress);
      return;
    }
    long copy = target.allocate(bytes);
    if (moved.indices() == null) {
      shift(NativeMemory.segment(from, bytes), (int) width, moved.shift(), NativeMemory.segment(copy, bytes));
    } else {
      move(field, struct, offset, NativeMemory.segment(from, bytes), moved.indices(),
          NativeMemory.segment(copy, bytes));
    }
    target.addBuffer(copy, bytes);
  }

  private static void shift(MemorySegment from, int width, long shift, MemorySegment to) {
    for (long i = 0; i < from.byteSize() / width; i++) put(to, width, i, get(from, width, i) + shift);
  }

  /** Writes the new index of each index. A null gets 0, because its index may have no value. */
  private static void move(IpcField field, ArrayStruct struct, long offset, MemorySegment from, int[] indices,
      MemorySegment to) {
    int width = (int) field.width / 8;
    long mask = width == Long.BYTES ? -1 : (1L << field.width) - 1;
    long validity = struct.nullCount() == 0 ? 0 : struct.buffer(0);
    for (long i = 0; i < from.byteSize() / width; i++) {
      long index = get(from, width, i) & mask; // a negative index becomes a large one
      boolean isNull = validity != 0 && !isSet(validity, offset + i);
      if (!isNull && (index < 0 || index >= indices.length)) throw isBeyond(field, index, indices.length);
      put(to, width, i, isNull ? 0 : indices[(int) index]);
    }
  }

  private static boolean isSet(long bits, long index) {
    return (NativeMemory.segment(bits + (index >>> 3), 1).get(ValueLayout.JAVA_BYTE, 0) >>> (index & 7) & 1) != 0;
  }

  private static DeviceException isBeyond(IpcField field, long index, long values) {
    return DeviceException.invalid("cannot write column \"" + field.field.name() + "\": it has the index " + index
        + ", but its dictionary has " + values + " values; validate the batch to find the row");
  }

  private static long get(MemorySegment indices, int width, long at) {
    return switch (width) {
      case 1 -> indices.get(ValueLayout.JAVA_BYTE, at);
      case 2 -> indices.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, at);
      case 4 -> indices.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at);
      default -> indices.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, at);
    };
  }

  private static void put(MemorySegment indices, int width, long at, long index) {
    switch (width) {
      case 1 -> indices.set(ValueLayout.JAVA_BYTE, at, (byte) index);
      case 2 -> indices.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, at, (short) index);
      case 4 -> indices.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at, (int) index);
      default -> indices.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, at, index);
    }
  }

  /** Lists offsets that begin with 0. */
  private void addOffsets(long offsets, int width, long offset, long length, long first) {
    if (length == 0) {
      target.addBuffer(NativeMemory.zeros(), width); // as the format asks: one offset more than elements
      return;
    }
    long start = offsets + offset * width;
    long bytes = (length + 1) * width;
    if (first == 0) {
      target.addBuffer(start, bytes);
      return;
    }
    long copy = target.allocate(bytes);
    MemorySegment from = NativeMemory.segment(start, bytes);
    MemorySegment to = NativeMemory.segment(copy, bytes);
    for (long i = 0; i <= length; i++) {
      if (width == Integer.BYTES) {
        to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i,
            (int) (from.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i) - first));
      } else {
        to.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, from.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i) - first);
      }
    }
    target.addBuffer(copy, bytes);
  }

  /** Returns the first offset of a range of elements, or 0 without elements. */
  private static long first(ArrayStruct struct, IpcField field, long offset, long length) {
    return length == 0 ? 0 : offset(struct, field, offset);
  }

  /** Returns the last offset of a range of elements, or 0 without elements. */
  private static long end(ArrayStruct struct, IpcField field, long offset, long length) {
    return length == 0 ? 0 : offset(struct, field, offset + length);
  }

  private static long offset(ArrayStruct struct, IpcField field, long index) {
    return NativeMemory.readOffset(struct.buffer(1) + index * field.width, (int) field.width);
  }

  /** Throws if a range is not within the data or the elements: an array from native code may be malformed. */
  private static void checkOffsets(IpcField field, long first, long end, long available) {
    if (first >= 0 && first <= end && end <= available) return;
    throw DeviceException.invalid("cannot write column \"" + field.field.name() + "\": its offsets lead from " + first
        + " to " + end + ", but it has " + available + "; validate the batch to find the row");
  }

  private void addViews(ArrayStruct struct, long length) {
    target.addBuffer(struct.buffer(1), length * 16);
    int last = struct.bufferCount() - 1; // the sizes of the data, which only the C interface has
    target.addVariadicCount(last - 2);
    for (int i = 2; i < last; i++) {
      target.addBuffer(struct.buffer(i), NativeMemory.readLong(struct.buffer(last) + (i - 2L) * Long.BYTES));
    }
  }

  private static long countBits(long bits, long offset, long length) {
    if (length == 0) return 0;
    MemorySegment bytes = NativeMemory.segment(bits + (offset >>> 3), ((offset & 7) + length + 7) >>> 3);
    long end = (offset & 7) + length;
    long count = 0;
    long at = 0;
    for (; (at + 8) * 8 <= end; at += 8) count += Long.bitCount(bytes.get(ValueLayout.JAVA_LONG_UNALIGNED, at));
    for (; at * 8 < end; at++) {
      int valid = (int) Math.min(8, end - at * 8);
      count += Integer.bitCount(bytes.get(ValueLayout.JAVA_BYTE, at) & ((1 << valid) - 1));
    }
    // the bits in front of the first row
    return count - Integer.bitCount(bytes.get(ValueLayout.JAVA_BYTE, 0) & ((1 << (offset & 7)) - 1));
  }

  private static void shiftBits(long from, int shift, long length, long to) {
    long sourceBytes = (shift + length + 7) >>> 3;
    long targetBytes = (length + 7) >>> 3;
    MemorySegment source = NativeMemory.segment(from, sourceBytes);
    MemorySegment target = NativeMemory.segment(to, targetBytes);
    for (long i = 0; i < targetBytes; i++) {
      int low = (source.get(ValueLayout.JAVA_BYTE, i) & 0xff) >>> shift;
      int high = i + 1 < sourceBytes ? source.get(ValueLayout.JAVA_BYTE, i + 1) << (8 - shift) : 0;
      target.set(ValueLayout.JAVA_BYTE, i, (byte) (low | high));
    }
    int used = (int) (length & 7);
    long last = targetBytes - 1;
    if (used != 0) target.set(ValueLayout.JAVA_BYTE, last,
        (byte) (target.get(ValueLayout.JAVA_BYTE, last) & ((1 << used) - 1)));
  }
}
