// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.read.Codecs;

/** A cache of values for the fields that were used last. An entry is valid until the registered codecs change. */
final class Recent<V> {
  private static final int KEPT = 8;

  private volatile List<Made<V>> last = List.of();

  private record Made<V>(Field field, V value, int codecs) {}

  @SuppressWarnings("ReferenceEquality") // a fast check first, because repeated schemas are usually the same object
  V get(Field field, Function<Field, V> make) {
    int codecs = Codecs.changes();
    for (Made<V> made : last) {
      if (made.field == field && made.codecs == codecs) return made.value;
    }
    for (Made<V> made : last) {
      if (made.field.equals(field) && made.codecs == codecs) return made.value;
    }
    V value = make.apply(field);
    List<Made<V>> before = last; // read once: another thread may replace it with a longer list
    List<Made<V>> now = new ArrayList<>();
    now.add(new Made<>(field, value, codecs));
    now.addAll(before.subList(0, Math.min(before.size(), KEPT - 1)));
    last = List.copyOf(now);
    return value;
  }
}
