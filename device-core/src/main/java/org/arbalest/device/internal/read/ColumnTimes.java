// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Period;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.function.LongFunction;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.IntervalUnit;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.schema.Units;
import org.jspecify.annotations.Nullable;

/** The getters that return stored dates and times as values of {@code java.time}. */
public abstract sealed class ColumnTimes extends ColumnRows permits ColumnImpl {
  /** A time zone, with its name in the type. */
  private record Zone(String name, ZoneId id) {}

  /** The zone that was used last. */
  private @Nullable Zone zone;

  ColumnTimes(DeviceArrayImpl array, Field field, long struct, long offset, long length, @Nullable ColumnRows above) {
    super(array, field, struct, offset, length, above);
  }

  ColumnTimes(ColumnRows of, long offset, long length) {
    super(of, offset, length);
  }

  /**
   * Returns the field of a row's value, for a getter: the values' field of a dictionary or of runs, and for a union the
   * field of the row's child. Throws for a null row, like the getters of {@link ColumnImpl}.
   */
  abstract Field fieldAt(long row, Getter getter);

  @Override
  public final LocalDate getLocalDate(long row) {
    if (!(fieldAt(row, Getter.DATE).type() instanceof DateType(DateUnit unit))) throw cannot(Getter.DATE.what);
    return time(row, "date", stored -> date(unit, stored));
  }

  @Override
  public final LocalTime getLocalTime(long row) {
    if (!(fieldAt(row, Getter.TIME).type() instanceof TimeType(ArrowTimeUnit unit))) throw cannot(Getter.TIME.what);
    return time(row, "time of day", stored -> time(unit, stored));
  }

  @Override
  public final Instant getInstant(long row) {
    ArrowTimeUnit unit = timestamp(row, Getter.INSTANT).unit();
    return time(row, "point in time", stored -> instant(unit, stored));
  }

  @Override
  public final LocalDateTime getLocalDateTime(long row) {
    ArrowTimeUnit unit = timestamp(row, Getter.DATE_TIME).unit();
    return time(row, "date and time", stored -> dateTime(unit, stored));
  }

  @Override
  public final ZonedDateTime getZonedDateTime(long row) {
    TimestampType type = timestamp(row, Getter.ZONED_DATE_TIME);
    if (type.timezone() == null) throw cannot(Getter.ZONED_DATE_TIME.what);
    ZoneId zone = zone(row, type.timezone());
    ArrowTimeUnit unit = type.unit();
    return time(row, "date and time", stored -> instant(unit, stored).atZone(zone));
  }

  @Override
  public final Duration getDuration(long row) {
    if (!(fieldAt(row, Getter.DURATION).type() instanceof DurationType(ArrowTimeUnit unit)))
      throw cannot(Getter.DURATION.what);
    return duration(unit, getLong(row));
  }

  @Override
  public final Period getPeriod(long row) {
    DataType type = fieldAt(row, Getter.PERIOD).type();
    if (!(type instanceof IntervalType(IntervalUnit unit)) || unit != IntervalUnit.YEAR_MONTH)
      throw cannot(Getter.PERIOD.what);
    return Period.ofMonths(getInterval(row).months());
  }

  private TimestampType timestamp(long row, Getter getter) {
    if (fieldAt(row, getter).type() instanceof TimestampType type) return type;
    throw cannot(getter.what);
  }

  private ZoneId zone(long row, String name) {
    Zone known = zone;
    if (known != null && known.name.equals(name)) return known.id;
    try {
      ZoneId id = ZoneId.of(name);
      zone = new Zone(name, id);
      return id;
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          describe() + ", row " + row + ": java.time has no zone \"" + name + "\"; getInstant reads it", e);
    }
  }

  private <T> T time(long row, String what, LongFunction<T> of) {
    long stored = getLong(row);
    try {
      return of.apply(stored);
    } catch (DateTimeException | ArithmeticException e) {
      ArithmeticException none = new ArithmeticException(
          describe() + ", row " + row + ": " + stored + " is not a " + what + " of java.time");
      none.initCause(e);
      throw none;
    }
  }

  static LocalDate date(DateUnit unit, long stored) {
    return LocalDate.ofEpochDay(unit == DateUnit.DAY ? stored : Math.floorDiv(stored, Units.MILLIS_PER_DAY));
  }

  /** Returns whether a stored number is a whole number of days, as it must be for a date. */
  static boolean isDay(DateUnit unit, long stored) {
    return unit == DateUnit.DAY || stored % Units.MILLIS_PER_DAY == 0;
  }

  static LocalTime time(ArrowTimeUnit unit, long stored) {
    return LocalTime.ofSecondOfDay(seconds(unit, stored)).plusNanos(nanos(unit, stored));
  }

  static Instant instant(ArrowTimeUnit unit, long stored) {
    return Instant.ofEpochSecond(seconds(unit, stored), nanos(unit, stored));
  }

  static LocalDateTime dateTime(ArrowTimeUnit unit, long stored) {
    return LocalDateTime.ofEpochSecond(seconds(unit, stored), (int) nanos(unit, stored), ZoneOffset.UTC);
  }

  static Duration duration(ArrowTimeUnit unit, long stored) {
    return Duration.ofSeconds(seconds(unit, stored), nanos(unit, stored));
  }

  private static long seconds(ArrowTimeUnit unit, long stored) {
    return Math.floorDiv(stored, Units.perSecond(unit));
  }

  /** Returns the nanoseconds after the full second; never negative. */
  private static long nanos(ArrowTimeUnit unit, long stored) {
    return Math.floorMod(stored, Units.perSecond(unit)) * (Units.NANOS_PER_SECOND / Units.perSecond(unit));
  }
}
