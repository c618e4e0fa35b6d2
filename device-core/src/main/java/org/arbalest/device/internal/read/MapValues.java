// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads maps, which are lists of entries. */
final class MapValues extends ListValues {
  MapValues(ColumnImpl column) {
    super(column);
  }

  /** Returns all entries in their order, because Arrow allows repeated keys. */
  @Override
  Object get(long at) {
    ColumnImpl list = getList(at);
    arrayLength(at, list.length);
    StructValues structs = (StructValues) list.values;
    List<Map.Entry<@Nullable Object, @Nullable Object>> entries = new ArrayList<>();
    for (long i = 0; i < list.length; i++) {
      long row = structs.row(list.offset + i);
      entries.add(new SimpleImmutableEntry<>(structs.child(0).get(row), structs.child(1).get(row)));
    }
    return Collections.unmodifiableList(entries);
  }

  /** Returns the entries of a row as a map; throws for a repeated key. */
  static Map<@Nullable Object, @Nullable Object> toMap(ColumnImpl entries, ColumnImpl column, long of) {
    StructValues structs = (StructValues) entries.values;
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (long i = 0; i < entries.length; i++) {
      long row = structs.row(entries.offset + i);
      Object key = structs.child(0).get(row);
      map.put(key, structs.child(1).get(row));
      if (map.size() <= i)
        throw new IllegalArgumentException(
            column.describe() + ", row " + of + " has the key " + key + " twice; getList and get return all entries");
    }
    return Collections.unmodifiableMap(map);
  }
}
