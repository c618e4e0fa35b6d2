// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.statistics;

import java.math.BigDecimal;
import java.time.Period;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DataType;
import org.arbalest.device.ExtensionCodec;
import org.arbalest.device.Field;
import org.arbalest.device.FlatType.IntType;
import org.arbalest.device.Interval;
import org.arbalest.device.NestedType.DictionaryType;
import org.arbalest.device.NestedType.MapType;
import org.arbalest.device.NestedType.RunEndEncodedType;
import org.arbalest.device.NestedType.StructType;
import org.arbalest.device.internal.schema.TypeNames;
import org.jspecify.annotations.Nullable;

/**
 * Appends the objects that {@link org.arbalest.device.Column#get} answers, nested ones too. Those of unions do not say which type they are of, and are refused.
 */
final class ObjectAppender {
  private ObjectAppender() {}

  static void append(ColumnBuilder column, Field field, @Nullable Object value) {
    DataType type = field.valueType();
    ColumnBuilder parts = parts(column, field.type());
    if (value != null && isByCodec(column, field, value)) return;
    switch (value) {
      case null -> appendNull(column, field);
      case Boolean bool -> column.append((boolean) bool);
      case Long number -> column.append((long) number);
      case Double number -> column.append((double) number);
      case BigDecimal number when type instanceof IntType -> column.append(uint64(field, number));
      case BigDecimal number -> column.append(number);
      case String text -> column.append(text);
      case byte[] bytes -> column.append(bytes);
      case UUID uuid -> column.append(uuid);
      case Period period -> column.append(new Interval(Math.toIntExact(period.toTotalMonths()), Math.toIntExact(period.get(ChronoUnit.DAYS)), 0));
      case Interval interval -> column.append(interval);
      case List<?> entries when type instanceof MapType(Field entry, _) -> appendMap(column, parts, entry, entries);
      case List<?> elements when type.children().size() == 1 -> appendList(column, parts, type.children().get(0), elements);
      case Map<?, ?> fields when type instanceof StructType struct -> appendStruct(column, parts, struct.fields(), fields);
      default -> throw doesNotFit(field, value);
    }
  }

  /** Appends a value of an extension type of the user's, if it is one. */
  private static boolean isByCodec(ColumnBuilder column, Field field, Object value) {
    ExtensionCodec<?> codec = ExtensionCodec.registered(field);
    if (codec == null) {
      return switch (field.type()) {
        case DictionaryType encoded -> isByCodec(column, encoded.values(), value);
        case RunEndEncodedType runs -> isByCodec(column, runs.values(), value);
        default -> false;
      };
    }
    if (!codec.valueClass().isInstance(value)) return false;
    appendBy(codec, column, value);
    return true;
  }

  private static <T> void appendBy(ExtensionCodec<T> codec, ColumnBuilder column, Object value) {
    column.append(codec.valueClass().cast(value), codec);
  }

  /** Where the parts of a nested value are appended. */
  private static ColumnBuilder parts(ColumnBuilder column, DataType type) {
    return switch (type) {
      case DictionaryType _ -> column.dictionary();
      case RunEndEncodedType _ -> column.values();
      default -> column;
    };
  }

  /** A null struct's fields have a row, too. */
  private static void appendNull(ColumnBuilder column, Field field) {
    column.appendNull();
    if (!(field.type() instanceof StructType(List<Field> fields))) return;
    for (int i = 0; i < fields.size(); i++) append(column.child(i), fields.get(i), null);
  }

  private static void appendList(ColumnBuilder column, ColumnBuilder parts, Field item, List<?> elements) {
    for (Object element : elements) append(parts.items(), item, element);
    column.appendList(elements.size());
  }

  private static void appendMap(ColumnBuilder column, ColumnBuilder parts, Field entry, List<?> entries) {
    List<Field> keyAndValue = entry.type().children();
    for (Object each : entries) {
      if (!(each instanceof Map.Entry<?, ?> pair)) throw doesNotFit(entry, entries);
      append(parts.keys(), keyAndValue.get(0), pair.getKey());
      append(parts.values(), keyAndValue.get(1), pair.getValue());
    }
    column.appendMap(entries.size());
  }

  private static void appendStruct(ColumnBuilder column, ColumnBuilder parts, List<Field> fields, Map<?, ?> values) {
    for (int i = 0; i < fields.size(); i++) append(parts.child(i), fields.get(i), values.get(fields.get(i).name()));
    column.appendStruct();
  }

  private static long uint64(Field field, BigDecimal number) {
    try {
      if (number.signum() >= 0 && number.toBigIntegerExact().bitLength() <= Long.SIZE) return number.longValue();
    } catch (ArithmeticException e) {
      throw doesNotFit(field, number);
    }
    throw doesNotFit(field, number);
  }

  private static IllegalArgumentException doesNotFit(Field field, Object value) {
    return new IllegalArgumentException("a " + TypeNames.of(field.type()) + " is not made of " + value + ", a " + value.getClass().getSimpleName());
  }
}
