// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.schema.Layout;

/** Makes structs that are going out describe the part of an array that is shown. */
final class ShownPart {
  private ShownPart() {}

  /** Makes a struct describe some of its elements; how many of those are null is not known, unless none are. */
  static void narrow(Layout layout, long array, long offset, long length) {
    RawArrowArray.setOffset(array, offset);
    RawArrowArray.setLength(array, length);
    if (layout.shape == Layout.Shape.NULL) {
      RawArrowArray.setNullCount(array, length);
    } else if (RawArrowArray.nullCount(array) != 0) {
      RawArrowArray.setNullCount(array, -1);
    }
  }

  /** Moves the offset and the length of a struct without nulls of its own to its fields, since some peers look there only (ARR-13). */
  static void pushDown(Layout layout, long struct) {
    if (layout.shape != Layout.Shape.STRUCT || RawArrowArray.buffer(struct, 0) != 0) return;
    long offset = RawArrowArray.offset(struct);
    long length = RawArrowArray.length(struct);
    for (int i = 0; i < layout.children.length; i++) {
      Layout child = layout.children[i].layout;
      long field = RawArrowArray.child(struct, i);
      if (offset == 0 && RawArrowArray.length(field) == length) continue;
      narrow(child, field, RawArrowArray.offset(field) + offset, length);
      pushDown(child, field);
    }
    RawArrowArray.setOffset(struct, 0);
  }

  /**
   * Lets arrays without elements begin at 0, and shortens what is positioned by them alone to nothing (ARR-19). Their offsets, of which the one that there is may
   * be anything, or NULL, are 0 in main memory.
   */
  static void resetEmpty(Layout layout, long array, boolean isInMainMemory) {
    boolean isEmpty = RawArrowArray.length(array) == 0;
    if (isEmpty) {
      RawArrowArray.setOffset(array, 0);
      RawArrowArray.setNullCount(array, 0);
      boolean hasOffsets = layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST;
      if (hasOffsets && isInMainMemory) RawArrowArray.setBuffers(array, ArrayExport.NO_ELEMENTS);
    }
    for (int i = 0; i < layout.children.length; i++) {
      long child = RawArrowArray.child(array, i);
      if (isEmpty && layout.shape.positionsChildren()) RawArrowArray.setLength(child, 0);
      resetEmpty(layout.children[i].layout, child, isInMainMemory);
    }
    if (layout.dictionary != null) resetEmpty(layout.dictionary.layout, RawArrowArray.dictionary(array), isInMainMemory);
  }
}
