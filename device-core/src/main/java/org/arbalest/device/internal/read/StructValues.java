// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Reads structs as maps from field names to values. */
class StructValues extends Values {
  final ColumnImpl column;
  private final @Nullable ColumnImpl[] fields;

  /** Whether the names were checked and are distinct. */
  private boolean isNamed;

  /** Creates a reader. The result's type lets the JVM verify the caller without loading this class. */
  static Values of(ColumnImpl column) {
    return new StructValues(column);
  }

  StructValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
    this.fields = new ColumnImpl[Layout.of(field).children.length];
  }

  int childCount() {
    return fields.length;
  }

  /** Returns a field as a column, with all rows of the structs' column; creates it once. */
  ColumnImpl child(int index) {
    ColumnImpl child = fields[index];
    if (child == null) fields[index] = child = column.childAt(index);
    return child;
  }

  /** Returns the row of a position in such a column. */
  long row(long at) {
    return at - column.offset;
  }

  @Override
  final Object get(long at) {
    if (!isNamed) checkNames();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 0; i < fields.length; i++) values.put(child(i).name(), child(i).get(row(at)));
    return Collections.unmodifiableMap(values);
  }

  private void checkNames() {
    Set<String> names = new HashSet<>();
    for (Field child : field.type().children()) {
      if (!names.add(child.name())) throw FieldNames.ambiguous(field.type().children(), child.name(), column.named());
    }
    isNamed = true;
  }
}
