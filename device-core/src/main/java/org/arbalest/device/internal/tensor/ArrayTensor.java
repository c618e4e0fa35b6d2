// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.tensor;

import java.util.Arrays;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Handle;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Extension.FixedShapeTensor;
import org.arbalest.device.types.Field;

/**
 * A view of an array as a tensor. The rows are the first dimension. Fixed-size lists and tensors in the rows are the
 * other dimensions.
 */
final class ArrayTensor {
  private final Handle array;

  /** The sizes of the dimensions, and for each dimension the number of elements from one index to the next. */
  long[] shape;

  long[] strides;

  /** The visible range of the buffer, in elements. */
  private long start;

  private long count;

  private Elements elements = new Elements(0, 0);
  private long buffer;

  private ArrayTensor(Handle array) {
    this.array = array;
    this.start = array.offset();
    this.count = array.length();
    this.shape = new long[] {count};
    this.strides = new long[] {1};
  }

  /**
   * Creates the view of an array, to which the caller has a reference. Throws if the array cannot be a tensor or has
   * nulls. Waits for the array only if it must count nulls.
   */
  static ArrayTensor of(Handle array, Ownership held) {
    ArrayTensor tensor = new ArrayTensor(array);
    try {
      String name = array.field().name();
      tensor.descend(array.field(), array.struct(held), name.isEmpty() ? "$" : "$." + name);
    } catch (ArithmeticException e) {
      throw new DeviceException(Errno.EINVAL,
          "lists of the sizes " + Arrays.toString(tensor.shape) + " do not fit in memory", e);
    }
    return tensor;
  }

  int code() {
    return elements.code();
  }

  int bits() {
    return elements.bits();
  }

  /** Returns whether the tensor has no elements. */
  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the address of the buffer with the elements. */
  long buffer() {
    return buffer;
  }

  /** Returns the distance from the start of the buffer to the first element, in bytes. */
  long byteOffset() {
    return start * (elements.bits() >>> 3);
  }

  private void descend(Field field, long struct, String path) {
    Layout layout = Layout.of(field);
    checkNoNulls(layout, struct, path);
    if (layout.shape != Layout.Shape.FIXED_LIST) {
      elements = Elements.of(field, path);
      buffer = RawArrowArray.buffer(struct, 1);
      return;
    }
    int each = layout.listSize;
    for (int i = 0; i < strides.length; i++) strides[i] = Math.multiplyExact(strides[i], each);
    if (field.extension() instanceof FixedShapeTensor tensor) {
      add(tensor);
    } else {
      add(each, 1);
    }
    long child = RawArrowArray.child(struct, 0);
    start = Math.addExact(Math.multiplyExact(start, each), RawArrowArray.offset(child));
    count = Math.multiplyExact(count, each);
    descend(layout.children[0], child, path + "." + layout.children[0].name());
  }

  /** Adds the dimensions of a tensor in their logical order, which may differ from their stored order. */
  private void add(FixedShapeTensor tensor) {
    List<Integer> stored = tensor.shape();
    long[] steps = new long[stored.size()];
    long step = 1;
    for (int i = steps.length - 1; i >= 0; i--) {
      steps[i] = step;
      step = Math.multiplyExact(step, stored.get(i));
    }
    for (int i = 0; i < steps.length; i++) {
      int at = tensor.permutation().isEmpty() ? i : tensor.permutation().get(i);
      add(stored.get(at), steps[at]);
    }
  }

  private void add(long size, long stride) {
    shape = Arrays.copyOf(shape, shape.length + 1);
    strides = Arrays.copyOf(strides, strides.length + 1);
    shape[shape.length - 1] = size;
    strides[strides.length - 1] = stride;
  }

  private void checkNoNulls(Layout layout, long struct, String path) {
    long nulls = layout.shape == Layout.Shape.NULL ? count : layout.shape.hasValidity ? nulls(struct, path) : 0;
    if (nulls == 0) return;
    throw DeviceException.invalid(path + ": " + nulls + " of " + count + " values are null, but a tensor has no nulls");
  }

  private long nulls(long struct, String path) {
    long known = RawArrowArray.nullCount(struct);
    long bitmap = RawArrowArray.buffer(struct, 0);
    if (known == 0 || bitmap == 0 || count == 0) return 0;
    boolean isWhole = start == RawArrowArray.offset(struct) && count == RawArrowArray.length(struct);
    if (known > 0 && isWhole) return known;
    if (!array.isMemoryCpuAccessible()) {
      throw new DeviceException(Errno.ENOSYS,
          path + ": a tensor has no nulls, and how many of " + count + " values are null is only in a bitmap on "
              + array.device()
              + ", which the CPU cannot read: null_count is " + known + (known > 0 ? " for more than these" : "")
              + "; export the result of countNulls(stream)");
    }
    array.synchronize();
    return count - Bitmaps.countOnes(bitmap, start, count);
  }
}
