// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Extension.Uuid;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.NativeHeap;

/** A builder of fixed-size binary columns, in which every value has the same number of bytes. */
final class FixedBinaryBuilder extends FixedBuilder {
  private final boolean isUuid;

  FixedBinaryBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, rows, false, false);
    this.isUuid = field.extension() instanceof Uuid;
  }

  @Override
  public ColumnBuilder append(UUID value) {
    Objects.requireNonNull(value, NO_VALUE);
    if (!isUuid) return super.append(value);
    values.putLong(NativeHeap.bigEndian(value.getMostSignificantBits()));
    values.putLong(NativeHeap.bigEndian(value.getLeastSignificantBits()));
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder append(byte[] value) {
    Objects.requireNonNull(value, NO_VALUE);
    return append(MemorySegment.ofArray(value));
  }

  @Override
  public ColumnBuilder append(MemorySegment value) {
    if (Objects.requireNonNull(value, NO_VALUE).byteSize() != width)
      throw doesNotHold(value.byteSize() + " bytes (" + width + ")");
    return copy(value, 1);
  }
}
