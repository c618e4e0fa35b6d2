// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;

/** A builder of lists in any layout. The elements have a builder of their own. */
abstract sealed class ItemsBuilder extends UnsupportedAppends permits FixedListBuilder, ListBuilder, ListViewBuilder {
  final ChildSlot items;

  ItemsBuilder(BuildMemory memory, Field field, Field item, long rows) {
    super(memory, field);
    this.items = new ChildSlot(this, item, rows);
  }

  @Override
  public final ColumnBuilder appendList(int size) {
    if (size < 0) throw new IllegalArgumentException(here() + ": a list of size " + size);
    memory.checkOpen(); // an empty list writes nothing, so nothing else would check
    write(size);
    validity.appendValid();
    return this;
  }

  @Override
  public final ColumnBuilder appendLists(int[] sizes) {
    Objects.requireNonNull(sizes, "sizes");
    return together(() -> {
      for (int size : sizes) appendList(size);
    });
  }

  /** Writes a list that takes the next {@code size} elements. */
  abstract void write(int size);

  /** Returns the number of elements that the lists so far need. */
  abstract long elements();

  @Override
  public final ColumnBuilder items() {
    return items.builder;
  }

  @Override
  public final ColumnBuilder items(Field item) {
    return items.replace("item", item, elements());
  }

  /** Returns the field with the current type of the elements, which may have grown. */
  @Override
  public final Field field() {
    DataType type = type(items.builder.field());
    return type.equals(field.type()) ? field : field.withType(type);
  }

  abstract DataType type(Field item);

  @Override
  final List<ColumnBuilderImpl> parts() {
    return List.of(items.builder);
  }

  @Override
  void truncateParts() {
    items.truncate(elements());
  }

  @Override
  void checkComplete() {
    items.check("lists", "elements", elements());
  }

  @Override
  final ArrayData finish() {
    return finish(List.of(items.builder.finish()));
  }
}
