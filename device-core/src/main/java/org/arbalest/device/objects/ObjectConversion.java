// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.types.FlatType.IntType;
import org.jspecify.annotations.Nullable;

/**
 * A class whose objects are written and read as another class's, each as one of those: {@code kotlin.uuid.Uuid} as
 * {@link java.util.UUID}. The other class may have a conversion of its own, and so on; what comes back to a class that
 * was there before is refused with an {@link IllegalArgumentException} when objects are written or read.
 *
 * @param target the other class, with what its type parameters stand for
 * @param to makes an object of that class; called from any thread, never with null
 * @param from the way back, with the same object as before
 * @param unsigned if the objects are unsigned integers: what they are built as. Then the other class is {@link Long},
 *     each of which stands for the number that its 64 bits are without a sign; otherwise null
 * @param <T> the objects
 * @param <A> what they are written and read as
 */
public record ObjectConversion<T, A>(
    ObjectType target,
    Function<? super T, ? extends A> to,
    Function<? super A, ? extends T> from,
    @Nullable IntType unsigned) {
  /** Checks that all is there. */
  public ObjectConversion {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(from, "from");
    if (unsigned != null && (unsigned.signed() || target.type() != Long.class)) {
      throw new IllegalArgumentException(unsigned + " as " + target + "; unsigned integers are each a Long");
    }
  }

  /** As another class without type parameters. */
  public ObjectConversion(Class<A> target, Function<? super T, ? extends A> to, Function<? super A, ? extends T> from) {
    this(ObjectType.of(target), to, from, null);
  }

  /**
   * As another class with type parameters.
   *
   * @param <A> the other class, which is the target's
   */
  public static <T, A> ObjectConversion<T, A> of(
      ObjectType target, Function<? super T, ? extends A> to, Function<? super A, ? extends T> from) {
    return new ObjectConversion<>(target, to, from, null);
  }

  /** As unsigned integers; see {@link #unsigned()}. */
  public static <T> ObjectConversion<T, Long> ofUnsigned(
      IntType type, Function<? super T, Long> to, Function<? super Long, ? extends T> from) {
    return new ObjectConversion<>(ObjectType.of(Long.class), to, from, type);
  }
}
