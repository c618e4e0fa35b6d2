package org.arbalest.device.internal.records;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DataType;
import org.arbalest.device.FlatType.DateType;
import org.arbalest.device.FlatType.DateUnit;
import org.arbalest.device.FlatType.DecimalType;
import org.arbalest.device.FlatType.DurationType;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.FlatType.TimeType;
import org.arbalest.device.FlatType.TimestampType;
import org.arbalest.device.Interval;
import org.arbalest.device.TimeUnit;
import org.arbalest.device.internal.schema.TypeNames;

/** Numbers and times, appended exactly or not at all. */
final class Amounts {
  private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);
  private static final long MILLIS_PER_DAY = 86_400_000;

  private Amounts() {}

  /** An integer; uint64 would take any 64 bits. */
  static void append(ColumnBuilder column, DataType type, long value) {
    if (value < 0 && type instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed) throw cannot(column, type, value);
    column.append(value);
  }

  static void append(ColumnBuilder column, DataType type, BigInteger value) {
    if (type instanceof DecimalType) {
      column.append(new BigDecimal(value));
      return;
    }
    boolean unsigned = type instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed;
    if (unsigned ? value.signum() < 0 || value.bitLength() > Long.SIZE : value.bitLength() >= Long.SIZE) throw cannot(column, type, value);
    column.append(value.longValue());
  }

  static void append(ColumnBuilder column, DataType type, LocalDate value) {
    boolean inDays = type instanceof DateType(DateUnit unit) && unit == DateUnit.DAY;
    try {
      column.append(inDays ? value.toEpochDay() : Math.multiplyExact(value.toEpochDay(), MILLIS_PER_DAY));
    } catch (ArithmeticException e) {
      throw cannot(column, type, value);
    }
  }

  static void append(ColumnBuilder column, DataType type, LocalDateTime value) {
    Instant inUtc = value.toInstant(ZoneOffset.UTC);
    append(column, type, inUtc.getEpochSecond(), inUtc.getNano(), value);
  }

  static void append(ColumnBuilder column, DataType type, Instant value) {
    append(column, type, value.getEpochSecond(), value.getNano(), value);
  }

  static void append(ColumnBuilder column, DataType type, Duration value) {
    append(column, type, value.getSeconds(), value.getNano(), value);
  }

  /** Seconds and nanoseconds, which are {@code value}, in the type's unit. */
  static void append(ColumnBuilder column, DataType type, long seconds, long nanos, Object value) {
    long perUnit = nanosPer(unit(type));
    long high = Math.multiplyHigh(seconds, 1_000_000_000L);
    long low = seconds * 1_000_000_000L;
    long sum = low + nanos;
    if (high == (low >> 63) && !(low > 0 && sum < 0)) {
      if (sum % perUnit != 0) throw cannot(column, type, value);
      column.append(sum / perUnit);
      return;
    }
    BigInteger[] counted = BigInteger.valueOf(seconds).multiply(NANOS_PER_SECOND).add(BigInteger.valueOf(nanos)).divideAndRemainder(BigInteger.valueOf(perUnit));
    if (counted[1].signum() != 0 || counted[0].bitLength() >= Long.SIZE) throw cannot(column, type, value);
    column.append(counted[0].longValue());
  }

  static void append(ColumnBuilder column, Period value) {
    if (value.get(ChronoUnit.DAYS) != 0 || value.toTotalMonths() != (int) value.toTotalMonths()) {
      throw new IllegalArgumentException(here(column) + ": the period " + value + " is no number of months; an Interval has days, too");
    }
    column.append(new Interval((int) value.toTotalMonths(), 0, 0));
  }

  private static TimeUnit unit(DataType type) {
    return switch (type) {
      case TimeType time -> time.unit();
      case TimestampType timestamp -> timestamp.unit();
      case DurationType duration -> duration.unit();
      default -> throw new AssertionError(type);
    };
  }

  private static long nanosPer(TimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1_000_000_000;
      case MILLISECOND -> 1_000_000;
      case MICROSECOND -> 1_000;
      case NANOSECOND -> 1;
    };
  }

  private static IllegalArgumentException cannot(ColumnBuilder column, DataType type, Object value) {
    return new IllegalArgumentException(here(column) + ": " + value + " is no value of " + TypeNames.of(type) + ", exactly");
  }

  private static String here(ColumnBuilder column) {
    return "column \"" + column.field().name() + "\", row " + column.length();
  }
}
