package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;

/** Bytes, the same number for each value. */
final class FixedBinaryBuilder extends FixedBuilder {
  FixedBinaryBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, rows, false, false);
  }

  @Override
  public ColumnBuilder append(byte[] value) {
    Objects.requireNonNull(value, "value");
    return append(MemorySegment.ofArray(value));
  }

  @Override
  public ColumnBuilder append(MemorySegment value) {
    if (value.byteSize() != width) throw doesNotHold(value.byteSize() + " bytes (" + width + ")");
    return copy(value, 1);
  }
}
