// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DateUnit;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.ArrowTimeUnit;
import org.jspecify.annotations.Nullable;

/** Dates and times for people, of the numbers that they are stored as. */
public final class TimeText {
  private TimeText() {}

  /**
   * What {@code java.time} writes for a stored number; a point in time with the offset that its zone has then, or in
   * UTC if nobody knows the zone. Null if the type is no date or time, or the number is none of its values, or none
   * that {@code java.time} has.
   */
  public static @Nullable String of(DataType type, long stored) {
    try {
      return switch (type) {
        case DateType(DateUnit unit) ->
            ColumnTimes.isDay(unit, stored) ? ColumnTimes.date(unit, stored).toString() : null;
        case TimeType(ArrowTimeUnit unit) -> ColumnTimes.time(unit, stored).toString();
        case TimestampType(ArrowTimeUnit unit, @Nullable String zone) ->
            zone == null ? ColumnTimes.dateTime(unit, stored).toString()
                : inZone(ColumnTimes.instant(unit, stored), zone);
        case DurationType(ArrowTimeUnit unit) -> ColumnTimes.duration(unit, stored).toString();
        default -> null;
      };
    } catch (DateTimeException | ArithmeticException _) {
      return null;
    }
  }

  private static String inZone(Instant instant, String name) {
    ZoneId zone;
    try {
      zone = ZoneId.of(name);
    } catch (DateTimeException _) {
      return instant.toString();
    }
    return instant.atZone(zone).toOffsetDateTime().toString();
  }
}
