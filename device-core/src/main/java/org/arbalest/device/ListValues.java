package org.arbalest.device;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.jspecify.annotations.Nullable;

/** Lists, with offsets or of one size each; a map is a list of entries. */
final class ListValues extends Values {
  private final Column column;
  private final @Nullable Offsets offsets;
  private @Nullable Column items;

  ListValues(Column column) {
    super(column.field());
    this.column = column;
    boolean fixed = field.layout.shape == Layout.Shape.FIXED_LIST;
    this.offsets = fixed ? null : new Offsets(field, ArrowArrayStruct.buffer(column.struct(), 1));
  }

  @Override
  Column getList(long at) {
    Column all = items;
    if (all == null) items = all = column.childAt(0);
    if (offsets == null) return all.range(at * field.layout.listSize, field.layout.listSize);
    long size = offsets.size(at, 1, all.length());
    return all.range(offsets.get(at), size);
  }

  @Override
  Object get(long at) {
    Column list = getList(at);
    arrayLength(list.length());
    List<@Nullable Object> values = new ArrayList<>();
    for (long i = 0; i < list.length(); i++) values.add(list.get(i));
    return Collections.unmodifiableList(values);
  }
}
