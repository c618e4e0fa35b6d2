// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.columns;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.*;
import org.arbalest.device.builders.*;
import org.arbalest.device.columns.*;
import org.arbalest.device.types.*;

/** The Java of docs/guides/columns.md, except the program that it begins with. */
final class ColumnsGuideJava {
  private ColumnsGuideJava() {}

  static RecordBatch columns(long[] ids, List<Instant> times) {
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      ColumnBuilder id = builder.column(Field.of("id", DataType.INT64).withNullable(false));
      for (long value : ids) id.append(value);
      return builder
          .timestamp("at", times) // timestamp[ns, tz=UTC]
          .column("settled", DataType.timestamp(ArrowTimeUnit.MILLISECOND, "Europe/Zurich"), times)
          .column("tags", DataType.list(DataType.UTF8), Arrays.asList(List.of("a", "b"), null))
          .build();
    }
  }

  static long[] rowsPerValue(Column city) {
    long[] rows = new long[(int) city.dictionary().length()];
    IntView index = city.indices().asInts();
    for (long row = 0; row < index.length(); row++) {
      if (!index.isNull(row)) rows[index.get(row)]++;
    }
    return rows; // rows[i] belongs to the value city.dictionary().get(i)
  }
}
