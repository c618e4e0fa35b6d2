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

  /** Appends the offset for a value of {@code size} elements. */
  void append(long size) {
    check(size);
    last += size;
    offsets.put(last);
  }

  /** Appends offsets for {@code count} empty values. */
  void appendEmpty(long count) {
    offsets.put(last, count);
  }

  /** Throws if a value of {@code size} elements would exceed the range of the offsets. */
  void check(long size) {
    if (isLong || last + size <= Integer.MAX_VALUE) return;
    String instead =
        column.field.type() instanceof MapType ? "several batches" : "large_" + TypeNames.of(column.field.type());
    throw new IllegalArgumentException(
        column.here() + ": has 32-bit offsets, but " + (last + size) + " elements; use " + instead);
  }

  /** Returns the offset after the last value. */
  long last() {
    return last;
  }

  /** Returns the offset of a value; {@code row} may be the number of values, too. */
  long get(long row) {
    return offsets.get(row);
  }

  /** Returns the number of values that these offsets describe. */
  long countOf(MemorySegment stored) {
    long width = isLong ? Long.BYTES : Integer.BYTES;
    if (stored.byteSize() < width || stored.byteSize() % width != 0) {
      throw new IllegalArgumentException(
          "column \"" + column.path() + "\": " + stored.byteSize() + " bytes are not whole offsets of " + width
              + " bytes; pass one offset more than values");
    }
    return stored.byteSize() / width - 1;
  }

  /** Reads an offset from memory of the caller. */
  long read(MemorySegment stored, long index) {
    return isLong ? stored.get(JAVA_LONG_UNALIGNED, index * Long.BYTES)
        : stored.get(JAVA_INT_UNALIGNED, index * Integer.BYTES);
  }

  /** Removes the values from index {@code rows} on. */
  void truncate(long rows) {
    offsets.truncate(rows + 1);
    last = offsets.get(rows);
  }

  GrowableBuffer buffer() {
    return offsets.buffer();
  }
}
