// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawDLTensor;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Field;

/**
 * The description in a {@code DLTensor} from native code, read once and checked. The constructor does not read the
 * tensor's data.
 */
final class TensorDescription {
  /** More dimensions than any library supports. */
  private static final int MOST_DIMENSIONS = 64;

  private final long tensor;
  private final Field element;

  /** The size of an element in bytes. */
  private final int width;

  private final long[] shape;
  private final long[] strides;
  private final long count;
  private final long start;

  TensorDescription(long tensor) {
    this.tensor = tensor;
    int bits = RawDLTensor.bits(tensor);
    this.element = Elements.field(RawDLTensor.code(tensor), bits, RawDLTensor.lanes(tensor));
    this.width = bits >>> 3;
    int ndim = RawDLTensor.ndim(tensor);
    if (ndim < 0 || ndim > MOST_DIMENSIONS) throw wrong("ndim = " + ndim + " is not within 0.." + MOST_DIMENSIONS);
    this.shape = numbers("shape", RawDLTensor.shape(tensor), ndim);
    this.count = counted();
    this.strides =
        RawDLTensor.strides(tensor) == 0 ? compact(shape) : numbers("strides", RawDLTensor.strides(tensor), ndim);
    this.start = count == 0 ? 0 : startOf(RawDLTensor.data(tensor), byteOffset(), bytes());
  }

  private static DeviceException wrong(String what) {
    return DeviceException.invalid("the tensor's " + what);
  }

  private static long[] numbers(String what, long address, int count) {
    if (address == 0 && count != 0) throw wrong(what + " is NULL, but it has " + count + " dimensions");
    long[] numbers = new long[count];
    for (int i = 0; i < count; i++) numbers[i] = NativeHeap.getLong(address + (long) Long.BYTES * i);
    return numbers;
  }

  private long counted() {
    boolean isEmpty = false;
    for (int i = 0; i < shape.length; i++) {
      if (shape[i] < 0) throw wrong("shape[" + i + "] = " + shape[i] + " is negative");
      isEmpty |= shape[i] == 0;
    }
    if (isEmpty) return 0;
    long product = 1;
    for (long size : shape) {
      if (size > Layout.MOST_BYTES / width / product)
        throw wrong("shape " + Arrays.toString(shape) + " does not fit in memory");
      product *= size;
    }
    return product;
  }

  /** Rejects addresses that Java cannot reach. */
  private static long startOf(long data, long byteOffset, long bytes) {
    if (data == 0) throw wrong("data is NULL, but it has elements");
    if (data < 0) throw wrong("data = 0x" + Long.toHexString(data) + " is beyond the 63 bits that Java reaches");
    if (byteOffset < 0 || byteOffset > Layout.MOST_BYTES || data + byteOffset + bytes < 0) {
      throw wrong("data = 0x" + Long.toHexString(data) + " + byte_offset = " + Long.toUnsignedString(byteOffset)
          + " is beyond the address space");
    }
    return data + byteOffset;
  }

  int deviceType() {
    return RawDLTensor.deviceType(tensor);
  }

  int deviceId() {
    return RawDLTensor.deviceId(tensor);
  }

