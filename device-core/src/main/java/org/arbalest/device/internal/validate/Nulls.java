// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.NestedType.UnionType;
import org.jspecify.annotations.Nullable;

/** Checks that null counts are correct, and that nulls occur only in nullable fields. */
final class Nulls {
  /** An ancestor that hides elements: its own row is null or, in a union, belongs to another child. */
  private record Above(Rows rows, Validity validity, long types, int type, @Nullable Above above) {
    boolean hides(long element) {
      long row = element / rows.each();
      if (validity.isNull(row) || (types != 0 && NativeHeap.getByte(types + row) != type)) return true;
      return above != null && above.hides(row);
    }
  }

  private Nulls() {}

  /**
   * Checks the null count. For a slice only some elements are visible, and no more of them can be null than of all
   * elements.
   */
  static void checkCount(HostBuffers buffers, Rows rows) {
    long struct = rows.struct;
    long said = RawArrowArray.nullCount(struct);
    if (!rows.layout.shape.hasValidity) {
      if (said > 0 && rows.layout.shape != Layout.Shape.NULL) {
        throw new MalformedException(
            "null_count = " + said + ", but arrays of type " + rows.layout.kind() + " have no nulls of their own");
      }
      return;
    }
    long bitmap = RawArrowArray.buffer(struct, 0);
    if (bitmap == 0 || RawArrowArray.length(struct) == 0) return;
    if (said >= 0) checkCount(buffers, rows, bitmap, said);
  }

  /**
   * Checks only that nulls occur in nullable fields. It reads the bitmap of a field that is not nullable, unless the
   * null count is 0.
   */
  static void checkPlaces(HostBuffers buffers, Rows rows) {
    if (rows.isNullable || rows.count == 0) return;
    Validity validity = buffers.validity(rows);
    if (validity.nulls(rows.count) > 0) checkHidden(buffers, rows, validity);
  }

  private static void checkCount(HostBuffers buffers, Rows rows, long bitmap, long said) {
    long start = rows.isWhole ? RawArrowArray.offset(rows.struct) : rows.start;
    long count = rows.isWhole ? RawArrowArray.length(rows.struct) : rows.count;
    if (count == 0) return;
    long nulls = buffers.bits(bitmap, start, count).nulls(count);
    if (rows.isWhole ? nulls != said : nulls > said) {
      throw new MalformedException("null_count = " + said + ", but " + nulls + " of " + count + " elements are null");
    }
  }

  private static void checkHidden(HostBuffers buffers, Rows rows, Validity validity) {
    Above above = above(buffers, rows);
    for (long row = 0; row < rows.count; row++) {
      if (!validity.isNull(row)) continue;
      if (above == null || !above.hides(row))
        throw new MalformedException("row " + row + ": null, but the field is not nullable");
    }
  }

  private static @Nullable Above above(HostBuffers buffers, Rows rows) {
    Rows parent = rows.parent;
    if (parent == null) return null;
    boolean isUnion = parent.layout.shape == Layout.Shape.SPARSE_UNION;
    long types = isUnion ? buffers.elements(parent, parent.surplus(), 1) : 0;
    int type = isUnion ? ((UnionType) parent.field.type()).typeIds().get(rows.index) : 0;
    return new Above(parent, buffers.validity(parent), types, type, above(buffers, parent));
  }
}
