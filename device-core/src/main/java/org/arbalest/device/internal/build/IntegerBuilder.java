// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension.Bool8;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Units;

/** A builder of integers, and of types stored as integers: dates, times, timestamps and durations. */
final class IntegerBuilder extends FixedBuilder {
  private final boolean signed;

  /**
   * Whether some bit patterns are not valid values: times of day, and dates in milliseconds, which must be whole days
   * (BLD-18).
   */
  private final boolean limited;

  private final long least;
  private final long most;

  /** The number that divides every value. */
  private final long step;

  /**
   * The first row that came from an array and is not checked yet, because it may still become null. Without such a row,
   * a number larger than any row.
   */
  private long unseen = Long.MAX_VALUE;

  /** Creates a builder. The result's type lets the JVM verify the caller without loading this class. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    return new IntegerBuilder(memory, field, rows);
  }

  IntegerBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, rows, !isLimited(field.type()), false);
    this.signed = !(field.type() instanceof IntType type) || type.signed();
    this.limited = isLimited(field.type());
    int bits = 8 * width;
    if (field.type() instanceof TimeType(ArrowTimeUnit unit)) {
      this.least = 0;
      this.most = Units.perDay(unit) - 1;
    } else {
      this.least = signed ? -1L << (bits - 1) : 0;
      this.most = signed ? -1L >>> (65 - bits) : -1L >>> (64 - bits);
    }
    this.step = field.type() instanceof DateType && width == 8 ? Units.MILLIS_PER_DAY : 1;
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
    if (!isValue(value)) throw doesNotHold(described(value));
    switch (width) {
      case 8 -> values.putLong(value);
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
    return isStored(4) ? copyArray(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  @Override
  public ColumnBuilder appendAll(long[] array) {
    Objects.requireNonNull(array, "values");
    return isStored(8) ? copyArray(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }

  private ColumnBuilder copyArray(MemorySegment array, int count) {
    if (limited) unseen = Math.min(unseen, length());
    return copy(array, count);
  }

  /** Checks the values that came from arrays, except those that have become null (BLD-18). */
  @Override
  void checkComplete() {
    if (unseen == Long.MAX_VALUE) return;
    for (long row = unseen; row < length(); row++) {
      if (validity.isNull(row)) continue;
      long at = values.address() + row * width;
      long value = width == 8 ? NativeHeap.getLong(at) : NativeHeap.getInt(at);
      if (!isValue(value)) throw refused(described(value) + ", in row " + row, "");
    }
    unseen = Long.MAX_VALUE;
  }

  private static boolean isLimited(DataType type) {
    return type instanceof TimeType || (type instanceof DateType(DateUnit unit) && unit == DateUnit.MILLISECOND);
  }

  private boolean isValue(long value) {
    return value >= least && value <= most && (step == 1 || value % step == 0);
  }

  /** Describes a value that is not valid, and the valid values. */
  private String described(long value) {
    boolean isWithin = value >= least && value <= most;
    return "the integer " + value
        + (isWithin ? " (whole days, of " + step + " milliseconds)" : " (" + least + " to " + most + ")");
  }

  /**
   * Returns whether the column stores an array bit by bit: signed integers of the same width, and any 64-bit integers.
   */
  private boolean isStored(int bytes) {
    return width == bytes && (signed || width == 8);
  }
}
