// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.time.Period;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.Interval;
import org.arbalest.device.internal.memory.NativeHeap;

/** Reads intervals: months; days and milliseconds; or months, days and nanoseconds. */
final class IntervalValues extends FixedValues {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final IntervalUnit unit;

  IntervalValues(Field field, long address, IntervalUnit unit) {
    super(field, address);
    this.unit = unit;
  }

  @Override
  Interval getInterval(long at) {
    long value = address + width * at;
    return switch (unit) {
      case YEAR_MONTH -> new Interval(NativeHeap.getInt(value), 0, 0);
      case DAY_TIME -> new Interval(0, NativeHeap.getInt(value), NativeHeap.getInt(value + 4) * NANOS_PER_MILLI);
      case MONTH_DAY_NANO ->
          new Interval(NativeHeap.getInt(value), NativeHeap.getInt(value + 4), NativeHeap.getLong(value + 8));
    };
  }

  @Override
  Object get(long at) {
    Interval interval = getInterval(at);
    return unit == IntervalUnit.YEAR_MONTH ? Period.ofMonths(interval.months()) : interval;
  }
}
