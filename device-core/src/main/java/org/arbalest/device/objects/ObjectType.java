// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A class with what its type parameters stand for, and whether there may be a null in its place: {@code List<Integer>}.
 * An array has one argument, its component.
 *
 * @param type the class
 * @param nullable whether there may be a null
 * @param arguments what its type parameters stand for; none if that is not known
 */
public record ObjectType(Class<?> type, boolean nullable, List<ObjectType> arguments) {
  /** Copies the list. */
  public ObjectType {
    arguments = List.copyOf(arguments);
  }

  /** A class without type parameters; null may be in place of all but primitives. */
  public static ObjectType of(Class<?> type) {
    return new ObjectType(type, !type.isPrimitive(), type.isArray() ? List.of(of(type.componentType())) : List.of());
  }

  /** The same with a null in its place, or without. */
  public ObjectType withNullable(boolean mayBeNull) {
    return new ObjectType(type, mayBeNull, arguments);
  }

  /** As it is written: {@code List<Integer>}. */
  @Override
  public String toString() {
    if (type.isArray() || arguments.isEmpty()) return type.getSimpleName();
    return arguments.stream().map(ObjectType::toString)
        .collect(Collectors.joining(", ", type.getSimpleName() + "<", ">"));
  }
}
