// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate;

import org.arbalest.device.internal.memory.Bitmaps;

/**
 * The nulls among some elements.
 *
 * @param bitmap the address at which the CPU reads the bits; 0 if no element is null
 * @param first the bit of the first element
 */
record Validity(long bitmap, long first) {
  /** The validity of elements that are all valid. */
  static final Validity ALL = new Validity(0, 0);

  boolean isNull(long element) {
    return bitmap != 0 && !Bitmaps.get(bitmap, first + element);
  }

  /** Returns how many of the first {@code count} elements are null. */
  long nulls(long count) {
    return bitmap == 0 ? 0 : count - Bitmaps.countOnes(bitmap, first, count);
  }
}
