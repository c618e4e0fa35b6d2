// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.FlatType.Utf8ViewType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.UnionType;

/**
 * A reader of arrays of the statistics schema.
 *
 * <p>It accepts every legal layout: fields in any order, indices and counts of any width, keys with or without a
 * dictionary, and a union of either mode with any type ids. Content that the specification forbids is an error with the
 * path and the row.
 */
public final class StatisticsReader {
  private final Column columns;
  private final Column statistics;
  private final UnionType items;

  /** The path of the entries, for errors. */
  private final String path;

  /** The keys so far, as shared objects, because most keys occur in many columns. */
  private final Map<String, String> names = new HashMap<>();

  private final StatisticsTable table = new StatisticsTable();

  private StatisticsReader(Column whole) {
    List<Field> fields = whole.field().type().children();
    this.columns = whole.column(find(fields, "column"));
    if (!(columns.field().valueType() instanceof IntType)) throw isNot("$.column", columns.field(), "int32");
    this.statistics = whole.column(find(fields, "statistics"));
    if (!(statistics.field().type() instanceof MapType(Field entries, _)))
      throw isNot("$.statistics", statistics.field(), "a map");
    this.path = "$.statistics." + entries.name();
    Field key = entries.type().children().get(0);
    if (!isText(key.valueType())) throw isNot(path + "." + key.name(), key, "a dictionary of utf8");
    Field item = entries.type().children().get(1);
    if (!(item.type() instanceof UnionType union)) throw isNot(path + "." + item.name(), item, "a union");
    this.items = union;
  }

  /** Reads the statistics in an array. The handle stays open. */
  public static StatisticsTable read(RecordBatch array) {
    try (RecordBatch held = array.retain()) {
      Column whole = held.asColumn();
      StatisticsReader reader = new StatisticsReader(whole);
      for (long row = 0; row < whole.length(); row++) {
        if (whole.isNull(row)) throw DeviceException.invalid("row " + row + ": is null");
        reader.read(row);
      }
      return reader.table;
    }
  }

  private static boolean isText(DataType type) {
    return type instanceof Utf8Type || type instanceof LargeUtf8Type || type instanceof Utf8ViewType;
  }

  private static int find(List<Field> fields, String name) {
    int found = -1;
    for (int i = 0; i < fields.size(); i++) {
      if (!fields.get(i).name().equals(name)) continue;
      if (found >= 0) throw DeviceException.invalid("statistics have two fields \"" + name + "\"");
      found = i;
    }
    if (found < 0) throw DeviceException
        .invalid("statistics have no field \"" + name + "\"; these have " + fields.stream().map(Field::name).toList());
    return found;
  }

  private void read(long row) {
    int target = target(row);
    if (statistics.isNull(row)) throw malformed("$.statistics", row, "is null");
    Map<String, StatisticValue> values = table.target(target);
    Column entries = statistics.getList(row);
    Column keys = entries.column(0);
    Column union = entries.column(1);
    for (long i = 0; i < entries.length(); i++) {
      if (entries.isNull(i)) throw malformed(path, row, "entry " + i + " is null");
      if (keys.isNull(i)) throw malformed(path, row, "key " + i + " is null");
      String key = names.computeIfAbsent(keys.getString(i), Function.identity());
      Object value = union.get(i);
      if (value == null) throw malformed(path, row, "\"" + key + "\" is null");
      StatisticValue read = new StatisticValue(items.fields().get(items.typeIds().indexOf(union.getTypeId(i))), value);
      String complaint = Statistic.complaint(key, read);
      if (complaint != null) throw malformed(path, row, "\"" + key + "\" " + complaint);
      if (values.put(key, read) != null)
        throw malformed(path, row, "\"" + key + "\" of " + StatisticsTable.name(target) + " occurs twice");
    }
  }

  private int target(long row) {
    if (columns.isNull(row)) return StatisticsTable.WHOLE;
    long column = columns.getLong(row);
    if (column < 0 || column > Integer.MAX_VALUE)
      throw malformed("$.column", row, "is " + Objects.toString(columns.get(row)) + ", which is not a column");
    return (int) column;
  }

  private static DeviceException isNot(String path, Field field, String what) {
    return DeviceException.invalid(path + ": is " + TypeNames.of(field.type()) + ", not " + what);
  }

  private static DeviceException malformed(String path, long row, String what) {
    return DeviceException.invalid(path + ": row " + row + ": " + what);
  }
}
