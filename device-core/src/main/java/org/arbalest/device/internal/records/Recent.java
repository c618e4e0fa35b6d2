// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.read.Codecs;

/** What was made for the last few fields, by the codecs that are registered still. */
final class Recent<V> {
  private static final int KEPT = 8;

  private volatile List<Made<V>> last = List.of();

  private record Made<V>(Field field, V value, int codecs) {}

  @SuppressWarnings("ReferenceEquality") // asked first, since a schema that was seen before is the same
  V get(Field field, Function<Field, V> make) {
    int codecs = Codecs.changes();
    for (Made<V> made : last) {
      if (made.field == field && made.codecs == codecs) return made.value;
    }
    for (Made<V> made : last) {
      if (made.field.equals(field) && made.codecs == codecs) return made.value;
    }
    V value = make.apply(field);
    List<Made<V>> now = new ArrayList<>();
    now.add(new Made<>(field, value, codecs));
    now.addAll(last.subList(0, Math.min(last.size(), KEPT - 1)));
    last = List.copyOf(now);
    return value;
  }
}
