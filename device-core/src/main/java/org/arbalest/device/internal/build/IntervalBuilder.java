// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.Interval;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.TypeNames;

/** A builder of calendar intervals. */
final class IntervalBuilder extends FixedBuilder {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final IntervalUnit unit;

  IntervalBuilder(BuildMemory memory, Field field, IntervalType type, int rows) {
    super(memory, field, rows, false, false);
    this.unit = type.unit();
  }

  @Override
  public ColumnBuilder append(Interval value) {
    Objects.requireNonNull(value, NO_VALUE);
    append(value.months(), value.days(), value.nanoseconds());
    return this;
  }

  /** Appends a period, if the type has all the parts that the period has. */
  @Override
  @SuppressWarnings("JavaPeriodGetDays") // the code reads the months, too
  ColumnBuilder appendTime(Object value) {
    if (!(value instanceof Period period)) return super.appendTime(value);
    long months = period.toTotalMonths();
    int days = (int) period.get(ChronoUnit.DAYS);
    if (months != (int) months)
      throw doesNotHold("the period " + period + ", which has more months than 32 bits count");
    if (unit == IntervalUnit.YEAR_MONTH ? days != 0 : unit == IntervalUnit.DAY_TIME && months != 0) {
      throw doesNotHold("the period " + period + " (" + described() + ")",
          TypeNames.of(DataType.INTERVAL_MONTH_DAY_NANO) + " does");
    }
    append((int) months, days, 0);
    return this;
  }

  private void append(int months, int days, long nanos) {
    long millis = nanos / NANOS_PER_MILLI;
    boolean fits =
        switch (unit) {
          case YEAR_MONTH -> days == 0 && nanos == 0;
          case DAY_TIME -> months == 0 && millis * NANOS_PER_MILLI == nanos && millis == (int) millis;
          case MONTH_DAY_NANO -> true;
        };
    if (!fits) throw doesNotHold(
        "the interval of " + months + " months, " + days + " days, " + nanos + " nanoseconds (" + described() + ")");
    switch (unit) {
      case YEAR_MONTH -> values.putInt(months);
      case DAY_TIME -> values.putLong(both(days, (int) millis));
      case MONTH_DAY_NANO -> {
        long at = values.extend(width);
        NativeHeap.putLong(at, both(months, days));
        NativeHeap.putLong(at + Long.BYTES, nanos);
      }
    }
    validity.appendValid();
  }

  private String described() {
    return unit == IntervalUnit.YEAR_MONTH ? "months only" : "days, and whole milliseconds of 32 bits";
  }

  /** Packs two 32-bit numbers into one word. The first number comes first in memory. */
  private static long both(int first, int second) {
    return Integer.toUnsignedLong(first) | (long) second << Integer.SIZE;
  }

  /** Appends a number of months. */
  @Override
  ColumnBuilder appendOther(long value) {
    if (unit != IntervalUnit.YEAR_MONTH) return super.appendOther(value);
    if (value != (int) value)
      throw doesNotHold("the integer " + value + " (" + Integer.MIN_VALUE + " to " + Integer.MAX_VALUE + ")");
    append((int) value, 0, 0);
    return this;
  }

  @Override
  public ColumnBuilder appendAll(int[] array) {
    Objects.requireNonNull(array, "values");
    return unit == IntervalUnit.YEAR_MONTH ? copy(MemorySegment.ofArray(array), array.length) : super.appendAll(array);
  }
}
