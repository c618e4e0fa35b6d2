package org.arbalest.device.internal.convert;

import org.arbalest.device.internal.memory.Bitmaps;

/**
 * Which elements of a selection have a value that is to be looked at: those that are not null, and not hidden by what they are part of. What lies beneath the
 * others may be anything.
 *
 * @param bitmap a bitmap, 0 if all have
 * @param first the bit of the first element
 */
record Mask(long bitmap, long first) {
  static final Mask ALL = new Mask(0, 0);

  boolean isNull(long element) {
    return bitmap != 0 && !Bitmaps.get(bitmap, first + element);
  }
}
