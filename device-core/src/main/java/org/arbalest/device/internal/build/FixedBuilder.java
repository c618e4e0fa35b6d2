// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.Layout;

/** A builder of columns whose values have one fixed width of whole bytes. */
abstract sealed class FixedBuilder extends UnsupportedAppends
    permits DecimalBuilder, FixedBinaryBuilder, FloatBuilder, IntegerBuilder, IntervalBuilder {
  final GrowableBuffer values;
  final int width;

  /**
   * Creates a builder.
   *
   * <p>{@code integers} says that every bit pattern is a valid integer, and {@code floats} that the values are
   * floating-point numbers. If either holds and the values have 64 bits, {@link ColumnBuilderImpl} writes them.
   */
  FixedBuilder(BuildMemory memory, Field field, int rows, boolean integers, boolean floats) {
    int width = (int) Layout.of(field).width();
    GrowableBuffer values = new GrowableBuffer(memory, (long) width * rows);
    super(memory, field, integers && width == 8 ? values : null, floats && width == 8 ? values : null);
    this.width = width;
    this.values = values;
  }

  @Override
  public final ColumnBuilder appendAll(MemorySegment stored) {
    if (width == 0 || stored.byteSize() % width != 0)
      throw refused(stored.byteSize() + " bytes of values that are " + width + " wide", "");
    return copy(stored, stored.byteSize() / width);
  }

  /** Appends values that already have the storage format of the column. */
  final ColumnBuilder copy(MemorySegment stored, long count) {
    values.putAll(stored);
    validity.appendValid(count);
    return this;
  }

  @Override
  final void writeNull() {
    switch (width) {
      case 8 -> values.putLong(0);
      case 4 -> values.putInt(0);
      case 2 -> values.putShort((short) 0);
      case 1 -> values.putByte((byte) 0);
      default -> values.extendWithZeroes(width);
    }
  }

  @Override
  final void writeNulls(long count) {
    values.extendWithZeroes(Math.multiplyExact(width, count));
  }

  @Override
  final void appendFillers(long count) {
    appendFillersAtOnce(count);
  }

  @Override
  final void truncate(long length) {
    validity.truncate(length);
    values.truncate(length * width);
  }

  @Override
  final long hash(long row) {
    return Hashes.of(values.address() + row * width, width);
  }

  @Override
  final boolean same(long one, long other) {
    return Hashes.same(values.address() + one * width, values.address() + other * width, width);
  }

  @Override
  final List<GrowableBuffer> buffers() {
    return List.of(values);
  }
}
