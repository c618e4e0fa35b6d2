// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.internal.schema.Units;

/**
 * Exact conversions of dates and times to the numbers that columns store. A column throws for a value that it cannot
 * store exactly.
 */
final class TimeCounts {
  private TimeCounts() {}

  /** Returns the number that stores a value of java.time in a column of integers. */
  static long of(ColumnBuilderImpl column, Object value) {
    DataType type = column.field.type();
    return switch (value) {
      case LocalDate date when type instanceof DateType(DateUnit unit) -> days(column, unit, date);
      case LocalTime time when type instanceof TimeType -> of(column, type, 0, time.toNanoOfDay(), value);
      case LocalDateTime time when type instanceof TimestampType timestamp && timestamp.timezone() == null ->
          of(column, type, time.toInstant(ZoneOffset.UTC), value);
      case Instant instant when type instanceof TimestampType timestamp && timestamp.timezone() != null ->
          of(column, type, instant, value);
      case Duration duration when type instanceof DurationType ->
          of(column, type, duration.getSeconds(), duration.getNano(), value);
      default -> throw column.doesNotFit(named(value));
    };
  }

  private static long days(ColumnBuilderImpl column, DateUnit unit, LocalDate date) {
    long day = date.toEpochDay();
    boolean fits = unit == DateUnit.DAY ? day == (int) day : Math.abs(day) <= Long.MAX_VALUE / Units.MILLIS_PER_DAY;
    if (fits) return unit == DateUnit.DAY ? day : day * Units.MILLIS_PER_DAY;
    long most = unit == DateUnit.DAY ? Integer.MAX_VALUE : Long.MAX_VALUE / Units.MILLIS_PER_DAY;
    long least = unit == DateUnit.DAY ? Integer.MIN_VALUE : -most;
    boolean another = unit == DateUnit.DAY && Math.abs(day) <= Long.MAX_VALUE / Units.MILLIS_PER_DAY;
    throw column.doesNotHold(date + " (" + LocalDate.ofEpochDay(least) + " to " + LocalDate.ofEpochDay(most) + ")",
        another ? "date64 does" : "");
  }

  /** Converts a point in time to the unit of a type; errors name {@code value}. */
  static long of(ColumnBuilderImpl column, DataType type, Instant instant, Object value) {
    return of(column, type, instant.getEpochSecond(), instant.getNano(), value);
  }

  /** Converts seconds and nanoseconds to the unit of a type; errors name {@code value}. */
  private static long of(ColumnBuilderImpl column, DataType type, long seconds, long nanos, Object value) {
    long perUnit = nanosPer(unit(type));
    long high = Math.multiplyHigh(seconds, Units.NANOS_PER_SECOND);
    long low = seconds * Units.NANOS_PER_SECOND;
    long sum = low + nanos;
    if (high == (low >> 63) && !(low > 0 && sum < 0) && sum % perUnit == 0) return sum / perUnit;
    BigInteger all =
        BigInteger.valueOf(seconds).multiply(BigInteger.valueOf(Units.NANOS_PER_SECOND)).add(BigInteger.valueOf(nanos));
    if (fits(all, unit(type))) return all.divide(BigInteger.valueOf(perUnit)).longValue();
    throw refused(column, type, all, value);
  }

  private static boolean fits(BigInteger nanos, ArrowTimeUnit unit) {
    BigInteger[] counted = nanos.divideAndRemainder(BigInteger.valueOf(nanosPer(unit)));
    return counted[1].signum() == 0 && counted[0].bitLength() < Long.SIZE;
  }

  private static IllegalArgumentException refused(ColumnBuilderImpl column, DataType type, BigInteger nanos,
      Object value) {
    ArrowTimeUnit unit = unit(type);
    boolean isBeyond = nanos.divide(BigInteger.valueOf(nanosPer(unit))).bitLength() >= Long.SIZE;
    String why =
        isBeyond ? " (" + at(type, Long.MIN_VALUE) + " to " + at(type, Long.MAX_VALUE) + ")"
            : ", which is not a whole " + unit.name().toLowerCase(Locale.ROOT);
    String hint = "";
    for (ArrowTimeUnit other : ArrowTimeUnit.values()) {
      // the nearest unit that fits: the first of the finer ones, the last of the coarser ones
      if (!fits(nanos, other)) continue;
      if (hint.isEmpty() || isBeyond) hint = TypeNames.of(withUnit(type, other)) + " does";
    }
    return column.doesNotHold(value + why, hint);
  }

  /** Returns the date and time, or the duration, that a number of the type represents. */
  private static Object at(DataType type, long count) {
    ChronoUnit unit = switch (unit(type)) {
      case SECOND -> ChronoUnit.SECONDS;
      case MILLISECOND -> ChronoUnit.MILLIS;
      case MICROSECOND -> ChronoUnit.MICROS;
      case NANOSECOND -> ChronoUnit.NANOS;
    };
    if (type instanceof DurationType) return Duration.of(count, unit);
    Instant instant = Instant.EPOCH.plus(count, unit);
    return type instanceof TimestampType timestamp && timestamp.timezone() == null
        ? LocalDateTime.ofInstant(instant, ZoneOffset.UTC) : instant;
  }

  private static DataType withUnit(DataType type, ArrowTimeUnit unit) {
    return switch (type) {
      case TimeType _ -> new TimeType(unit);
      case TimestampType timestamp -> new TimestampType(unit, timestamp.timezone());
      default -> new DurationType(unit);
    };
  }

  private static ArrowTimeUnit unit(DataType type) {
    return switch (type) {
      case TimeType time -> time.unit();
      case TimestampType timestamp -> timestamp.unit();
      case DurationType duration -> duration.unit();
      default -> throw new AssertionError(type);
    };
  }

  private static long nanosPer(ArrowTimeUnit unit) {
    return Units.NANOS_PER_SECOND / Units.perSecond(unit);
  }

  /** Returns a description of a value of java.time, for errors. */
  static String named(Object value) {
    return switch (value) {
      case LocalDate _ -> "a date";
      case LocalTime _ -> "a time of day";
      case LocalDateTime _ -> "a date and time without a zone";
      case Instant _ -> "a point in time";
      case Duration _ -> "a length of time";
      default -> "a period";
    };
  }
}
