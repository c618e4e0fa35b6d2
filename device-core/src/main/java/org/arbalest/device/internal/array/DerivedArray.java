// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.internal.lifetime.Counts;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array that keeps other arrays. Arrays that were made from each other in any number of steps are
 * released in a loop, not by recursion.
 */
abstract class DerivedArray extends Ownership {
  /** The next array that the same loop frees. Only the thread that released this array's last reference uses it. */
  private @Nullable DerivedArray next;

  DerivedArray(boolean hasEmpty) {
    super(hasEmpty);
  }

  /** Returns the number of arrays that this keeps. */
  abstract int sources();

  /** Returns an array that this keeps. It has a reference to it, which {@link #freeArray} releases. */
  abstract Ownership source(int index);

  /** Frees the memory that belongs to this array alone. */
  abstract void freeOwn();

  /** Frees everything, also after a failure. The first failure is thrown; it has the others as suppressed ones. */
  @Override
  final void freeArray() {
    Throwable failure = null;
    DerivedArray pending = this;
    while (pending != null) {
      DerivedArray freed = pending;
      pending = freed.next;
      try {
        freed.freeOwn();
      } catch (RuntimeException | Error e) {
        failure = added(failure, e);
      }
      for (int i = 0; i < freed.sources(); i++) {
        try {
          pending = released(freed.source(i), pending);
        } catch (RuntimeException | Error e) {
          failure = added(failure, e);
        }
      }
    }
    if (failure instanceof Error e) throw e;
    if (failure instanceof RuntimeException e) throw e;
  }

  /** Releases a reference. Returns the list of arrays to free, which the released array joins if it keeps others. */
  private static @Nullable DerivedArray released(Ownership source, @Nullable DerivedArray pending) {
    if (!(source instanceof DerivedArray derived)) {
      source.release();
      return pending;
    }
    if (!derived.isLastRelease()) return pending;
    Counts.ARRAYS.decrement();
    derived.next = pending;
    return derived;
  }

  @SuppressWarnings("ReferenceEquality") // an exception cannot suppress itself
  private static Throwable added(@Nullable Throwable first, Throwable next) {
    if (first == null) return next;
    if (first != next) first.addSuppressed(next);
    return first;
  }
}
