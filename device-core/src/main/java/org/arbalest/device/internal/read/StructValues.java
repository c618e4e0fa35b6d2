package org.arbalest.device.internal.read;

import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Structs, as maps by the fields' names. */
final class StructValues extends Values {
  private final ColumnImpl column;
  private volatile ColumnImpl @Nullable [] fields;

  StructValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
  }

  @Override
  Object get(long at) {
    ColumnImpl[] children = fields;
    if (children == null) fields = children = fields();
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (ColumnImpl child : children) values.put(child.name(), child.get(at - column.offset));
    return Collections.unmodifiableMap(values);
  }

  /** The fields as columns of the same rows; their names must differ. */
  private ColumnImpl[] fields() {
    ColumnImpl[] children = new ColumnImpl[Layout.of(field).children.length];
    Set<String> names = new HashSet<>();
    for (int i = 0; i < children.length; i++) {
      children[i] = column.childAt(i);
      if (!names.add(children[i].name())) {
        throw FieldNames.ambiguous(field.type().children(), children[i].name(), column.describe());
      }
    }
    return children;
  }
}
