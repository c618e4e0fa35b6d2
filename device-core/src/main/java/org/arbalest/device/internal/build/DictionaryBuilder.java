package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.NestedType.DictionaryType;
import org.jspecify.annotations.Nullable;

/** Text as indices into its distinct values, which are collected in the order of their first use. */
final class DictionaryBuilder extends ColumnBuilderImpl {
  private final FixedBuilder indices;
  private final VariableBuilder values;
  private final Map<String, Integer> positions = new HashMap<>();

  DictionaryBuilder(BuildMemory memory, Field field, DictionaryType type, int rows) {
    super(memory, field);
    this.indices = new FixedBuilder(memory, Field.of(field.name(), type.index()), rows);
    this.values = new VariableBuilder(memory, type.values(), 0);
  }

  @Override
  public ColumnBuilder append(String value) {
    Integer position = positions.get(Objects.requireNonNull(value, "value"));
    if (position == null) {
      position = positions.size();
      indices.check(position, 0); // whatever is refused is refused before anything is written
      values.write(utf8(value));
      indices.append((long) position);
      positions.put(value, position);
    } else {
      indices.append((long) position);
    }
    validity.appendValid(1);
    return this;
  }

  @Override
  void writeNull() {
    indices.appendNull();
  }

  @Override
  List<GrowableBuffer> buffers() {
    return indices.buffers();
  }

  @Override
  ArrayData finish() {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    taken.add(validity.take());
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
    return new ArrayData(length(), validity.nullCount(), 0, taken, List.of(), values.finish());
  }
}
