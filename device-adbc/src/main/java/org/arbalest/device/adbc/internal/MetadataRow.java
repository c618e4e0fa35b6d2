// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * A row of a metadata result, or a struct in one: values by name, in any encoding that the driver uses. A column that
 * the driver omits is null.
 */
final class MetadataRow {
  private final String what;
  private final Map<?, ?> values;

  private MetadataRow(String what, Map<?, ?> values) {
    this.what = what;
    this.values = values;
  }

  /** Returns all rows of a result. */
  static List<MetadataRow> all(RecordBatchReader result, String what) {
    List<MetadataRow> rows = new ArrayList<>();
    result.forEach(
        batch -> {
          var column = batch.asColumn();
          for (long row = 0; row < batch.length(); row++) {
            if (column.get(row) instanceof Map<?, ?> values) rows.add(new MetadataRow(what, values));
          }
        });
    return rows;
  }

  @Nullable
  Object get(String name) {
    return values.get(name);
  }

  @Nullable
  String text(String name) {
    return get(name) instanceof String text ? text : null;
  }

  String textThatIsThere(String name) {
    String text = text(name);
    if (text == null) throw wrong(name);
    return text;
  }

  /**
   * Returns a whole number, or null. A number that does not fit an int is null too: drivers report, for example,
   * 4294967295 bytes for unbounded texts.
   */
  @Nullable
  Integer number(String name) {
    return switch (get(name)) {
      case Long number when number == number.intValue() -> number.intValue();
      case BigDecimal number when number.compareTo(BigDecimal.valueOf(number.intValue())) == 0 -> number.intValue();
      case null, default -> null;
    };
  }

  int numberThatIsThere(String name) {
    Integer number = number(name);
    if (number == null) throw wrong(name);
    return number;
  }

  @Nullable
  Boolean flag(String name) {
    return get(name) instanceof Boolean flag ? flag : null;
  }

  /** Returns the structs of a list; empty if the list is null. */
  List<MetadataRow> rows(String name) {
    List<MetadataRow> rows = new ArrayList<>();
    for (Object item : list(name)) {
      if (item instanceof Map<?, ?> map) rows.add(new MetadataRow(what, map));
    }
    return rows;
  }

  /** Returns the texts of a list; empty if the list is null. */
  List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Object item : list(name)) {
      if (item instanceof String text) texts.add(text);
    }
    return texts;
  }

  private List<?> list(String name) {
    return get(name) instanceof List<?> list ? list : List.of();
  }

  private DeviceException wrong(String name) {
    return DeviceException
        .invalid(what + " has a row whose " + name + " is " + get(name) + ", which adbc.h does not allow: " + values);
  }
}
