// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.internal.build.Fillers;
import org.jspecify.annotations.Nullable;

/**
 * Appends collections as lists: first the sizes, then the elements of all lists together. It also appends the arrays
 * that {@link ArrayWriter} does not.
 */
final class ListWriter extends ValueWriter {
  private final boolean isOfOneSize;
  private final ValueWriter items;

  ListWriter(Field field, ValueWriter items) {
    this.isOfOneSize = field.type() instanceof FixedSizeListType;
    this.items = items;
  }

  @Override
  void write(@Nullable Object[] values, int count, ColumnBuilder column) {
    Elements elements = new Elements();
    for (int i = 0; i < count; i++) {
      Object value = values[i];
      // a null appends elements, too, which must follow those of the lists before
      if (isOfOneSize) elements.writeTo(items, column.items());
      if (value == null || isAbsent(value)) {
        appendNone(value, column);
      } else {
        column.appendList(elements.addAll(value));
      }
    }
    elements.writeTo(items, column.items());
  }

  @Override
  boolean isByValue() {
    return items.isByValue();
  }

  @Override
  Field exact(Field list, @Nullable Object[] values, int count) {
    if (!isByValue()) return list;
    Elements elements = new Elements();
    for (int i = 0; i < count; i++) {
      Object value = values[i];
      if (value != null && !isAbsent(value)) elements.addAll(value);
    }
    return list.withType(DataType.list(elements.exact(items, list.type().children().getFirst())));
  }

  private static void appendNone(@Nullable Object value, ColumnBuilder column) {
    if (value == null) {
      column.appendNull();
    } else {
      Fillers.append(column);
    }
  }

  /** The elements of several lists, one after the other. */
  private static final class Elements {
    private @Nullable Object[] all = new Object[16];
    private int count;

    /** Adds the elements of a collection or an array; returns their number. */
    int addAll(Object list) {
      @Nullable Object[] added = list instanceof Collection<?> collection ? collection.toArray()
          : list instanceof Object[] array ? array : boxes(list);
      for (Object element : added) add(element);
      return added.length;
    }

    void add(@Nullable Object element) {
      if (count == all.length) all = Arrays.copyOf(all, Math.multiplyExact(2, count));
      all[count++] = element;
    }

    void writeTo(ValueWriter writer, ColumnBuilder column) {
      writer.write(all, count, column);
      count = 0;
    }

    Field exact(ValueWriter writer, Field field) {
      return writer.exact(field, all, count);
    }

    private static @Nullable Object[] boxes(Object array) {
      @Nullable Object[] boxes = new Object[Array.getLength(array)];
      for (int i = 0; i < boxes.length; i++) boxes[i] = Array.get(array, i);
      return boxes;
    }
  }

  /** Appends maps: first the sizes, then all keys, then all values. */
  static final class OfMaps extends ValueWriter {
    private final ValueWriter keys;
    private final ValueWriter values;

    OfMaps(ValueWriter keys, ValueWriter values) {
      this.keys = keys;
      this.values = values;
    }

    @Override
    boolean isByValue() {
      return keys.isByValue() || values.isByValue();
    }

    @Override
    Field exact(Field field, @Nullable Object[] maps, int count) {
      if (!isByValue()) return field;
      Elements allKeys = new Elements();
      Elements allValues = new Elements();
      for (int i = 0; i < count; i++) {
        if (!(maps[i] instanceof Map<?, ?> map)) continue;
        map.keySet().forEach(allKeys::add);
        map.values().forEach(allValues::add);
      }
      List<Field> entry = ((MapType) field.type()).entries().type().children();
      return field.withType(
          DataType.map(allKeys.exact(keys, entry.get(0)), allValues.exact(values, entry.get(1))));
    }

    @Override
    void write(@Nullable Object[] maps, int count, ColumnBuilder column) {
      Elements allKeys = new Elements();
      Elements allValues = new Elements();
      for (int i = 0; i < count; i++) {
        Object map = maps[i];
        if (map == null || isAbsent(map)) {
          appendNone(map, column);
          continue;
        }
        int size = 0;
        for (Map.Entry<?, ?> entry : ((Map<?, ?>) map).entrySet()) {
          allKeys.add(entry.getKey());
          allValues.add(entry.getValue());
          size++;
        }
        column.appendMap(size);
      }
      allKeys.writeTo(keys, column.keys());
      allValues.writeTo(values, column.values());
    }
  }
}
