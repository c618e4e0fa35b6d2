package org.arbalest.device.internal.read;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.arbalest.device.internal.schema.FieldNames;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Structs, as maps by the fields' names. */
final class StructValues extends Values {
  private final ColumnImpl column;

  StructValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
  }

  @Override
  Object get(long at) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    int count = Layout.of(field).children.length;
    for (int i = 0; i < count; i++) {
      ColumnImpl child = column.childAt(i);
      Object value = child.get(at - column.offset());
      if (values.containsKey(child.name())) throw FieldNames.ambiguous(field.type().children(), child.name(), column.describe());
      values.put(child.name(), value);
    }
    return Collections.unmodifiableMap(values);
  }
}
