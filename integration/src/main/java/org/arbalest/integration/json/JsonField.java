// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.jspecify.annotations.Nullable;

/**
 * A field with the id of its dictionary, which {@link Field} does not have.
 *
 * @param field the field
 * @param dictionaryId the id of the dictionary; null without one
 * @param children the children of the stored type: for a dictionary-encoded field those of the dictionary's values
 */
public record JsonField(Field field, @Nullable Long dictionaryId, List<JsonField> children) {
  /** Copies the list. */
  public JsonField {
    children = List.copyOf(children);
  }

  /**
   * Creates a field whose dictionaries receive ids.
   *
   * @param ids returns the id of each dictionary, a field's own before those of its values
   */
  static JsonField of(Field field, LongSupplier ids) {
    Long id = field.type() instanceof DictionaryType ? ids.getAsLong() : null;
    List<JsonField> children = new ArrayList<>();
    for (Field child : storedType(field).children()) children.add(of(child, ids));
    return new JsonField(field, id, children);
  }

  /** Returns the type of the values: for a dictionary-encoded field that of the dictionary's values. */
  public DataType storedType() {
    return storedType(field);
  }

  /** Returns the field of the dictionary's values, with the ids of dictionaries within them. */
  JsonField values() {
    if (!(field.type() instanceof DictionaryType dictionary)) {
      throw new IllegalStateException("\"" + field.name() + "\" has no dictionary");
    }
    return new JsonField(dictionary.values(), null, children);
  }

  private static DataType storedType(Field field) {
    return field.type() instanceof DictionaryType dictionary ? dictionary.values().type() : field.type();
  }
}
