// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectType;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.NullType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Matches classes with fields, for reading. A mismatch is added to the {@link Mismatches}, and the plan must not be
 * used then.
 */
final class ReadPlans {
  static final ReadPlan NONE = _ -> {
    throw new AssertionError("a plan that does not match");
  };

  final boolean strict;

  ReadPlans(boolean strict) {
    this.strict = strict;
  }

  ReadPlan of(ObjectType type, Field field, Mismatches mismatches) {
    ExtensionCodec<?> codec = CodecClass.reading(type, field);
    if (codec != null) return column -> new ValueReader.OfGetter(column, type, (values, row) -> codec.get(values, row));
    ClassAdapter adapter = ClassAdapter.of(type);
    FlatClass unsigned = adapter == null ? null : adapter.unsigned();
    if (adapter != null && unsigned != null) return unsigned(type, adapter, unsigned, field, mismatches);
    if (adapter != null) return adapter(type, adapter, of(adapter.type(), field, mismatches));
    FlatClass.Getter getter = getter(type.type(), field);
    if (getter != null) return flat(type, field, getter);
    DataType values = field.type();
    if (values instanceof DictionaryType encoded) return encoded(type, of(type, encoded.values(), mismatches));
    if (values instanceof RunEndEncodedType runs) return encoded(type, of(type, runs.values(), mismatches));
    if (values instanceof StructType struct) {
      ObjectShape shape = Shapes.find(type);
      if (shape != null) return RowPlan.of(type, shape, struct.fields(), this, mismatches);
    } else if (values instanceof MapType map && type.type() == Map.class && type.arguments().size() == 2) {
      List<Field> entry = map.entries().type().children();
      ReadPlan key = of(type.arguments().get(0), entry.get(0), mismatches.elements("<key>"));
      ReadPlan value = of(type.arguments().get(1), entry.get(1), mismatches.elements("<value>"));
      return column -> new MapReader(column, type, key, value);
    }
    Field item = ListClasses.item(values);
    if (item == null || !ListClasses.isList(type)) return refused(type, field, mismatches);
    if (!ListClasses.isPrimitives(type.type())) {
      ReadPlan element = of(type.arguments().get(0), item, mismatches.elements("[]"));
      return column -> new ListReader(column, type, element);
    }
    if (getter(type.type().componentType(), item) == null)
      return refused(type.arguments().get(0), item, mismatches.elements("[]"));
    return column -> new PrimitivesReader(column, type);
  }

  private static ReadPlan unsigned(
      ObjectType type, ClassAdapter adapter, FlatClass all, Field field, Mismatches mismatches) {
    boolean isNulls = field.valueType() instanceof NullType;
    if (!isNulls && !all.reads().test(FlatClass.values(field))) return refused(type, field, mismatches);
    return adapter(type, adapter, flat(adapter.type(), field, isNulls ? FlatClass::object : all.get()));
  }

  private static ReadPlan adapter(ObjectType type, ClassAdapter adapter, ReadPlan values) {
    return column -> new ClassAdapter.Reader(column, type, adapter, values);
  }

  private static FlatClass.@Nullable Getter getter(Class<?> type, Field field) {
    if (type == Object.class || field.valueType() instanceof NullType) return FlatClass::object;
    if (type.isEnum()) return FlatClass.isText(field.valueType()) ? TextObjects.constants(type) : null;
    FlatClass flat = FlatClass.of(type);
    return flat != null && flat.reads().test(FlatClass.values(field)) ? flat.get() : null;
  }

  private static ReadPlan flat(ObjectType type, Field field, FlatClass.Getter getter) {
    boolean encoded = field.type() instanceof DictionaryType || field.type() instanceof RunEndEncodedType;
    boolean immutable = type.type() != byte[].class && type.type() != Object.class;
    if (!encoded || !immutable) return column -> new ValueReader.OfGetter(column, type, getter);
    return column -> {
      ColumnImpl values = column.encodedValues();
      // most dictionary values may never be read, so they are not cached
      if (values.length() > column.length()) return new ValueReader.OfGetter(column, type, getter);
      return new ValueReader.OfEncodedOnce(column, type, new ValueReader.OfGetter(values, type, getter));
    };
  }

  private static ReadPlan encoded(ObjectType type, ReadPlan values) {
    return column -> new ValueReader.OfEncoded(column, type, values.bind(column.encodedValues()));
  }

  private static ReadPlan refused(ObjectType type, Field field, Mismatches mismatches) {
    mismatches.add(type, "cannot be read from", field, hint(field));
    return NONE;
  }

  private static String hint(Field field) {
    List<String> readers = new ArrayList<>();
    ExtensionCodec<?> codec = CodecClass.of(field);
    if (codec != null) readers.add(codec.valueClass().getSimpleName());
    readers.addAll(FlatClass.readers(FlatClass.values(field)));
    if (!readers.isEmpty()) return "use " + String.join(" or ", readers);
    DataType type = field.valueType();
    return switch (type) {
      case StructType _ -> "use a record";
      case MapType _ -> "use a Map";
      default -> ListClasses.item(type) == null ? "use an Object" : "use a List";
    };
  }
}
