// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/** Reads lists with offsets, and fixed-size lists. */
class ListValues extends Values {
  private final ColumnImpl column;
  private final @Nullable Offsets offsets;
  private @Nullable ColumnImpl items;

  ListValues(ColumnImpl column) {
    super(column.field());
    this.column = column;
    boolean fixed = Layout.of(field).shape == Layout.Shape.FIXED_LIST;
    this.offsets = fixed ? null : new Offsets(column);
  }

  @Override
  final ColumnImpl getList(long at) {
    ColumnImpl all = items;
    if (all == null) items = all = column.childAt(0);
    if (offsets == null) return all.range(at * Layout.of(field).listSize, Layout.of(field).listSize);
    long start = offsets.get(at);
    return all.range(start, offsets.size(at, 1, start, all.length(), "elements"));
  }

  @Override
  Object get(long at) {
    return toList(this, at, getList(at));
  }

  static List<@Nullable Object> toList(Values values, long at, Column list) {
    values.arrayLength(at, list.length());
    List<@Nullable Object> elements = new ArrayList<>();
    for (long i = 0; i < list.length(); i++) elements.add(list.get(i));
    return Collections.unmodifiableList(elements);
  }
}
