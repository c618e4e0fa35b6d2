// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The positions of many fields by their names. A lookup takes the same time for any number of fields. Immutable. */
final class FieldPositions {
  /** Below this number of fields, a search is as fast. */
  static final int FEWEST = 16;

  private static final Integer SEVERAL = -1;

  private final FieldImpl[] fields;
  private final Map<String, Integer> positions;

  FieldPositions(FieldImpl[] fields) {
    this.fields = fields;
    this.positions = HashMap.newHashMap(fields.length);
    for (int i = 0; i < fields.length; i++) positions.merge(fields[i].name(), i, (_, _) -> SEVERAL);
  }

  /** Returns the position of the field with this name, or −1; see {@link FieldNames#indexOf}. */
  int indexOf(String name, String where) {
    Integer found = positions.get(name);
    if (found == null) return -1;
    if (found < 0) throw FieldNames.ambiguous(Arrays.asList(fields), name, where);
    return found;
  }
}
