// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.arbalest.device.objects.ObjectType;

/** Hints for error messages: the class to use in place of one that no column can store. */
final class ClassHint {
  private ClassHint() {}

  static String of(ObjectType type) {
    Class<?> raw = type.type();
    if (raw == List.class || raw == Set.class || raw == Collection.class || raw == Map.class
        || (raw == Optional.class && type.arguments().isEmpty())) {
      return "say what is in it, as in " + (raw == Map.class ? "Map<String, Long>" : raw.getSimpleName() + "<String>");
    }
    if (raw == Optional.class) return "an Optional of what is no Optional has";
    if (raw == OptionalInt.class || raw == OptionalLong.class || raw == OptionalDouble.class)
      return "Integer, Long and Double have, which may be null, and Optional of them";
    if (Collection.class.isAssignableFrom(raw)) return "List, Set, Collection and arrays have";
    if (Map.class.isAssignableFrom(raw)) return "Map has";
    if (Date.class.isAssignableFrom(raw) || Calendar.class.isAssignableFrom(raw))
      return "Instant, LocalDateTime, LocalDate and LocalTime have";
    return "a record and a data class have, the classes in docs/types.md, and the one of a registered ExtensionCodec";
  }
}
