// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.util.Objects;
import java.util.function.Function;

/**
 * A class whose objects are written and read as another class's, each as one of those: {@code kotlin.uuid.Uuid} as {@link java.util.UUID}.
 *
 * @param target the other class, one that is a component without it, and not another of these
 * @param to makes an object of that class; called from any thread, never with null
 * @param from the way back, with the same object as before
 * @param <T> the objects
 * @param <A> what they are written and read as
 */
public record ObjectConversion<T, A>(Class<A> target, Function<? super T, ? extends A> to, Function<? super A, ? extends T> from) {
  /** Checks that all is there. */
  public ObjectConversion {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(from, "from");
  }
}
