package org.arbalest.device.internal.read;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.arbalest.device.Column;
import org.jspecify.annotations.Nullable;

/** Maps: lists of entries. */
final class MapValues extends ListValues {
  MapValues(ColumnImpl column) {
    super(column);
  }

  /** All entries, in their order, since Arrow does not forbid that a key is there twice. */
  @Override
  Object get(long at) {
    Column list = getList(at);
    arrayLength(list.length());
    Column keys = list.column(0);
    Column values = list.column(1);
    List<Map.Entry<@Nullable Object, @Nullable Object>> entries = new ArrayList<>();
    for (long i = 0; i < list.length(); i++) entries.add(new SimpleImmutableEntry<>(keys.get(i), values.get(i)));
    return Collections.unmodifiableList(entries);
  }

  /** Entries as a map; of a key that is there twice, {@code where} says whose it is. */
  static Map<@Nullable Object, @Nullable Object> toMap(Column entries, String where) {
    Column keys = entries.column(0);
    Column values = entries.column(1);
    Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
    for (long i = 0; i < entries.length(); i++) {
      Object key = keys.get(i);
      if (map.containsKey(key)) throw new IllegalArgumentException(where + " has the key " + key + " twice; getList and get have all entries");
      map.put(key, values.get(i));
    }
    return Collections.unmodifiableMap(map);
  }
}
