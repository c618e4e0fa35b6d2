// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.records;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.arbalest.device.objects.ObjectConversion;
import org.arbalest.device.objects.ObjectProvider;
import org.arbalest.device.objects.ObjectShape;
import org.arbalest.device.objects.ObjectType;
import org.jspecify.annotations.Nullable;

/** The components of classes: from an {@link ObjectProvider}, or from the reflection of records. */
final class Shapes {
  private static final List<String> BROKEN = new ArrayList<>();
  private static final List<ObjectProvider> PROVIDERS = providers();

  private Shapes() {}

  /** Returns the shape of a class, or null. */
  static @Nullable ObjectShape find(ObjectType type) {
    for (ObjectProvider provider : PROVIDERS) { // also for records, because a provider may know more about one
      ObjectShape shape = provider.shape(type);
      if (shape != null) return shape;
    }
    return type.type().isRecord() ? JavaRecord.of(type) : null;
  }

  /** Returns the conversion of a class to another class, or null. */
  static @Nullable ObjectConversion<?, ?> conversion(Class<?> type) {
    for (ObjectProvider provider : PROVIDERS) {
      ObjectConversion<?, ?> conversion = provider.conversion(type);
      if (conversion != null) return conversion;
    }
    return null;
  }

  /** Returns the shape of a class for rows; throws if it has none. */
  static ObjectShape of(Class<?> type) {
    if (type.getTypeParameters().length > 0) {
      String parameters =
          Arrays.stream(type.getTypeParameters()).map(Object::toString).collect(Collectors.joining(", ", "<", ">"));
      throw new IllegalArgumentException(
          type.getName() + parameters
              + " has type parameters, whose arguments are unknown here; as a component's type it can "
              + "be used");
    }
    ObjectShape shape = find(ObjectType.of(type).withNullable(false));
    if (shape != null) return shape;
    String kinds = "a record" + PROVIDERS.stream().map(provider -> " or " + provider).collect(Collectors.joining());
    throw new IllegalArgumentException(
        type.getName() + " is not " + kinds + ", as objects of rows must be"
            + (BROKEN.isEmpty() ? "" : "; could not be loaded: " + BROKEN));
  }

  /** Loads the providers with the class loader of this class, like the device drivers. */
  private static List<ObjectProvider> providers() {
    List<ObjectProvider> all = new ArrayList<>();
    Iterator<ObjectProvider> found = ServiceLoader.load(ObjectProvider.class, Shapes.class.getClassLoader()).iterator();
    while (true) {
      try {
        if (!found.hasNext()) return List.copyOf(all);
        all.add(found.next());
      } catch (ServiceConfigurationError | LinkageError e) {
        BROKEN.add(String.valueOf(e.getMessage()));
      }
    }
  }
}
