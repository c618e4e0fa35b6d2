// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector;

import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.arbalest.spark.internal.vector.IntegerVectors.OfValues;
import org.jspecify.annotations.Nullable;

/** Vectors of times that Spark counts in another unit. A value out of range throws an {@link ArithmeticException}. */
final class TimeVectors {
  private static final long MILLIS_OF_DAY = 86_400_000;

  private TimeVectors() {}

  /** Counts of 64 or 32 bits that Spark stores in a smaller unit. */
  static final class Multiplied extends OfValues {
    private final long factor;
    private final boolean isInt;

    Multiplied(DataType type, long factor, boolean isInt) {
      super(type);
      this.factor = factor;
      this.isInt = isInt;
    }

    @Override
    public long getLong(int row) {
      long at = at(row);
      if (isNullAt(row)) return 0; // Spark copies arrays with the values of null rows, which may be anything
      long value = isInt ? Memory.getInt(values + 4 * at) : Memory.getLong(values + 8 * at);
      long product = value * factor;
      if (Math.multiplyHigh(value, factor) != product >> 63)
        throw refusal(row, value + " is beyond the range of " + dataType().sql() + ", whose unit is " + factor
            + " times smaller");
      return product;
    }
  }

  /** Nanoseconds without the digits below a microsecond, in a multiple of microseconds. */
  static final class Truncated extends OfValues {
    private final long factor;

    Truncated(DataType type, long factor) {
      super(type);
      this.factor = factor;
    }

    @Override
    public long getLong(int row) {
      return Math.floorDiv(Memory.getLong(values + 8 * at(row)), 1000) * factor;
    }
  }

  /** Milliseconds, converted to days. */
  static final class DaysOfMillis extends OfValues {
    DaysOfMillis(DataType type) {
      super(type);
    }

    @Override
    public int getInt(int row) {
      if (isNullAt(row)) return 0;
      long millis = Memory.getLong(values + 8 * at(row));
      long days = Math.floorDiv(millis, MILLIS_OF_DAY);
      if ((int) days != days)
        throw refusal(row, millis + " ms are " + days + " days, which exceed 32 bits, as Spark counts them");
      return (int) days;
    }
  }

  /** Days and milliseconds. */
  static final class DayTimes extends OfValues {
    DayTimes(DataType type) {
      super(type);
    }

    @Override
    public @Nullable CalendarInterval getInterval(int row) {
      if (isNullAt(row)) return null;
      long address = values + 8 * at(row);
      return new CalendarInterval(0, Memory.getInt(address), 1000L * Memory.getInt(address + 4));
    }
  }

  /** Months, days and nanoseconds. */
  static final class MonthDayNanos extends OfValues {
    private final boolean truncates;

    MonthDayNanos(DataType type, boolean truncates) {
      super(type);
      this.truncates = truncates;
    }

    @Override
    public @Nullable CalendarInterval getInterval(int row) {
      if (isNullAt(row)) return null;
      long address = values + 16 * at(row);
      long nanos = Memory.getLong(address + 8);
      if (!truncates && nanos % 1000 != 0) {
        throw refusal(row, "an interval has " + nanos
            + " ns, and Spark counts microseconds; the option nanoseconds=truncate drops the rest");
      }
      return new CalendarInterval(Memory.getInt(address), Memory.getInt(address + 4), Math.floorDiv(nanos, 1000));
    }
  }
}
