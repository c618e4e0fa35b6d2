// SPDX-License-Identifier: Apache-2.0
package org.arbalest.integration.json;

import java.util.List;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;

/**
 * A schema with the ids of its dictionaries.
 *
 * @param fields the fields
 * @param metadata the metadata; empty for none
 */
public record JsonSchema(List<JsonField> fields, Metadata metadata) {
  /** Copies the list. */
  public JsonSchema {
    fields = List.copyOf(fields);
  }

  /** Creates a schema whose dictionaries are numbered in the order of the fields, a field's own before its values'. */
  public static JsonSchema numbered(Schema schema) {
    long[] next = {0};
    return new JsonSchema(schema.fields().stream().map(field -> JsonField.of(field, () -> next[0]++)).toList(),
        schema.metadata());
  }

  /** Returns the schema without the ids. */
  public Schema schema() {
    return Schema.of(fields.stream().map(JsonField::field).toList(), metadata);
  }
}
