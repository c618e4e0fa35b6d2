// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.arbalest.device.types.DataType;
import org.arbalest.device.objects.ExtensionCodec;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.types.NestedType.MapType;
import org.arbalest.device.types.NestedType.RunEndEncodedType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectShape.Component;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/**
 * Matches classes with fields, for building. A mismatch is added to the {@link Mismatches}, and the writer must not be
 * used then.
 */
final class WritePlans {
  /** Returns the writer of a struct. Each field takes the component of its name, and every component has a field. */
  RowWriter row(ObjectType type, ObjectShape shape, List<Field> fields, Mismatches mismatches) {
    List<PartWriter> writers = new ArrayList<>();
    for (Field field : fields) {
      Optional<Component> component =
          shape.components().stream().filter(part -> part.name().equals(field.name())).findFirst();
      Mismatches below = mismatches.under(field.name());
      if (component.isEmpty()) {
        below.add(type + " has no component for this column");
      } else {
        writers.add(PartWriter.of(component.get(), field, of(component.get().type(), field, below)));
      }
    }
    for (Component component : shape.components()) {
      long columns = fields.stream().filter(field -> field.name().equals(component.name())).count();
      if (columns != 1) mismatches.under(component.name())
          .add("there " + (columns == 0 ? "is no column for it" : "are " + columns + " columns of this name"));
    }
    return new RowWriter(writers);
  }

  private ValueWriter of(ObjectType type, Field field, Mismatches mismatches) {
    ExtensionCodec<?> codec = CodecClass.writing(type, field);
    if (codec != null) return new CodecClass.Writer<>(codec, field);
    ClassAdapter adapter = ClassAdapter.of(type);
    FlatClass unsigned = adapter == null ? null : adapter.unsigned();
    if (adapter != null && unsigned == null)
      return new ClassAdapter.Writer(adapter, of(adapter.type(), field, mismatches));
    Field flat = FlatClass.values(field);
    FlatClass.Append append = unsigned == null ? append(type.type(), flat) : unsigned.appendTo(flat);
    if (adapter != null && append != null)
      return new ClassAdapter.Writer(adapter, new ValueWriter.OfFlat(type.type(), append, field));
    if (append != null) return new ValueWriter.OfFlat(type.type(), append, field);
    DataType values = field.type();
    if (values instanceof StructType struct) {
      ObjectShape shape = Shapes.find(type);
      if (shape != null) return row(type, shape, struct.fields(), mismatches);
    } else if (values instanceof MapType map && type.type() == Map.class && type.arguments().size() == 2) {
      List<Field> entry = map.entries().type().children();
      ValueWriter key = of(type.arguments().get(0), entry.get(0), mismatches.elements("<key>"));
      return new ListWriter.OfMaps(key, of(type.arguments().get(1), entry.get(1), mismatches.elements("<value>")));
    }
    Field item = ListClasses.item(values);
    if (item != null && ListClasses.isList(type)) {
      ValueWriter items = of(type.arguments().get(0), item, mismatches.elements("[]"));
      return ArrayWriter.copies(type.type(), item) ? new ArrayWriter() : new ListWriter(field, items);
    }
    boolean isNested = values instanceof DictionaryType || values instanceof RunEndEncodedType;
    mismatches.add(type, "cannot be built as", field,
        isNested && FlatClass.of(type.type()) == null ? "only flat values can be encoded" : "");
    return ValueWriter.NONE;
  }

  private static FlatClass.@Nullable Append append(Class<?> type, Field values) {
    if (type.isEnum())
      return FlatClass.isText(values.type()) ? (column, _, value) -> column.append(((Enum<?>) value).name()) : null;
    FlatClass flat = FlatClass.of(type);
    return flat == null ? null : flat.appendTo(values);
  }
}
