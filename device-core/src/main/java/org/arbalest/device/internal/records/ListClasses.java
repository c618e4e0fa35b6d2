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

/** The classes and the Arrow types that are lists. */
final class ListClasses {
  private ListClasses() {}

  /** Returns the field of a list's elements, for any list layout; null for other types. */
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
   * Returns whether a class stores lists: a collection with a known class of elements, or an array. {@code byte[]} is a
   * single value.
   */
  static boolean isList(ObjectType type) {
    Class<?> raw = type.type();
    return (raw.isArray() && raw != byte[].class)
        || ((raw == List.class || raw == Collection.class || raw == Set.class) && type.arguments().size() == 1);
  }

  /** Returns whether a class is an array of primitives that is a list. */
  static boolean isPrimitives(Class<?> type) {
    return type.isArray() && type.componentType().isPrimitive() && type != byte[].class;
  }

  /** Returns elements as an object of a list's class, which is not an array of primitives. */
  static Object of(Class<?> type, List<@Nullable Object> elements) {
    if (type.isArray()) return elements.toArray((Object[]) Array.newInstance(type.componentType(), elements.size()));
    return type == Set.class ? set(elements) : Collections.unmodifiableList(elements);
  }

  /** Returns a set in the order of the elements; throws for a repeated element. */
  private static Set<@Nullable Object> set(List<@Nullable Object> elements) {
    Set<@Nullable Object> set = LinkedHashSet.newLinkedHashSet(elements.size());
    for (int i = 0; i < elements.size(); i++) {
      if (!set.add(elements.get(i)))
        throw Unreadable
            .of("is " + elements.get(i) + ", which occurs twice, and a Set has each element once; read it as a List")
            .at(i);
    }
    return Collections.unmodifiableSet(set);
  }
}
