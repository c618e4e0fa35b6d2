// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

import java.time.Duration;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.time.temporal.Temporal;
import java.time.temporal.TemporalAmount;
import java.time.temporal.TemporalUnit;
import java.time.temporal.UnsupportedTemporalTypeException;
import java.util.List;
import java.util.Objects;

/**
 * A length of time on the calendar, as in Arrow: months, days and nanoseconds.
 *
 * <p>The parts are independent. The library never converts one into another, because the lengths of months and of days
 * vary. An interval can be added to a date and time: {@code dateTime.plus(interval)}.
 *
 * @param months the number of months
 * @param days the number of days
 * @param nanoseconds the rest in nanoseconds, which may be more than a day
 */
public record Interval(int months, int days, long nanoseconds) implements TemporalAmount {
  private static final List<TemporalUnit> UNITS = List.of(ChronoUnit.MONTHS, ChronoUnit.DAYS, ChronoUnit.NANOS);

  /** Returns the months and days. */
  public Period period() {
    return Period.of(0, months, days);
  }

  /** Returns the nanoseconds, without the months and days. */
  public Duration duration() {
    return Duration.ofNanos(nanoseconds);
  }

  @Override
  public long get(TemporalUnit unit) {
    return switch (Objects.requireNonNull(unit, "unit")) {
      case ChronoUnit.MONTHS -> months;
      case ChronoUnit.DAYS -> days;
      case ChronoUnit.NANOS -> nanoseconds;
      default ->
          throw new UnsupportedTemporalTypeException("an interval has months, days and nanoseconds, not " + unit);
    };
  }

  @Override
  public List<TemporalUnit> getUnits() {
    return UNITS;
  }

  /**
   * Adds the months, then the days, then the nanoseconds. A part that is 0 is not added, so an interval of months and
   * days can be added to a date.
   */
  @Override
  public Temporal addTo(Temporal temporal) {
    Temporal result = Objects.requireNonNull(temporal, "temporal");
    for (TemporalUnit unit : UNITS) {
      if (get(unit) != 0) result = result.plus(get(unit), unit);
    }
    return result;
  }

  @Override
  public Temporal subtractFrom(Temporal temporal) {
    Temporal result = Objects.requireNonNull(temporal, "temporal");
    for (TemporalUnit unit : UNITS) {
      if (get(unit) != 0) result = result.minus(get(unit), unit);
    }
    return result;
  }

  /** Returns a text for people, such as {@code 1 month 2 days PT3S}. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (months != 0) text.append(months).append(months == 1 ? " month " : " months ");
    if (days != 0) text.append(days).append(days == 1 ? " day " : " days ");
    if (nanoseconds != 0 || text.isEmpty()) text.append(duration());
    return text.toString().strip();
  }
}
