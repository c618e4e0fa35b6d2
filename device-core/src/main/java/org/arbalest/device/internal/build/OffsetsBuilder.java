package org.arbalest.device.internal.build;

import org.arbalest.device.Field;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;

/** The offsets of a text, binary or list array under construction. */
final class OffsetsBuilder {
  private final Field field;
  private final boolean isLong;
  private final GrowableBuffer buffer;
  private long last;

  OffsetsBuilder(BuildMemory memory, Field field, int rows) {
    this.field = field;
    this.isLong = Layout.of(field).bits == 64;
    this.buffer = new GrowableBuffer(memory, (isLong ? 8L : 4L) * (rows + 1L));
    put(0);
  }

  /** Appends a value of some size. */
  void append(long size) {
    long next = last + size;
    if (!isLong && next > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "column \"" + field.name() + "\" has 32-bit offsets, but " + next + " elements; use large_" + TypeNames.of(field.type()));
    }
    put(next);
  }

  private void put(long offset) {
    if (isLong) {
      buffer.putLong(offset);
    } else {
      buffer.putInt((int) offset);
    }
    last = offset;
  }

  /** The offset behind the last value. */
  long last() {
    return last;
  }

  GrowableBuffer buffer() {
    return buffer;
  }
}
