// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.Schema;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectShape.Component;
import org.arbalest.device.objects.ObjectType;

/** The default types of columns, for a class without an explicit schema. */
final class StandardTypes {
  private final Deque<ObjectType> open = new ArrayDeque<>();

  /** The classes with conversions around the current one. */
  private final Deque<ObjectType> converted = new ArrayDeque<>();

  Schema schema(Class<?> type, ObjectShape shape) {
    Mismatches mismatches = new Mismatches();
    open.push(ObjectType.of(type).withNullable(false));
    List<Field> fields = fields(shape, mismatches);
    mismatches.check(type);
    return Schema.of(fields);
  }

  private List<Field> fields(ObjectShape shape, Mismatches mismatches) {
    List<Field> fields = new ArrayList<>();
    for (Component component : shape.components())
      fields.add(field(component.name(), component.type(), mismatches.under(component.name())));
    return fields;
  }

  private Field field(String name, ObjectType type, Mismatches mismatches) {
    FlatClass flat = FlatClass.of(type.type());
    Field codec = flat == null ? CodecClass.standard(name, type, mismatches) : null;
    ClassAdapter adapter = codec == null ? ClassAdapter.of(type) : null;
    if (adapter != null && adapter.unsigned() == null) return converted(name, type, adapter, mismatches);
    if (adapter != null) flat = adapter.unsigned();
    Field field =
        flat != null ? flat.standard().withName(name) : codec != null ? codec : Field.of(name, type(type, mismatches));
    return field.withNullable(type.nullable());
  }

  private Field converted(String name, ObjectType type, ClassAdapter adapter, Mismatches mismatches) {
    if (contains(converted, type)) {
      mismatches.add(type + " contains itself, which no Arrow type does");
      return Field.of(name, DataType.NULL);
    }
    converted.push(type);
    Field field = field(name, adapter.type(), mismatches);
    converted.pop();
    return field;
  }

  private static boolean contains(Deque<ObjectType> types, ObjectType type) {
    return types.stream().anyMatch(above -> above.type() == type.type() && above.arguments().equals(type.arguments()));
  }

  private DataType type(ObjectType type, Mismatches mismatches) {
    if (type.type().isEnum()) return DataType.dictionary(index(type.type().getEnumConstants().length), DataType.UTF8);
    if (ListClasses.isList(type))
      return DataType.list(field("item", type.arguments().get(0), mismatches.elements("[]")));
    if (type.type() == Map.class && type.arguments().size() == 2) {
      Field key = field("key", type.arguments().get(0), mismatches.elements("<key>")).withNullable(false);
      return DataType.map(key, field("value", type.arguments().get(1), mismatches.elements("<value>")));
    }
    ObjectShape shape = Shapes.find(type);
    if (shape == null) {
      mismatches.add("Arrow has no type for " + type.type().getTypeName() + "; " + ClassHint.of(type));
      return DataType.NULL;
    }
    if (contains(open, type)) {
      mismatches.add(type + " contains itself, which no Arrow type does");
      return DataType.NULL;
    }
    if (open.size() == FieldImpl.DEEPEST) { // stops here: two recursive components would take exponential time
      mismatches.add("nests deeper than the " + FieldImpl.DEEPEST + " levels that a schema has");
      mismatches.check(open.getLast().type());
    }
    open.push(type);
    DataType struct = DataType.struct(fields(shape, mismatches).toArray(Field[]::new));
    open.pop();
    return struct;
  }

  private static IntType index(int constants) {
    return constants <= 1 << 7 ? DataType.INT8 : constants <= 1 << 15 ? DataType.INT16 : DataType.INT32;
  }
}
