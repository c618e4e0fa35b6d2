package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.NestedType.LargeListType;
import org.arbalest.device.NestedType.ListType;
import org.jspecify.annotations.Nullable;

/** Lists with offsets. */
final class ListBuilder extends ColumnBuilderImpl {
  private final BuildMemory memory;
  private final OffsetsBuilder offsets;
  private ColumnBuilderImpl items;

  ListBuilder(BuildMemory memory, Field field, Field item, int rows) {
    super(memory, field);
    this.memory = memory;
    this.items = Builders.of(memory, item, rows);
    this.offsets = new OffsetsBuilder(memory, field, rows);
  }

  @Override
  public ColumnBuilder appendList(int size) {
    if (size < 0) throw new IllegalArgumentException("column \"" + field.name() + "\": a list of size " + size);
    offsets.append(size);
    validity.appendValid(1);
    return this;
  }

  @Override
  public ColumnBuilder items() {
    return items;
  }

  @Override
  public ColumnBuilder items(Field item) {
    Objects.requireNonNull(item, "item");
    if (items.length() != 0) throw new IllegalStateException("column \"" + field.name() + "\": elements were appended, so their type stays");
    items = Builders.of(memory, item, (int) Math.min(offsets.last(), Integer.MAX_VALUE));
    return items;
  }

  /** With the type of the elements as it is now: it, too, may have grown. */
  @Override
  public Field field() {
    Field item = items.field();
    DataType type = field.type() instanceof LargeListType ? new LargeListType(item) : new ListType(item);
    return type.equals(field.type()) ? field : field.withType(type);
  }

  @Override
  void writeNull() {
    offsets.append(0);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer());
  }

  @Override
  ArrayData finish() {
    if (items.length() != offsets.last()) {
      throw new IllegalStateException(
          "column \"" + field.name() + "\": the lists have " + offsets.last() + " elements, but " + items.length() + " were appended");
    }
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    taken.add(offsets.buffer().take());
    return ArrayData.of(length(), validity.nullCount(), taken, List.of(items.finish()));
  }
}
