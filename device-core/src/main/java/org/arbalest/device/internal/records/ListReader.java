// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** Reads lists as a List, a Set or an array of objects. The elements are read in place. */
final class ListReader extends ValueReader {
  private final ColumnImpl items;
  private final ValueReader item;

  ListReader(ColumnImpl column, ObjectType type, ReadPlan item) {
    super(column, type);
    this.items = ColumnImpl.unwrap(column.items());
    this.item = item.bind(items);
  }

  @Override
  Object read(long row) {
    Column list = column.getList(row);
    return ListClasses.of(type.type(),
        elements(item, list.offset() - items.offset(), ColumnImpl.unwrap(list).arraySize()));
  }

  /** Reads a range of the elements. */
  static List<@Nullable Object> elements(ValueReader item, long from, int count) {
    List<@Nullable Object> elements = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      try {
        elements.add(item.get(from + i));
      } catch (Unreadable e) {
        throw e.at(i);
      }
    }
    return elements;
  }
}
