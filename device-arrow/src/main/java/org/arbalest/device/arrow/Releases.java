// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.List;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/** Giving buffers back: all of them, also if one fails, as of an allocator that was closed before. */
final class Releases {
  private Releases() {}

  /** Releases a buffer; returns what failed first, which has what failed later. */
  static @Nullable Throwable of(ArrowBuf buffer, @Nullable Throwable before) {
    try {
      buffer.getReferenceManager().release();
      return before;
    } catch (Throwable t) {
      return join(before, t);
    }
  }

  /** Takes all buffers off a list and releases them; likewise. */
  static @Nullable Throwable ofAll(List<ArrowBuf> buffers, @Nullable Throwable before) {
    Throwable failure = before;
    while (!buffers.isEmpty()) failure = of(buffers.removeLast(), failure);
    return failure;
  }

  @SuppressWarnings("ReferenceEquality") // nothing is its own suppressed
  static Throwable join(@Nullable Throwable before, Throwable failure) {
    if (before == null || before == failure) return failure;
    before.addSuppressed(failure);
    return before;
  }

  /** Throws what failed, if anything did. */
  static void raise(@Nullable Throwable failure) {
    if (failure instanceof Error error) throw error;
    if (failure != null) throw Unfit.unchecked(failure);
  }
}
