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
      return "name the type of its elements, as in "
          + (raw == Map.class ? "Map<String, Long>" : raw.getSimpleName() + "<String>");
    }
    if (raw == Optional.class) return "use an Optional of a type that is not an Optional";
    if (raw == OptionalInt.class || raw == OptionalLong.class || raw == OptionalDouble.class)
      return "use Integer, Long or Double, which may be null, or an Optional of them";
    if (Collection.class.isAssignableFrom(raw)) return "use a List, a Set, a Collection or an array";
    if (Map.class.isAssignableFrom(raw)) return "use a Map";
    if (Date.class.isAssignableFrom(raw) || Calendar.class.isAssignableFrom(raw))
      return "use Instant, LocalDateTime, LocalDate or LocalTime";
    return "use a record, a data class, a class in docs/types.md, or the class of a registered ExtensionCodec";
  }
}
