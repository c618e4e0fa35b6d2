// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.Bitmaps;

/** Reads boolean values, which have one bit each. */
final class BoolValues extends Values {
  private final long bitmap;

  BoolValues(Field field, long bitmap) {
    super(field);
    this.bitmap = bitmap;
  }

  @Override
  boolean getBoolean(long at) {
    return Bitmaps.get(bitmap, at);
  }

  @Override
  Object get(long at) {
    return getBoolean(at);
  }
}
