// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;

/** The offsets of a text, binary, list or map array under construction. */
final class OffsetsBuilder {
  private final ColumnBuilderImpl column;
  private final boolean isLong;
  private final Numbers offsets;
  private long last;

  OffsetsBuilder(ColumnBuilderImpl column, int rows) {
    this.column = column;
    this.isLong = Layout.of(column.field).bits == 64;
    this.offsets = new Numbers(column.memory, Layout.of(column.field).bits, rows + 1L);
    offsets.put(0);
  }

  /** Appends a value of some size. */
  void append(long size) {
    check(size);
    last += size;
    offsets.put(last);
  }

  /** Appends values without elements. */
  void appendEmpty(long count) {
    offsets.put(last, count);
  }

  /** Throws if a value of some size would be too much. */
  void check(long size) {
    if (isLong || last + size <= Integer.MAX_VALUE) return;
    String instead =
        column.field.type() instanceof MapType ? "several batches" : "large_" + TypeNames.of(column.field.type());
    throw new IllegalArgumentException(
        column.here() + ": has 32-bit offsets, but " + (last + size) + " elements; use " + instead);
  }

  /** The offset behind the last value. */
  long last() {
    return last;
  }

  /** The offset of a value, or behind the one before. */
  long get(long row) {
    return offsets.get(row);
  }

  /** How many values these offsets are of. */
  long countOf(MemorySegment stored) {
    long width = isLong ? Long.BYTES : Integer.BYTES;
    if (stored.byteSize() < width || stored.byteSize() % width != 0) {
      throw new IllegalArgumentException(
          "column \"" + column.path() + "\": " + stored.byteSize() + " bytes of offsets that are " + width
              + " wide; there is one more than values");
    }
    return stored.byteSize() / width - 1;
  }

  /** One of somebody else's offsets. */
  long read(MemorySegment stored, long index) {
    return isLong ? stored.get(JAVA_LONG_UNALIGNED, index * Long.BYTES)
        : stored.get(JAVA_INT_UNALIGNED, index * Integer.BYTES);
  }

  /** Forgets the values from some one on. */
  void truncate(long rows) {
    offsets.truncate(rows + 1);
    last = offsets.get(rows);
  }

  GrowableBuffer buffer() {
    return offsets.buffer();
  }
}
