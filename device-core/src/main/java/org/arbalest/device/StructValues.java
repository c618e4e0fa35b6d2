package org.arbalest.device;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Structs, as maps by the fields' names. */
final class StructValues extends Values {
  private final Column column;

  StructValues(Column column) {
    super(column.field());
    this.column = column;
  }

  @Override
  Object get(long at) {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    for (int i = 0; i < field.layout.children.length; i++) {
      Column child = column.childAt(i);
      values.put(child.name(), child.get(at - column.offset()));
    }
    return Collections.unmodifiableMap(values);
  }
}
