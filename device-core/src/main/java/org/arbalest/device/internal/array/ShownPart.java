// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.schema.Layout;

/** Makes structs that are going out describe the part of an array that is shown. */
final class ShownPart {
  private ShownPart() {}

  /** Makes a struct describe some of its elements; how many of those are null is not known, unless none are. */
  static void narrow(Layout layout, long array, long offset, long length) {
    ArrowArrayStruct.setOffset(array, offset);
    ArrowArrayStruct.setLength(array, length);
    if (layout.shape == Layout.Shape.NULL) {
      ArrowArrayStruct.setNullCount(array, length);
    } else if (ArrowArrayStruct.nullCount(array) != 0) {
      ArrowArrayStruct.setNullCount(array, -1);
    }
  }

  /** Moves the offset and the length of a struct without nulls of its own to its fields, since some peers look there only (ARR-13). */
  static void pushDown(Layout layout, long struct) {
    if (layout.shape != Layout.Shape.STRUCT || ArrowArrayStruct.buffer(struct, 0) != 0) return;
    long offset = ArrowArrayStruct.offset(struct);
    long length = ArrowArrayStruct.length(struct);
    for (int i = 0; i < layout.children.length; i++) {
      Layout child = layout.children[i].layout;
      long field = ArrowArrayStruct.child(struct, i);
      if (offset == 0 && ArrowArrayStruct.length(field) == length) continue;
      narrow(child, field, ArrowArrayStruct.offset(field) + offset, length);
      pushDown(child, field);
    }
    ArrowArrayStruct.setOffset(struct, 0);
  }

  /**
   * Lets arrays without elements begin at 0, and shortens what is positioned by them alone to nothing (ARR-19). Their offsets, of which the one that there is may
   * be anything, or NULL, are 0 in main memory.
   */
  static void resetEmpty(Layout layout, long array, boolean isInMainMemory) {
    boolean isEmpty = ArrowArrayStruct.length(array) == 0;
    if (isEmpty) {
      ArrowArrayStruct.setOffset(array, 0);
      ArrowArrayStruct.setNullCount(array, 0);
      boolean hasOffsets = layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST;
      if (hasOffsets && isInMainMemory) ArrowArrayStruct.setBuffers(array, ArrayExport.NO_ELEMENTS);
    }
    for (int i = 0; i < layout.children.length; i++) {
      long child = ArrowArrayStruct.child(array, i);
      if (isEmpty && layout.shape.positionsChildren()) ArrowArrayStruct.setLength(child, 0);
      resetEmpty(layout.children[i].layout, child, isInMainMemory);
    }
    if (layout.dictionary != null) resetEmpty(layout.dictionary.layout, ArrowArrayStruct.dictionary(array), isInMainMemory);
  }
}
