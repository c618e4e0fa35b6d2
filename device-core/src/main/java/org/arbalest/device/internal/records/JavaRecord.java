// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.arbalest.device.objects.ColumnName;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** The shape of a record, from reflection. No component has a default. */
record JavaRecord(List<Component> components, MethodHandle constructor) implements ObjectShape {
  static JavaRecord of(ObjectType type) {
    Class<?> raw = type.type();
    RecordComponent[] parts = raw.getRecordComponents();
    try {
      Constructor<?> canonical =
          raw.getDeclaredConstructor(Arrays.stream(parts).map(RecordComponent::getType).toArray(Class<?>[]::new));
      open(canonical, raw);
      List<Component> components = new ArrayList<>();
      for (int i = 0; i < parts.length; i++) {
        open(parts[i].getAccessor(), raw);
        MethodHandle getter = MethodHandles.lookup().unreflect(parts[i].getAccessor());
        components.add(new Component(name(parts[i], canonical.getParameters()[i].getAnnotation(ColumnName.class)),
            JavaTypes.of(parts[i].getGenericType(), type), false, getter));
      }
      return new JavaRecord(List.copyOf(components), MethodHandles.lookup().unreflectConstructor(canonical));
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(raw.getName() + " cannot be read and constructed: " + e, e);
    }
  }

  /** Returns the column's name. Kotlin puts the annotation of a component on the constructor's parameter. */
  private static String name(RecordComponent part, @Nullable ColumnName ofParameter) {
    ColumnName name = part.getAnnotation(ColumnName.class);
    if (name == null) name = ofParameter;
    return name == null ? part.getName() : name.value();
  }

  private static void open(AccessibleObject member, Class<?> type) {
    try {
      member.setAccessible(true);
    } catch (InaccessibleObjectException | SecurityException e) {
      String opens = "opens " + type.getPackageName() + " to " + JavaRecord.class.getModule().getName() + ";";
      throw new IllegalArgumentException(type.getName() + " is not accessible: its module-info needs \"" + opens + "\"",
          e);
    }
  }

  @Override
  public MethodHandle constructor(BitSet missing) {
    return constructor;
  }
}
