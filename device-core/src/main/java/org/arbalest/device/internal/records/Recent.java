package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.arbalest.device.Field;

/** What was made for the last few fields. */
final class Recent<V> {
  private static final int KEPT = 8;

  private volatile List<Made<V>> last = List.of();

  private record Made<V>(Field field, V value) {}

  @SuppressWarnings("ReferenceEquality") // asked first, since a schema that was seen before is the same
  V get(Field field, Function<Field, V> make) {
    for (Made<V> made : last) {
      if (made.field == field) return made.value;
    }
    for (Made<V> made : last) {
      if (made.field.equals(field)) return made.value;
    }
    V value = make.apply(field);
    List<Made<V>> now = new ArrayList<>();
    now.add(new Made<>(field, value));
    now.addAll(last.subList(0, Math.min(last.size(), KEPT - 1)));
    last = List.copyOf(now);
    return value;
  }
}
