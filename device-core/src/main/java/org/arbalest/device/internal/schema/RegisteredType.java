// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * An extension type that the application registered. It is used to read each field of its name that it fits.
 *
 * @param valueClass the class of the values
 * @param fits whether a field of this name has the required storage and parameters
 * @param codec the codec that reads and writes values; its users know its class
 */
public record RegisteredType(Class<?> valueClass, Predicate<Field> fits, Object codec) {
  private static final Map<String, RegisteredType> BY_NAME = new ConcurrentHashMap<>();

  private static final AtomicInteger CHANGES = new AtomicInteger();

  /** Returns how many times types were added or removed. */
  public static int changes() {
    return CHANGES.get();
  }

  /** Returns all types that are registered now. */
  public static List<RegisteredType> all() {
    return List.copyOf(BY_NAME.values());
  }

  /** Registers a type; throws if a type of this name is registered. */
  public static void add(String name, RegisteredType type) {
    RegisteredType before = BY_NAME.putIfAbsent(name, type);
    if (before != null) {
      throw new IllegalStateException("the extension type " + name + " is read as " + before.valueClass.getName()
          + " already; unregister that first");
    }
    CHANGES.incrementAndGet();
  }

  /** Removes the type of this name, if one is registered. */
  public static void remove(String name) {
    if (BY_NAME.remove(Objects.requireNonNull(name, "name")) != null) CHANGES.incrementAndGet();
  }

  /** Returns the type that reads a field, or null. */
  public static @Nullable RegisteredType of(Field field) {
    if (field.extension() == null || BY_NAME.isEmpty()) return null;
    RegisteredType type = BY_NAME.get(field.extension().name());
    return type != null && type.fits.test(field) ? type : null;
  }
}
