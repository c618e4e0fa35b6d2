// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.build.ColumnBuilderImpl;
import org.arbalest.device.internal.schema.TypeNames;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.TimeType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Appends objects whose classes are seen when they come: what {@code get} answers for the type, and the others that are
 * values of it; exactly or not at all. See {@link BatchBuilder#column(Field, List)}.
 */
public final class ObjectAppender {
  private final ColumnBuilderImpl column;
  private final Field field;

  /** The field of the values; of what is encoded, theirs. */
  private final Field values;

  /** Where parts of a value are appended; of what is encoded, the builder of the values. */
  private final ColumnBuilder whole;

  private final @Nullable ExtensionCodec<?> codec;

  /** Of a list's elements, a map's keys and values, a struct's fields. */
  private final List<ObjectAppender> parts;

  private ObjectAppender(ColumnBuilder column) {
    this.column = (ColumnBuilderImpl) column;
    this.field = column.field();
    this.values = FlatClass.values(field);
    this.codec = CodecClass.of(field);
    this.whole = whole(column);
    this.parts = switch (values.type()) {
      case MapType _ -> List.of(new ObjectAppender(whole.keys()), new ObjectAppender(whole.values()));
      case StructType struct -> {
        ObjectAppender[] fields = new ObjectAppender[struct.fields().size()];
        for (int i = 0; i < fields.length; i++) fields[i] = new ObjectAppender(whole.child(i));
        yield List.of(fields);
      }
      default -> isList() ? List.of(new ObjectAppender(whole.items())) : List.of();
    };
  }

  private static ColumnBuilder whole(ColumnBuilder column) {
    return switch (column.field().type()) {
      case DictionaryType _ -> whole(column.dictionary());
      case RunEndEncodedType _ -> whole(column.values());
      default -> column;
    };
  }

  /** Appends an object, null for a null. */
  public static void append(ColumnBuilder column, @Nullable Object value) {
    new ObjectAppender(column).append(value);
  }

  /** Appends all, null for a null; what was appended before one that is refused is the caller's to undo. */
  public static void appendAll(ColumnBuilder column, Iterable<? extends @Nullable Object> values) {
    ObjectAppender appender = new ObjectAppender(column);
    for (Object value : values) appender.append(value);
  }

  private boolean isList() {
    return ListClasses.item(values.type()) != null;
  }

  private void append(@Nullable Object value) {
    if (value == null) {
      column.appendNullWithParts();
      return;
    }
    if (codec != null && codec.valueClass().isInstance(value)) {
      appendBy(codec, value);
      return;
    }
    FlatClass flat = FlatClass.of(value.getClass());
    if (flat != null && flat.takes().test(values)) {
      flat.append().append(column, values.type(), value);
      return;
    }
    if (value instanceof Enum<?> constant && FlatClass.isText(values.type())) {
      column.append(constant.name());
      return;
    }
    boolean appended =
        value instanceof Number number ? appendNumber(number) : isList() ? appendList(value) : appendMap(value);
    if (!appended) throw refused(value, "");
  }

  private <T> void appendBy(ExtensionCodec<T> codec, Object value) {
    codec.append(column, codec.valueClass().cast(value));
  }

  /** Numbers that {@code get} answers where a class of its own stands for the values, or where they are narrower. */
  private boolean appendNumber(Number number) {
    switch (values.type()) {
      case IntType type when number instanceof BigDecimal decimal && decimal.stripTrailingZeros().scale() <= 0 ->
          Amounts.append(column, type, decimal.toBigInteger());
      case FloatType type when (number instanceof Double || number instanceof Float)
          && has(type, number.doubleValue()) -> column.append(number.doubleValue());
      case DateType _, TimeType _, TimestampType _, DurationType _ when number instanceof Long
          || number instanceof Integer ->
          column.append(number.longValue());
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Whether a float type has just this number. */
  private static boolean has(FloatType type, double value) {
    double stored = type.bits() == 16 ? Float.float16ToFloat(Float.floatToFloat16((float) value))
        : type.bits() == 32 ? (float) value : value;
    return stored == value || Double.isNaN(value);
  }

  private boolean appendList(Object value) {
    switch (value) {
      case Collection<?> list -> {
        for (Object element : list) parts.getFirst().append(element);
        column.appendList(list.size());
      }
      case Object[] array -> appendList(Arrays.asList(array));
      case boolean[] array when takesAll(BoolType.class::isInstance) ->
          sized(array.length, whole.items().appendAll(array));
      case byte[] array when takesAll(ObjectAppender::isChecked) -> sized(array.length, whole.items().appendAll(array));
      case short[] array when takesAll(ObjectAppender::isChecked) ->
          sized(array.length, whole.items().appendAll(array));
      case int[] array when takesAll(ObjectAppender::isChecked) -> sized(array.length, whole.items().appendAll(array));
      case long[] array when takesAll(ObjectAppender::isChecked) -> sized(array.length, whole.items().appendAll(array));
      case float[] array when takesAll(type -> isFloat(type, 32)) ->
          sized(array.length, whole.items().appendAll(array));
      case double[] array when takesAll(type -> isFloat(type, 64)) ->
          sized(array.length, whole.items().appendAll(array));
      default -> {
        if (!value.getClass().isArray()) return false;
        int size = Array.getLength(value);
        for (int i = 0; i < size; i++) parts.getFirst().append(Array.get(value, i));
        column.appendList(size);
      }
    }
    return true;
  }

  /**
   * Whether the list's items are of such a type, and nothing else is; others take an array's elements one by one, as
   * objects, which are looked at.
   */
  private boolean takesAll(Predicate<DataType> isExact) {
    ObjectAppender items = parts.getFirst();
    return items.codec == null && isExact.test(items.field.type());
  }

  /**
   * Whether all integers are appended as they are, or refused: 64 bits without a sign would be taken for another
   * number.
   */
  private static boolean isChecked(DataType type) {
    return type instanceof IntType(int bits, boolean signed) && (signed || bits < Long.SIZE);
  }

  private static boolean isFloat(DataType type, int least) {
    return type instanceof FloatType floats && floats.bits() >= least;
  }

  /** Appends a list of so many elements, which were just appended. */
  private void sized(int size, @SuppressWarnings("unused") ColumnBuilder appended) {
    column.appendList(size);
  }

  private boolean appendMap(Object value) {
    switch (values.type()) {
      case MapType _ when value instanceof Map<?, ?> map -> appendEntries(map.entrySet());
      case MapType _ when value instanceof Collection<?> entries -> appendEntries(entries);
      case StructType _ when value instanceof Map<?, ?> map -> appendStruct(map);
      default -> {
        return false;
      }
    }
    return true;
  }

  private void appendEntries(Collection<?> entries) {
    for (Object each : entries) {
      if (!(each instanceof Map.Entry<?, ?> entry))
        throw refused(entries, ", whose elements are not all entries of a Map");
      parts.get(0).append(entry.getKey());
      parts.get(1).append(entry.getValue());
    }
    column.appendMap(entries.size());
  }

  /**
   * Of a struct, by the names of its fields; one that is not there is null. Reads the map's entries only: not every map
   * can be asked for any key.
   */
  private void appendStruct(Map<?, ?> map) {
    Map<String, Integer> positions = new HashMap<>();
    for (ObjectAppender part : parts) {
      String name = part.field.name();
      if (positions.put(name, positions.size()) != null)
        throw refused(map, ", two of whose fields are \"" + name + "\"");
    }
    @Nullable Object[] fields = new @Nullable Object[parts.size()];
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      Integer position = entry.getKey() instanceof String name ? positions.get(name) : null;
      if (position == null) throw refused(map, ", which has no field \"" + entry.getKey() + "\"; it has " + names());
      fields[position] = entry.getValue();
    }
    for (int i = 0; i < fields.length; i++) parts.get(i).append(fields[i]);
    column.appendStruct();
  }

  private List<String> names() {
    return parts.stream().map(part -> part.field.name()).toList();
  }

  private IllegalArgumentException refused(Object value, String why) {
    String name = value.getClass().getSimpleName();
    String what = value instanceof Number || FlatClass.of(value.getClass()) != null ? name + " " + value
        : name.isEmpty() ? value.getClass().getName() : name;
    return new IllegalArgumentException(
        column.here() + ": " + what + " is no value of " + TypeNames.of(field) + why + (why.isEmpty() ? hint() : ""));
  }

  /** Which classes' objects are values of the type. */
  private String hint() {
    if (isList()) return "; a Collection is, and an array";
    return switch (values.type()) {
      case MapType _ -> "; a Map is";
      case StructType _ when FlatClass.takers(values).isEmpty() -> "; a Map is, by the names of its fields";
      default -> {
        List<String> takers = FlatClass.takers(values);
        yield takers.isEmpty() ? "; append its rows by column(field)" : "; what is: " + String.join(", ", takers);
      }
    };
  }
}
