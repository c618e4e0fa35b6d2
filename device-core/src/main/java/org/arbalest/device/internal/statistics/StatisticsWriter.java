// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.records.ObjectAppender;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;

/**
 * Writes statistics as an array of the statistics schema: one row for each target, the whole first, and one field of
 * the union for each type.
 */
public final class StatisticsWriter {
  private StatisticsWriter() {}

  /** Returns the array, in CPU memory. The caller must close it. */
  public static RecordBatch write(StatisticsTable table) {
    List<Field> types = types(table);
    Field key = Field.of("key", DataType.dictionary(DataType.INT32, DataType.UTF8)).withNullable(false);
    Field items = Field.of("items", DataType.denseUnion(types.toArray(Field[]::new))).withNullable(false);
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), table.targets().size())) {
      ColumnBuilder columns = batch.column(Field.of("column", DataType.INT32));
      ColumnBuilder maps = batch.column(Field.of("statistics", DataType.map(key, items)).withNullable(false));
      table.targets().forEach((target, values) -> {
        if (target == StatisticsTable.WHOLE) {
          columns.appendNull();
        } else {
          columns.append((long) target);
        }
        values.forEach((name, value) -> {
          int type = types.indexOf(value.field());
          maps.keys().append(name);
          ObjectAppender.append(maps.values().child(type), value.value());
          maps.values().appendUnion(type);
        });
        maps.appendMap(values.size());
      });
      return batch.build();
    }
  }

  /** Returns at least one type, because consumers do not expect a union without fields. */
  private static List<Field> types(StatisticsTable table) {
    Set<Field> types = new LinkedHashSet<>();
    for (Map<String, StatisticValue> values : table.targets().values()) {
      for (StatisticValue value : values.values()) types.add(value.field());
    }
    if (types.isEmpty()) types.add(StatisticValue.of(DataType.INT64, 0L).field());
    return new ArrayList<>(types);
  }
}
