// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import org.arbalest.device.objects.ObjectType;

/** Conversion of Java types. Every type except a primitive is nullable. */
final class JavaTypes {
  private JavaTypes() {}

  /**
   * Converts a type in the declaration of class {@code in}, and replaces the class's type parameters by its arguments.
   */
  static ObjectType of(Type type, ObjectType in) {
    return switch (type) {
      case Class<?> plain -> ObjectType.of(plain);
      case ParameterizedType generic -> {
        List<ObjectType> arguments =
            Arrays.stream(generic.getActualTypeArguments()).map(argument -> of(argument, in)).toList();
        yield new ObjectType((Class<?>) generic.getRawType(), true, arguments);
      }
      case TypeVariable<?> parameter -> {
        int index = Arrays.asList(in.type().getTypeParameters()).indexOf(parameter);
        if (index < 0 || index >= in.arguments().size()) {
          throw new IllegalArgumentException(
              in.type().getName() + " is used without an argument for its type parameter " + parameter);
        }
        yield in.arguments().get(index);
      }
      case WildcardType wildcard -> of(wildcard.getUpperBounds()[0], in);
      case GenericArrayType array -> {
        ObjectType component = of(array.getGenericComponentType(), in);
        yield new ObjectType(component.type().arrayType(), true, List.of(component));
      }
      default -> throw new IllegalArgumentException(
          in.type().getName() + " has a component of an unknown kind of type: " + type);
    };
  }
}
