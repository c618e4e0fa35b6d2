// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import java.util.List;
import org.arbalest.device.Conversion;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.copy.ArrayConcat;
import org.arbalest.device.internal.device.CpuDevice;
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
     * Writes each index to an address, and −1 for a null.
     *
     * @param areInts whether an index is written as an int, and not as a long; the length is an int then
     * @param length the number of rows; another index throws {@link IndexOutOfBoundsException}
     * @return whether an index is null
     */
    boolean write(long to, boolean areInts, long length);
  }

  /** Writes an index to a list; see {@link Indices#write}. */
  public static void put(long list, boolean areInts, long k, long row) {
    Rows.putPosition(list, areInts, k, row);
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
      return withoutSpare(array, ArrayConversion.taken(array, owner, plan -> plan.measure(array.field(),
          array.struct(owner), Rows.marked(new Marked(plan, rows), array.offset()), array.field())));
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
    boolean areInts = array.length() <= Integer.MAX_VALUE;
    try (DeviceBuffer memory = CpuDevice.get().allocate((areInts ? Integer.BYTES : Long.BYTES) * count)) {
      long list = memory.address();
      boolean hasNull = indices.write(list, areInts, array.length());
      if (!hasNull && isContiguous(list, areInts, count)) return array.slice(Rows.position(list, areInts, 0), count);
      if (hasNull) checkNullable(array.field(), list, areInts);
      checkReadable(array, owner, "take rows of");
      Rows rows = Rows.taken(list, areInts, count, array.offset(), hasNull);
      return withoutSpare(array, ArrayConversion.taken(array, owner, plan -> measure(plan, array, owner, rows)));
    } finally {
      owner.release();
    }
  }

  /**
   * Returns the taken rows, or a copy if they keep the source's memory and need little of it: the data of views, the
   * elements of list-views, and dictionaries are shared at first. Takes over the rows. A copy has the whole dictionary,
   * which writers and {@code concat} recognize in the results of several batches.
   */
  private static DeviceArray withoutSpare(DeviceArrayImpl source, DeviceArray taken) {
    Conversion made = Conversion.of(taken);
    if (made == null || made.sharedBuffers() == 0) return taken;
    try {
      DeviceArray copy = ArrayConcat.withoutSpare(DeviceArrayImpl.unwrap(taken), source, true);
      if (copy == null) return taken;
      taken.close();
      return copy;
    } catch (Throwable t) {
      taken.close();
      throw t;
    }
  }

  private static Node measure(ConversionPlan plan, DeviceArrayImpl array, Ownership owner, Rows rows) {
    Field field = array.field();
    long struct = array.struct(owner);
    return rows.hasNone && isBatch(field)
        ? plan.withNullRows(field, struct, rows)
        : plan.measure(field, struct, rows, field);
  }

  private static boolean isContiguous(long list, boolean areInts, long count) {
    long first = Rows.position(list, areInts, 0);
    for (long k = 1; k < count; k++) {
      if (Rows.position(list, areInts, k) != first + k) return false;
    }
    return true;
  }

  /** Returns whether the null rows of an array are nulls of its columns, because its own field has no nulls. */
  private static boolean isBatch(Field field) {
    return field.type() instanceof StructType && !field.isNullable();
  }

  private static void checkNullable(Field field, long list, boolean areInts) {
    List<Field> fields = isBatch(field) ? field.type().children() : List.of(field);
    for (Field each : fields) {
      if (Unions.canBeNull(each)) continue;
      long row = 0;
      while (Rows.position(list, areInts, row) >= 0) row++;
      String fault = each.isNullable() ? " has no field that can store a null" : " is not nullable";
      throw new IllegalArgumentException("cannot take a null row: index " + row + " is null, but " + each + fault
          + "; omit null indices, or call convertTo with a field that is nullable first");
    }
  }

  private static void checkReadable(DeviceArrayImpl array, Ownership owner, String what) {
    if (owner.isCpuAccessible()) return;
    throw new DeviceException(Errno.ENOSYS, "cannot " + what + " an array on " + array.device()
        + ", because the CPU cannot read its buffers; copy the array to the CPU first, with copyTo, or run a kernel on "
        + "the device");
  }
}
