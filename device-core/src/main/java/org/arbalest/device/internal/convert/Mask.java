// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;
import org.jspecify.annotations.Nullable;

/**
 * Which elements of a selection have a value that is to be looked at: those that are not null, and not hidden by what
 * they are part of. What lies beneath the others may be anything.
 *
 * @param bitmap a bitmap, 0 if all have
 * @param first the bit of the first element
 * @param runs a selection of runs, whose struct's the bitmap is then: their elements may be more than memory has bits
 *     for
 */
record Mask(long bitmap, long first, @Nullable Selection runs) {
  static final Mask ALL = new Mask(0, 0, null);

  boolean isNull(long element) {
    if (runs != null) return runs.isAbsent(bitmap, element);
    return bitmap != 0 && !Bitmaps.get(bitmap, first + element);
  }
}
