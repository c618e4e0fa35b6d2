// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a selection whose values must be valid: they are not null, and no ancestor hides them. The values of
 * the others may be anything.
 *
 * @param bitmap a bitmap; 0 if all elements have values
 * @param first the bit of the first element
 * @param runs the selection, if it consists of runs; the bitmap is the struct's then, because a bitmap of all elements
 *     might exceed the memory
 */
record Mask(long bitmap, long first, @Nullable Rows runs) {
  static final Mask ALL = new Mask(0, 0, null);

  boolean isNull(long element) {
    if (runs != null) return runs.isAbsent(bitmap, element);
    return bitmap != 0 && !Bitmaps.get(bitmap, first + element);
  }
}
