// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.internal.build.Fillers;
import org.arbalest.device.objects.ObjectShape.Component;
import org.jspecify.annotations.Nullable;

/** Appends one component of each object to a column. Primitives are not boxed. */
abstract class PartWriter {
  final Field field;
  final MethodHandle getter;

  private PartWriter(Field field, MethodHandle getter, Class<?> as) {
    this.field = field;
    this.getter = getter.asType(MethodType.methodType(as, Object.class));
  }

  static PartWriter of(Component component, Field field, ValueWriter values) {
    Class<?> returned = component.getter().type().returnType();
    boolean plain = values instanceof ValueWriter.OfFlat;
    if (plain && returned == boolean.class) return new OfBooleans(component, field);
    if (plain && (returned == float.class || returned == double.class)) return new OfDoubles(component, field);
    if (plain && returned.isPrimitive() && returned != char.class && !isUnsignedLong(field))
      return new OfLongs(component, field);
    return new OfObjects(component, field, values);
  }

  private static boolean isUnsignedLong(Field field) {
    return field.valueType() instanceof IntType(int bits, boolean signed) && bits == Long.SIZE && !signed;
  }

  /** Appends the component of the first {@code count} owners. Some owners may be {@link ValueWriter#ABSENT}. */
  final void write(@Nullable Object[] owners, int count, ColumnBuilder column) {
    read(() -> {
      append(owners, count, column);
      return column;
    });
  }

  /** Calls a function that reads the component; its unchecked exceptions pass. */
  final <T> T read(Reading<T> reading) {
    try {
      return reading.call();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("component \"" + field.name() + "\" cannot be read", e);
    }
  }

  /** A function that calls the getter, which may throw anything. */
  @FunctionalInterface
  interface Reading<T> {
    T call() throws Throwable;
  }

  /** See {@link ValueWriter#isByValue}. */
  boolean isByValue() {
    return false;
  }

  /** Returns the field for the component of the first {@code count} owners; see {@link ValueWriter#exact}. */
  Field exact(@Nullable Object[] owners, int count) {
    return field;
  }

  abstract void append(@Nullable Object[] owners, int count, ColumnBuilder column) throws Throwable;

  private static final class OfLongs extends PartWriter {
    OfLongs(Component component, Field field) {
      super(field, component.getter(), long.class);
    }

    @Override
    void append(@Nullable Object[] owners, int count, ColumnBuilder column) throws Throwable {
      for (int i = 0; i < count; i++) {
        Object owner = owners[i];
        if (ValueWriter.isAbsent(owner)) {
          Fillers.append(column);
        } else {
          column.append((long) getter.invokeExact(owner));
        }
      }
    }
  }

  private static final class OfDoubles extends PartWriter {
    OfDoubles(Component component, Field field) {
      super(field, component.getter(), double.class);
    }

    @Override
    void append(@Nullable Object[] owners, int count, ColumnBuilder column) throws Throwable {
      for (int i = 0; i < count; i++) {
        Object owner = owners[i];
        if (ValueWriter.isAbsent(owner)) {
          Fillers.append(column);
        } else {
          column.append((double) getter.invokeExact(owner));
        }
      }
    }
  }

  private static final class OfBooleans extends PartWriter {
    OfBooleans(Component component, Field field) {
      super(field, component.getter(), boolean.class);
    }

    @Override
    void append(@Nullable Object[] owners, int count, ColumnBuilder column) throws Throwable {
      for (int i = 0; i < count; i++) {
        Object owner = owners[i];
        if (ValueWriter.isAbsent(owner)) {
          Fillers.append(column);
        } else {
          column.append((boolean) getter.invokeExact(owner));
        }
      }
    }
  }

  private static final class OfObjects extends PartWriter {
    private final ValueWriter values;

    OfObjects(Component component, Field field, ValueWriter values) {
      super(field, component.getter(), Object.class);
      this.values = values;
    }

    @Override
    void append(@Nullable Object[] owners, int count, ColumnBuilder column) throws Throwable {
      values.write(parts(owners, count), count, column);
    }

    @Override
    boolean isByValue() {
      return values.isByValue();
    }

    @Override
    Field exact(@Nullable Object[] owners, int count) {
      return isByValue() ? read(() -> values.exact(field, parts(owners, count), count)) : field;
    }

    private @Nullable Object[] parts(@Nullable Object[] owners, int count) throws Throwable {
      @Nullable Object[] parts = new Object[count];
      for (int i = 0; i < count; i++) {
        Object owner = owners[i];
        parts[i] = ValueWriter.isAbsent(owner) ? owner : getter.invokeExact(owner);
      }
      return parts;
    }
  }
}
