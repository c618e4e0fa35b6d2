// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** Reads maps, in the order of their entries. */
final class MapReader extends ValueReader {
  private final ColumnImpl entries;
  private final ValueReader keys;
  private final ValueReader values;

  MapReader(ColumnImpl column, ObjectType type, ReadPlan key, ReadPlan value) {
    super(column, type);
    this.entries = ColumnImpl.unwrap(column.items());
    this.keys = key.bind(ColumnImpl.unwrap(entries.column(0)));
    this.values = value.bind(ColumnImpl.unwrap(entries.column(1)));
  }

  @Override
  Map<@Nullable Object, @Nullable Object> read(long row) {
    Column list = column.getList(row);
    long from = list.offset() - entries.offset();
    List<@Nullable Object> of = ListReader.elements(keys, from, ColumnImpl.unwrap(list).arraySize());
    Map<@Nullable Object, @Nullable Object> map = LinkedHashMap.newLinkedHashMap(of.size());
    for (int i = 0; i < of.size(); i++) {
      Object key = of.get(i);
      try {
        if (map.containsKey(key)) throw Unreadable.of("is a key that occurs twice; a column's get returns all entries");
        map.put(key, values.get(from + i));
      } catch (Unreadable e) {
        throw e.at(String.valueOf(key));
      }
    }
    return Collections.unmodifiableMap(map);
  }
}
