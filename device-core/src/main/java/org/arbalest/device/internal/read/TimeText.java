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

/** Readable text for stored dates and times. */
public final class TimeText {
  private TimeText() {}

  /**
   * Returns the text of {@code java.time} for a stored number. A point in time has the offset of its zone at that time,
   * or UTC if the zone is unknown.
   *
   * <p>Returns null if the type is no date or time, if the number is not valid for the type, or if {@code java.time}
   * cannot represent it.
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
