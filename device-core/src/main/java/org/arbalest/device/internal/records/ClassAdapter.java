// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.read.ColumnImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.objects.ObjectConversion;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/**
 * A class whose objects are stored as objects of another class. An {@link Optional} is stored as its content; other
 * classes have an {@link ObjectConversion}.
 *
 * @param type the other class
 * @param unsigned the columns of the other class, if it is {@code Long} for unsigned integers; otherwise null
 * @param to converts to the other class; returns null for an empty object
 * @param from converts back; its argument is never null
 * @param none the object for a null
 */
record ClassAdapter(
    ObjectType type,
    @Nullable FlatClass unsigned,
    Function<Object, @Nullable Object> to,
    Function<Object, Object> from,
    @Nullable Object none) {
  /**
   * Returns the adapter for a component's class; null if the class has no conversion.
   *
   * @throws IllegalArgumentException if the conversions form a cycle
   */
  static @Nullable ClassAdapter of(ObjectType type) {
    ClassAdapter first = next(type);
    List<ObjectType> seen = new ArrayList<>(List.of(type.withNullable(true)));
    for (ClassAdapter at = first; at != null; at = next(at.type)) {
      ObjectType other = at.type.withNullable(true);
      boolean isSeen = seen.contains(other);
      seen.add(other);
      if (isSeen)
        throw new IllegalArgumentException("object conversions form a cycle: " + names(seen));
    }
    return first;
  }

  private static String names(List<ObjectType> types) {
    return types.stream().map(ObjectType::type).map(Class::getTypeName).collect(Collectors.joining(" as "));
  }

  private static @Nullable ClassAdapter next(ObjectType type) {
    if (isOptional(type)) {
      ObjectType value = type.arguments().get(0).withNullable(true);
      return new ClassAdapter(value, null, of -> ((Optional<?>) of).orElse(null), Optional::of, Optional.empty());
    }
    ObjectConversion<?, ?> conversion = FlatClass.of(type.type()) == null ? Shapes.conversion(type.type()) : null;
    return conversion == null ? null : of(type, conversion);
  }

  /** Excludes an Optional of an Optional, because a null would not show which of them is empty. */
  private static boolean isOptional(ObjectType type) {
    return type.type() == Optional.class && type.arguments().size() == 1
        && type.arguments().get(0).type() != Optional.class;
  }

  @SuppressWarnings("unchecked") // the conversion declares these types
  private static ClassAdapter of(ObjectType type, ObjectConversion<?, ?> conversion) {
    ObjectType target = conversion.target().withNullable(type.nullable());
    FlatClass unsigned = conversion.unsigned() == null ? null : FlatClass.unsigned(conversion.unsigned());
    Function<Object, @Nullable Object> to = (Function<Object, @Nullable Object>) conversion.to();
    return new ClassAdapter(target, unsigned, to, (Function<Object, Object>) conversion.from(), null);
  }

  /** Reads objects of the other class and converts them. */
  static final class Reader extends ValueReader {
    private final ClassAdapter adapter;
    private final ValueReader values;

    Reader(ColumnImpl column, ObjectType type, ClassAdapter adapter, ReadPlan values) {
      super(column, type.withNullable(type.nullable() || adapter.none != null));
      this.adapter = adapter;
      this.values = values.bind(column);
    }

    @Override
    Object read(long row) {
      return adapter.from.apply(values.read(row));
    }

    @Override
    @Nullable
    Object none() {
      return adapter.none;
    }
  }

  /** Converts objects to the other class and appends them. */
  static final class Writer extends ValueWriter {
    private final ClassAdapter adapter;
    private final ValueWriter values;

    Writer(ClassAdapter adapter, ValueWriter values) {
      this.adapter = adapter;
      this.values = values;
    }

    @Override
    void write(@Nullable Object[] objects, int count, ColumnBuilder column) {
      values.write(converted(objects, count), count, column);
    }

    @Override
    boolean isByValue() {
      return values.isByValue();
    }

    @Override
    Field exact(Field field, @Nullable Object[] objects, int count) {
      return isByValue() ? values.exact(field, converted(objects, count), count) : field;
    }

    private @Nullable Object[] converted(@Nullable Object[] objects, int count) {
      @Nullable Object[] others = Arrays.copyOf(objects, count);
      for (int i = 0; i < count; i++) {
        Object object = others[i];
        if (object != null && !isAbsent(object)) others[i] = adapter.to.apply(object);
      }
      return others;
    }
  }
}
