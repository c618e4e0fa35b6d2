// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A class with its type arguments and its nullability: {@code List<Integer>}. An array has one argument, its component.
 *
 * @param type the class
 * @param nullable whether null is possible
 * @param arguments the type arguments; empty if they are unknown
 */
public record ObjectType(Class<?> type, boolean nullable, List<ObjectType> arguments) {
  /** Copies the list. */
  public ObjectType {
    arguments = List.copyOf(arguments);
  }

  /** Returns the type of a class without type parameters; every class except primitives is nullable. */
  public static ObjectType of(Class<?> type) {
    return new ObjectType(type, !type.isPrimitive(), type.isArray() ? List.of(of(type.componentType())) : List.of());
  }

  /** Returns the same type with another nullability. */
  public ObjectType withNullable(boolean mayBeNull) {
    return new ObjectType(type, mayBeNull, arguments);
  }

  /** Returns the type in the form of Java source: {@code List<Integer>}. */
  @Override
  public String toString() {
    if (type.isArray() || arguments.isEmpty()) return type.getSimpleName();
    return arguments.stream().map(ObjectType::toString)
        .collect(Collectors.joining(", ", type.getSimpleName() + "<", ">"));
  }
}
