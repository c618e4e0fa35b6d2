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
 * An extension type of the user's: what a field of this name is read as, if it fits.
 *
 * @param valueClass the class of its values
 * @param fits whether a field of this name has the storage and the parameters that are asked for
 * @param codec what reads and writes it, which is known to who does
 */
public record RegisteredType(Class<?> valueClass, Predicate<Field> fits, Object codec) {
  private static final Map<String, RegisteredType> BY_NAME = new ConcurrentHashMap<>();

  private static final AtomicInteger CHANGES = new AtomicInteger();

  /** How often types were added and removed. */
  public static int changes() {
    return CHANGES.get();
  }

  /** All of now. */
  public static List<RegisteredType> all() {
    return List.copyOf(BY_NAME.values());
  }

  /** Registers a type, unless there is one of this name. */
  public static void add(String name, RegisteredType type) {
    RegisteredType before = BY_NAME.putIfAbsent(name, type);
    if (before != null) {
      throw new IllegalStateException("the extension type " + name + " is read as " + before.valueClass.getName()
          + " already; unregister that first");
    }
    CHANGES.incrementAndGet();
  }

  /** Takes the type of this name back, if there is one. */
  public static void remove(String name) {
    if (BY_NAME.remove(Objects.requireNonNull(name, "name")) != null) CHANGES.incrementAndGet();
  }

  /** The type that a field is read as, or null. */
  public static @Nullable RegisteredType of(Field field) {
    if (field.extension() == null || BY_NAME.isEmpty()) return null;
    RegisteredType type = BY_NAME.get(field.extension().name());
    return type != null && type.fits.test(field) ? type : null;
  }
}
