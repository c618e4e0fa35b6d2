// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import org.jspecify.annotations.Nullable;

/**
 * A provider of the structure of some classes, which core then reads and creates like records.
 * {@link java.util.ServiceLoader} finds the providers, and creates each once per process. Its {@code toString} names
 * the supported classes for error messages, such as "a data class".
 *
 * <p>Core may call it on any thread.
 */
public interface ObjectProvider {
  /**
   * Returns the shape of a class's objects, or null for an unsupported class. Core queries it once or a few times for
   * each class, and again after an {@link ExtensionCodec} was registered or removed.
   *
   * @param type the class, with its type arguments
   * @throws IllegalArgumentException if the class is of a supported kind, but cannot be handled; the message has the
   *     reason
   */
  @Nullable
  ObjectShape shape(ObjectType type);

  /**
   * Returns the conversion between a component's class and another class; null without a conversion, or for an
   * unsupported class. Core queries it as often as {@link #shape}.
   */
  default @Nullable ObjectConversion<?, ?> conversion(Class<?> type) {
    return null;
  }
}
