// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.Arrays;
import java.util.Comparator;
import org.arbalest.device.columns.Column;

/** Conversions of text to characters and to enum constants. */
final class TextObjects {
  private TextObjects() {}

  static char toChar(String text) {
    if (text.length() != 1) throw Unreadable.of("is \"" + text + "\", which is no single char");
    return text.charAt(0);
  }

  /** Returns a getter that finds constants by name, with binary search. */
  static FlatClass.Getter constants(Class<?> type) {
    Enum<?>[] constants =
        Arrays.stream(type.getEnumConstants()).map(constant -> (Enum<?>) constant)
            .sorted(Comparator.comparing(Enum::name)).toArray(Enum<?>[]::new);
    String[] names = Arrays.stream(constants).map(Enum::name).toArray(String[]::new);
    return (Column column, long row) -> {
      String name = column.getString(row);
      int found = Arrays.binarySearch(names, name);
      if (found >= 0) return constants[found];
      throw Unreadable.of(
          "is \"" + name + "\", which is no " + type.getSimpleName() + ": " + Arrays.toString(type.getEnumConstants()));
    };
  }
}