  long byteOffset() {
    return RawDLTensor.byteOffset(tensor);
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the address of the first element. */
  long start() {
    return start;
  }

  /** Returns the size of all elements in bytes. */
  long bytes() {
    return count * width;
  }

  /** Returns the number of elements. */
  long count() {
    return count;
  }

  /** Returns the number of elements of the resulting array. */
  long rows() {
    return shape.length == 0 ? 1 : shape[0];
  }

  /** Returns whether the resulting array is a column of numbers. */
  boolean isFlat() {
    return shape.length <= 1;
  }

  /**
   * Returns the field of a column that has the elements in their current order in memory. Throws if the elements are
   * not contiguous, row by row.
   */
  Field field() {
    if (count == 0 || isCompact(order())) return field(List.of());
    List<Integer> order = new ArrayList<>(order());
    // A dimension of one element has any stride, and so any place in the order.
    order.sort(Comparator.comparingLong(i -> i == 0 ? Long.MIN_VALUE : shape[i] == 1 ? Long.MAX_VALUE : -strides[i]));
    if (!isCompact(order)) {
      throw wrong("elements do not lie side by side, row by row: shape " + Arrays.toString(shape) + ", strides "
          + Arrays.toString(strides)
          + "; use importCopy()");
    }
    return field(order.stream().skip(1).map(i -> i - 1).toList());
  }

  /** Returns the field of a column that has the elements in row-major order. */
  Field compactField() {
    return field(List.of());
  }

  private List<Integer> order() {
    return IntStream.range(0, shape.length).boxed().toList();
  }

  /** Returns whether the elements are contiguous if the dimensions have this order, the outermost first. */
  private boolean isCompact(List<Integer> order) {
    long expected = 1;
    for (int i = order.size() - 1; i >= 0; i--) {
      int dimension = order.get(i);
      if (shape[dimension] != 1 && strides[dimension] != expected) return false;
      expected *= shape[dimension];
    }
    return true;
  }

  private static long[] compact(long[] shape) {
    long[] strides = new long[shape.length];
    long step = 1;
    for (int i = shape.length - 1; i >= 0; i--) {
      strides[i] = step;
      step *= shape[i];
    }
    return strides;
  }

  /**
   * Returns the field of a column whose rows are the first dimension. If there are more dimensions, each row is a
   * tensor, whose dimensions are stored in this order.
   */
  private Field field(List<Integer> order) {
    if (isFlat()) return element;
    List<Integer> stored = new ArrayList<>();
    long each = 1;
    for (int i = 0; i < shape.length - 1; i++) {
      long size = shape[1 + (order.isEmpty() ? i : order.get(i))];
      each = size > Integer.MAX_VALUE || each * size > Integer.MAX_VALUE ? -1 : each * size;
      if (each < 0)
        throw wrong("shape " + Arrays.toString(shape) + " has more than " + Integer.MAX_VALUE + " elements in a row");
      stored.add((int) size);
    }
    List<Integer> permutation =
        order.isEmpty() ? List.of() : IntStream.range(0, order.size()).map(order::indexOf).boxed().toList();
    DataType storage = DataType.fixedSizeList(element.withName("item"), (int) each);
    return Field.of("", storage).withNullable(false)
        .withExtension(new FixedShapeTensor(stored, List.of(), permutation));
  }

  /** Copies the elements in row-major order to memory of at least {@link #bytes} bytes. */
  void copyCompact(long to) {
    if (isCompact(order())) {
      NativeHeap.copy(start, to, bytes());
    } else {
      checkStrides();
      copy(0, start, to);
    }
  }

  /** Throws if an element has no address. No address of {@link #copy} overflows then. */
  private void checkStrides() {
    long first = 0;
    long last = 0;
    try {
      for (int i = 0; i < shape.length; i++) {
        long extent =
            shape[i] == 1 ? 0 : Math.multiplyExact(shape[i] - 1, Math.multiplyExact(strides[i], (long) width));
        first = Math.addExact(first, Math.min(extent, 0));
        last = Math.addExact(last, Math.max(extent, 0));
      }
      if (Math.addExact(start, first) > 0 && Math.addExact(start, Math.addExact(last, width)) > 0) return;
    } catch (ArithmeticException _) {
      // an element is beyond the address space
    }
    throw wrong("elements are beyond the address space: data = 0x" + Long.toHexString(start) + ", shape "
        + Arrays.toString(shape) + ", strides " + Arrays.toString(strides));
  }

  private long copy(int dimension, long from, long to) {
    if (dimension == shape.length) {
      NativeHeap.copy(from, to, width);
      return to + width;
    }
    long next = to;
    long step = shape[dimension] == 1 ? 0 : strides[dimension] * width;
    for (long i = 0; i < shape[dimension]; i++) next = copy(dimension + 1, from + i * step, next);
    return next;
  }
}
