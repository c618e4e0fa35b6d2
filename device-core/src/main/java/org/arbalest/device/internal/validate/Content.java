// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;

/**
 * Validation of the buffers (ARR-17) of an array with a valid structure: its own buffers, then those of its children.
 * Throws {@link MalformedException}.
 */
final class Content {
  /** The extent of a check. */
  enum Extent {
    /** Only that nulls occur in nullable fields. */
    NULLS,
    /** Null counts, and the numbers that lead to other memory; see {@link Validation#BOUNDS}. */
    BOUNDS,
    /** All of it, and the values; see {@link Validation#FULL}. */
    ALL
  }

  private final HostBuffers buffers;
  private final Ownership owner;

  private final Extent extent;

  /** Whether it also checks the values of dictionaries. */
  private final boolean hasDictionaries;

  Content(HostBuffers buffers, Ownership owner, Extent extent, boolean hasDictionaries) {
    this.buffers = buffers;
    this.owner = owner;
    this.extent = extent;
    this.hasDictionaries = hasDictionaries;
  }

  void check(Rows rows) {
    int mark = buffers.mark();
    try {
      if (extent != Extent.NULLS) Nulls.checkCount(buffers, rows);
      if (extent != Extent.BOUNDS) Nulls.checkPlaces(buffers, rows);
      if (extent != Extent.NULLS && rows.count > 0) checkBuffers(rows, extent == Extent.ALL);
    } finally {
      buffers.drop(mark);
    }
    Layout layout = rows.layout;
    for (int i = 0; i < layout.children.length; i++) {
      try {
        check(rows.child(i));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name().isEmpty() ? "[" + i + "]" : layout.children[i].name());
      }
    }
    Field dictionary = layout.dictionary;
    if (dictionary == null || !hasDictionaries) return;
    try {
      check(rows.dictionary(dictionary));
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private void checkBuffers(Rows rows, boolean hasValues) {
    switch (rows.layout.shape) {
      case FIXED -> FixedChecks.check(buffers, rows, hasValues);
      case VARIABLE -> OffsetChecks.variable(buffers, rows, owner.dataSize(rows.struct), hasValues);
      case VIEW -> new ViewChecks(buffers, rows, hasValues).check();
      case LIST -> OffsetChecks.list(buffers, rows);
      case LIST_VIEW -> OffsetChecks.listView(buffers, rows);
      case SPARSE_UNION, DENSE_UNION -> new UnionChecks(buffers, rows).check();
      case RUN_END -> RunEndChecks.check(buffers, rows);
      case NULL, FIXED_LIST, STRUCT -> {}
    }
  }

  /** Returns the number of elements of a child. */
  static long childLength(Rows rows, int child) {
    return RawArrowArray.length(RawArrowArray.child(rows.struct, child));
  }
}
