// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.schema;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/** A schema as messages lay out its batches. Immutable. */
public final class IpcSchema {
  public final Schema schema;
  private final List<IpcField> columns;
  private final Map<Long, IpcField> dictionaries = new HashMap<>();

  /**
   * Creates the layout of a schema.
   *
   * @param ids returns the id of each dictionary, as for {@link IpcField#of}
   * @throws IllegalArgumentException if two dictionaries of different types have the same id
   */
  public IpcSchema(Schema schema, LongSupplier ids) {
    this.schema = schema;
    columns = schema.fields().stream().map(field -> IpcField.of(field, ids)).toList();
    columns.forEach(this::addDictionaries);
  }

  /** Creates the layout of a schema for a writer, which numbers the dictionaries. */
  public static IpcSchema numbered(Schema schema) {
    long[] next = {0};
    return new IpcSchema(schema, () -> next[0]++);
  }

  private void addDictionaries(IpcField field) {
    for (int i = 0; i < field.childCount(); i++) addDictionaries(field.child(i));
    IpcField values = field.values;
    if (values == null) return;
    IpcField other = dictionaries.putIfAbsent(field.dictionaryId, values);
    if (other != null && !other.field.type().equals(values.field.type())) {
      throw new IllegalArgumentException("dictionary " + field.dictionaryId + " has two types, "
          + other.field.type() + " and " + values.field.type());
    }
    addDictionaries(values);
  }

  /** Returns the columns, in order. Immutable. */
  public List<IpcField> columns() {
    return columns;
  }

  public int columnCount() {
    return columns.size();
  }

  public IpcField column(int index) {
    return columns.get(index);
  }

  /** Returns the values of the dictionary with this id; null if the schema has no such dictionary. */
  public @Nullable IpcField dictionary(long id) {
    return dictionaries.get(id);
  }

  public boolean hasDictionaries() {
    return !dictionaries.isEmpty();
  }
}
