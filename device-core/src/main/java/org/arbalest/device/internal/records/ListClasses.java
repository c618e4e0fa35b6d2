// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** Which classes are lists, and which types. */
final class ListClasses {
  private ListClasses() {}

  /** Lists, however they are stored: the field of their elements, or null for what is none. */
  static @Nullable Field item(DataType type) {
    return switch (type) {
      case ListType list -> list.item();
      case LargeListType list -> list.item();
      case ListViewType list -> list.item();
      case LargeListViewType list -> list.item();
      case FixedSizeListType list -> list.item();
      default -> null;
    };
  }

  /**
   * Whether a class's objects are lists: collections whose elements' class is known, and arrays, but for
   * {@code byte[]}, which is a value.
   */
  static boolean isList(ObjectType type) {
    Class<?> raw = type.type();
    return (raw.isArray() && raw != byte[].class)
        || ((raw == List.class || raw == Collection.class || raw == Set.class) && type.arguments().size() == 1);
  }

  /** Whether it is an array of primitives that is a list. */
  static boolean isPrimitives(Class<?> type) {
    return type.isArray() && type.componentType().isPrimitive() && type != byte[].class;
  }

  /** Elements as an object of a list's class, an array of primitives aside. */
  static Object of(Class<?> type, List<@Nullable Object> elements) {
    if (type.isArray()) return elements.toArray((Object[]) Array.newInstance(type.componentType(), elements.size()));
    return type == Set.class ? set(elements) : Collections.unmodifiableList(elements);
  }

  /** In their order, each of which is there once. */
  private static Set<@Nullable Object> set(List<@Nullable Object> elements) {
    Set<@Nullable Object> set = LinkedHashSet.newLinkedHashSet(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      if (!set.add(elements.get(i)))
        throw Unreadable.of("is " + elements.get(i) + ", which is there twice, as in no Set; a List has all").at(i);
    }
    return Collections.unmodifiableSet(set);
  }
}
