// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.RowBits;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;

/** Creates arrays of some rows of others. See {@link DeviceArray#filter} and {@link DeviceArray#take(long...)}. */
public final class ArrayRows {
  private ArrayRows() {}

  /** The indices of the rows to take. */
  public interface Indices {
    /** Returns the number of indices. */
    long count();

    /**
     * Writes {@code offset} plus each index to an address, a long each, and −1 for a null.
     *
     * @param length the number of rows; another index throws {@link IndexOutOfBoundsException}
     * @return whether an index is null
     */
    boolean write(long to, long offset, long length);
  }

  /** Returns an array of the selected rows, which the caller closes. See {@link DeviceArray#filter}. */
  public static DeviceArray filter(DeviceArrayImpl array, RowBits rows) {
    array.checkOpen();
    if (rows.length != array.length()) {
      throw new IllegalArgumentException("cannot filter an array of " + DeviceArrayImpl.counted(array.length(), "row")
          + " by a selection of " + DeviceArrayImpl.counted(rows.length, "row")
          + ": make the selection from this array");
    }
    if (rows.count == rows.length) return array.retain();
    if (rows.isContiguous()) return array.slice(rows.first(), rows.count);
    Ownership owner = array.share();
    try {
      checkReadable(array, owner, "filter");
      return ArrayConversion.taken(array, owner, plan -> plan.measure(array.field(), array.struct(owner),
          Rows.marked(new Marked(plan, rows), array.offset()), array.field()));
    } finally {
      owner.release();
    }
  }

  /** Returns an array of the rows at some indices, which the caller closes. See {@link DeviceArray#take(long...)}. */
  public static DeviceArray take(DeviceArrayImpl array, Indices indices) {
    long count = indices.count();
    if (count == 0) return array.slice(0, 0);
    if (count > Layout.MOST_BYTES / Long.BYTES)
      throw new IllegalArgumentException("the positions of " + count + " rows do not fit in memory");
    Ownership owner = array.share();
    try (DeviceBuffer memory = DeviceRegistry.cpu().allocate(Long.BYTES * count)) {
      long list = memory.address();
      boolean hasNull = indices.write(list, array.offset(), array.length());
      if (!hasNull && isContiguous(list, count))
        return array.slice(NativeHeap.getLong(list) - array.offset(), count);
      if (hasNull) checkNullable(array.field(), list);
      checkReadable(array, owner, "take rows of");
      return ArrayConversion.taken(array, owner, plan -> measure(plan, array, owner, list, count, hasNull));
    } finally {
      owner.release();
    }
  }

  private static Node measure(ConversionPlan plan, DeviceArrayImpl array, Ownership owner, long list, long count,
      boolean hasNull) {
    Field field = array.field();
    long struct = array.struct(owner);
    if (!hasNull) return plan.measure(field, struct, Rows.list(list, count, 0), field);
    Rows rows = Rows.withNone(list, count, false, false);
    return isBatch(field) ? plan.withNullRows(field, struct, rows) : plan.measure(field, struct, rows, field);
  }

  private static boolean isContiguous(long list, long count) {
    long first = NativeHeap.getLong(list);
    for (long k = 1; k < count; k++) {
      if (NativeHeap.getLong(list + Long.BYTES * k) != first + k) return false;
    }
    return true;
  }

  /** Returns whether the null rows of an array are nulls of its columns, because its own field has no nulls. */
  private static boolean isBatch(Field field) {
    return field.type() instanceof StructType && !field.isNullable();
  }

  private static void checkNullable(Field field, long list) {
    List<Field> fields = isBatch(field) ? field.type().children() : List.of(field);
    for (Field each : fields) {
      if (Unions.canBeNull(each)) continue;
      long row = 0;
      while (NativeHeap.getLong(list + Long.BYTES * row) >= 0) row++;
      throw new IllegalArgumentException("cannot take a null row: index " + row + " is null, but " + each
          + " is not nullable; omit null indices, or call convertTo with a field that is nullable first");
    }
  }

  private static void checkReadable(DeviceArrayImpl array, Ownership owner, String what) {
    if (owner.isCpuAccessible()) return;
    throw new DeviceException(Errno.ENOSYS, "cannot " + what + " an array on " + array.device()
        + ", because the CPU cannot read its buffers; copy the array to the CPU first, with copyTo, or run a kernel on "
        + "the device");
  }
}
