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
 * Appends objects by the class that each of them has: the objects that {@code get} returns for the type, and others
 * that it can store exactly. Throws for all others. See {@link BatchBuilder#column(Field, List)}.
 */
public final class ObjectAppender {
  private final ColumnBuilderImpl column;
  private final Field field;

  /** The field of the values, without dictionary and run-end encoding. */
  private final Field values;

  /** The builder for the parts of a value: the builder of the values, for a dictionary or runs. */
  private final ColumnBuilder whole;

  private final @Nullable ExtensionCodec<?> codec;

  /** The appenders of a list's elements, a map's keys and values, or a struct's fields. */
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

  /** Appends an object; null appends a null. */
  public static void append(ColumnBuilder column, @Nullable Object value) {
    new ObjectAppender(column).append(value);
  }

  /** Appends objects; null appends a null. If one is rejected, the caller undoes the appends before it. */
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

  /**
   * Appends a number of a class that {@code get} returns for the type, or of a narrower one, if no entry of
   * {@link FlatClass} does.
   */
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

  /** Returns whether a float type can store this number exactly. */
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
   * Returns whether the items of the list have such a type, without encoding or codec. For other items, the elements of
   * an array are checked and appended one by one.
   */
  private boolean takesAll(Predicate<DataType> isExact) {
    ObjectAppender items = parts.getFirst();
    return items.codec == null && isExact.test(items.field.type());
  }

  /**
   * Returns whether the builder checks every integer. The builder of uint64 would accept a negative one as another
   * number.
   */
  private static boolean isChecked(DataType type) {
    return type instanceof IntType(int bits, boolean signed) && (signed || bits < Long.SIZE);
  }

  private static boolean isFloat(DataType type, int least) {
    return type instanceof FloatType floats && floats.bits() >= least;
  }

  /** Appends a list of {@code size} elements, which the caller has just appended. */
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
   * Appends a struct from a map by field names; a missing field is null. Reads only the entries of the map, because
   * some maps throw for a key of another class.
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
        column.here() + ": " + what + " is not a value of " + TypeNames.of(field) + why
            + (why.isEmpty() ? hint() : ""));
  }

  /** Returns the classes whose objects the type can store. */
  private String hint() {
    if (isList()) return "; use a Collection or an array";
    return switch (values.type()) {
      case MapType _ -> "; use a Map";
      case StructType _ when FlatClass.takers(values).isEmpty() -> "; use a Map with the names of its fields as keys";
      default -> {
        List<String> takers = FlatClass.takers(values);
        yield takers.isEmpty() ? "; append its rows by column(field)" : "; use one of " + String.join(", ", takers);
      }
    };
  }
}
