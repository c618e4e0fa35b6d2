// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import org.jspecify.annotations.Nullable;

/**
 * Knows how objects of some classes are taken apart and made again, as core knows it of records. Found by
 * {@link java.util.ServiceLoader}; created once per process, and called from any thread. Its {@code toString} names the
 * classes that it knows, such as "a data class", for errors.
 */
public interface ObjectProvider {
  /**
   * What objects of a class are made of, or null if it is none that this knows. Asked once or a few times for each
   * class, and again when an {@link ExtensionCodec} was registered or taken back.
   *
   * @param type the class, and what its type parameters stand for
   * @throws IllegalArgumentException if it is one that this knows, but cannot be handled; says why
   */
  @Nullable
  ObjectShape shape(ObjectType type);

  /**
   * How objects of a class, which is a component's, are another class's; null if they are not, or this does not know
   * it. Asked like {@link #shape}.
   */
  default @Nullable ObjectConversion<?, ?> conversion(Class<?> type) {
    return null;
  }
}
