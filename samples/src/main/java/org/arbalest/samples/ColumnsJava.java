// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.time.*;
import java.util.*;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;
import org.arbalest.device.types.*;

/** The Java of docs/types.md: columns of lists and arrays, and what they are read as. */
final class ColumnsJava {
  private ColumnsJava() {}

  static DeviceArray columns(List<Instant> times, List<LocalDate> days) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      return builder
          .float64("price", new double[] {1.5, 2.0})
          .int64("size", Arrays.asList(100L, null))
          .date32("day", days)
          .timestamp("at", times) // timestamp[ns, tz=UTC]
          // or refused: a nanosecond is no whole millisecond
          .column("settled", DataType.timestamp(ArrowTimeUnit.MILLISECOND, "Europe/Zurich"), times)
          .column("tags", DataType.list(Field.of("item", DataType.UTF8)), Arrays.asList(List.of("a", "b"), null))
          .build();
    }
  }

  static String read(DeviceArray trades, long row) {
    LocalDate day = trades.column("day").getLocalDate(row);
    ZonedDateTime settled = trades.column("settled").getZonedDateTime(row);
    Column size = trades.column("size");
    return day + " " + settled + " " + (size.isNull(row) ? "any" : size.getLong(row));
  }
}
