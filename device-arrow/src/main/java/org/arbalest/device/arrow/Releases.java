// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/** Releases buffers: all of them, even if one release fails, for example for an allocator that is already closed. */
final class Releases {
  private Releases() {}

  /** Releases a buffer, and returns the first failure, which has later failures as suppressed. */
  static @Nullable Throwable of(ArrowBuf buffer, @Nullable Throwable before) {
    try {
      buffer.getReferenceManager().release();
      return before;
    } catch (Throwable t) {
      return join(before, t);
    }
  }

  /** Removes all buffers from a list, releases them, and returns the first failure. */
  static @Nullable Throwable ofAll(List<ArrowBuf> buffers, @Nullable Throwable before) {
    Throwable failure = before;
    while (!buffers.isEmpty()) failure = of(buffers.removeLast(), failure);
    return failure;
  }

  @SuppressWarnings("ReferenceEquality") // an exception cannot suppress itself
  static Throwable join(@Nullable Throwable before, Throwable failure) {
    if (before == null || before == failure) return failure;
    before.addSuppressed(failure);
    return before;
  }

  /** Throws the failure, if it is not null. */
  static void raise(@Nullable Throwable failure) {
    if (failure instanceof Error error) throw error;
    if (failure != null) throw Unfit.unchecked(failure);
  }
}
