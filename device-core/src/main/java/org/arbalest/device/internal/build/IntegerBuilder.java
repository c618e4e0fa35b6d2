package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Extension.Bool8;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.IntType;

/** Integers, and what is stored as one: dates, times, timestamps, durations. */
final class IntegerBuilder extends FixedBuilder {
  private final boolean signed;

  IntegerBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, rows, true, false);
    this.signed = !(field.type() instanceof IntType type) || type.signed();
  }

  @Override
  public ColumnBuilder append(boolean value) {
    return field.extension() instanceof Bool8 ? append(value ? 1L : 0L) : super.append(value);
  }

  @Override
  ColumnBuilder appendTime(Object value) {
    return append(TimeCounts.of(this, value));
  }

  @Override
  ColumnBuilder appendOther(long value) {
    int bits = 8 * width;
    long least = signed ? -(1L << (bits - 1)) : 0;
    long most = signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    if (value < least || value > most) throw doesNotHold("the integer " + value + " (" + least + " to " + most + ")");
    switch (width) {
      case 4 -> values.putInt((int) value);
      case 2 -> values.putShort((short) value);
      default -> values.putByte((byte) value);
    }
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder appendAll(byte[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(1) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(short[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(2) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(int[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(4) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(long[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(8) ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  /** Whether an array is stored bit by bit: signed integers of its width, and any 64-bit ones, which are never checked. */
  private boolean isStored(int bytes) {
    return width == bytes && (signed || width == 8);
  }
}
