// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects;

import java.util.Objects;
import java.util.function.Function;
import org.arbalest.device.types.FlatType.IntType;
import org.jspecify.annotations.Nullable;

/**
 * A conversion between the objects of one class and those of another, one to one: {@code kotlin.uuid.Uuid} and
 * {@link java.util.UUID}. The objects are written and read as the other class.
 *
 * <p>The other class may have a conversion of its own, and so on. A cycle of conversions is rejected with an
 * {@link IllegalArgumentException} when objects are written or read.
 *
 * @param target the other class, with its type arguments
 * @param to converts to an object of the other class; called on any thread, never with null
 * @param from converts back, to an object equal to the first
 * @param unsigned the column type of unsigned integers, or null for other objects. For unsigned integers the other
 *     class is {@link Long}, and its 64 bits are the number without a sign
 * @param <T> the class of the objects
 * @param <A> the other class
 */
public record ObjectConversion<T, A>(
    ObjectType target,
    Function<? super T, ? extends A> to,
    Function<? super A, ? extends T> from,
    @Nullable IntType unsigned) {
  /** Checks the arguments. */
  public ObjectConversion {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(to, "to");
    Objects.requireNonNull(from, "from");
    if (unsigned != null && (unsigned.signed() || target.type() != Long.class)) {
      throw new IllegalArgumentException(unsigned + " as " + target + "; unsigned integers are each a Long");
    }
  }

  /** Creates a conversion to a class without type parameters. */
  public ObjectConversion(Class<A> target, Function<? super T, ? extends A> to, Function<? super A, ? extends T> from) {
    this(ObjectType.of(target), to, from, null);
  }

  /**
   * Creates a conversion to a class with type parameters.
   *
   * @param <A> the other class, which is the target's
   */
  public static <T, A> ObjectConversion<T, A> of(
      ObjectType target, Function<? super T, ? extends A> to, Function<? super A, ? extends T> from) {
    return new ObjectConversion<>(target, to, from, null);
  }

  /** Creates a conversion of unsigned integers; see {@link #unsigned()}. */
  public static <T> ObjectConversion<T, Long> ofUnsigned(
      IntType type, Function<? super T, Long> to, Function<? super Long, ? extends T> from) {
    return new ObjectConversion<>(ObjectType.of(Long.class), to, from, type);
  }
}
