// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectShape.Component;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/**
 * A plan to read structs as objects of a class. One method handle call creates the object of a row, without boxing its
 * values.
 */
final class RowPlan implements ReadPlan {
  final ObjectType type;
  final List<Component> components;

  /** Creates the object; its argument is a {@link RowReader.At}. */
  final MethodHandle make;

  /** The position of each component's field, or −1 for a component that keeps its default. */
  private final int[] fields;

  private final ReadPlan[] plans;

  private RowPlan(ObjectType type, ObjectShape shape, int[] fields, ReadPlan[] plans, BitSet byCodec) {
    this.type = type;
    this.components = shape.components();
    this.fields = fields;
    this.plans = plans;
    this.make = make(shape, fields, byCodec);
  }

  static ReadPlan of(ObjectType type, ObjectShape shape, List<Field> fields, ReadPlans all, Mismatches mismatches) {
    List<Component> components = shape.components();
    int[] positions = new int[components.size()];
    ReadPlan[] plans = new ReadPlan[components.size()];
    BitSet byCodec = new BitSet();
    for (int i = 0; i < positions.length; i++) {
      Component component = components.get(i);
      positions[i] = find(component, fields, mismatches.under(component.name()));
      plans[i] = positions[i] < 0 ? ReadPlans.NONE
          : all.of(component.type(), fields.get(positions[i]), mismatches.under(component.name()));
      if (positions[i] >= 0 && CodecClass.reading(component.type(), fields.get(positions[i])) != null) byCodec.set(i);
    }
    List<String> missing =
        components.stream().filter(component -> !component.hasDefault()).map(Component::name)
            .filter(name -> named(name, fields).length == 0).toList();
    if (!missing.isEmpty()) {
      boolean isOtherwiseSpelt = missing.stream()
          .anyMatch(name -> fields.stream().anyMatch(field -> letters(field.name()).equals(letters(name))));
      String hint = isOtherwiseSpelt ? "; @ColumnName gives a component its column's name" : "";
      mismatches.add("no column for " + String.join(", ", missing) + "; there are "
          + fields.stream().map(Field::name).toList() + hint);
    }
    if (all.strict) refuseOthers(fields, components, mismatches);
    return mismatches.isEmpty() ? new RowPlan(type, shape, positions, plans, byCodec) : ReadPlans.NONE;
  }

  /** Returns the position of a component's field, or −1 if no field or several fields have its name. */
  private static int find(Component component, List<Field> fields, Mismatches mismatches) {
    int[] found = named(component.name(), fields);
    if (found.length > 1) mismatches.add(found.length + " columns have this name, at " + Arrays.toString(found));
    return found.length == 1 ? found[0] : -1;
  }

  private static int[] named(String name, List<Field> fields) {
    return IntStream.range(0, fields.size()).filter(i -> fields.get(i).name().equals(name)).toArray();
  }

  /** Returns the letters and digits of a name in lower case, which are the same in all naming conventions. */
  private static String letters(String name) {
    return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
  }

  private static void refuseOthers(List<Field> fields, List<Component> components, Mismatches mismatches) {
    for (Field field : fields) {
      if (components.stream().noneMatch(component -> component.name().equals(field.name()))) {
        mismatches.under(field.name()).add("no component has this column's name");
      }
    }
  }

  /** Returns the constructor as a function of a row. A leaf handle reads each component. */
  private static MethodHandle make(ObjectShape shape, int[] fields, BitSet byCodec) {
    BitSet missing = new BitSet();
    for (int i = 0; i < fields.length; i++) missing.set(i, fields[i] < 0);
    MethodHandle constructor = shape.constructor(missing);
    MethodHandle[] leaves = new MethodHandle[fields.length];
    for (int i = 0; i < leaves.length; i++) {
      Class<?> part = constructor.type().parameterType(i);
      leaves[i] = fields[i] < 0 ? MethodHandles.dropArguments(MethodHandles.zero(part), 0, RowReader.At.class)
          : RowReader.At.leaf(part, i, byCodec.get(i));
    }
    MethodHandle ofEach = MethodHandles.filterArguments(constructor, 0, leaves);
    MethodType ofOne = MethodType.methodType(constructor.type().returnType(), RowReader.At.class);
    MethodHandle made = MethodHandles.permuteArguments(ofEach, ofOne, new int[leaves.length]);
    return made.asType(MethodType.methodType(Object.class, RowReader.At.class));
  }

  @Override
  public RowReader bind(ColumnImpl column) {
    @Nullable ColumnImpl[] columns = new ColumnImpl[fields.length];
    @Nullable ValueReader[] readers = new ValueReader[fields.length];
    for (int i = 0; i < fields.length; i++) {
      if (fields[i] < 0) continue;
      ColumnImpl part = ColumnImpl.unwrap(column.column(fields[i]));
      columns[i] = part;
      readers[i] = plans[i].bind(part);
    }
    return new RowReader(column, this, columns, readers);
  }
}
