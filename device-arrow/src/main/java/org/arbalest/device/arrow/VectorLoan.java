// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.jspecify.annotations.Nullable;

/** The buffers of vectors that an array of ours has, each retained once; run when its last holder has left, on any thread. */
final class VectorLoan implements Runnable {
  private @Nullable ArrowBuf[] buffers;
  private int count;

  VectorLoan(int expected) {
    buffers = new ArrowBuf[expected];
  }

  void retain(ArrowBuf buffer) {
    if (count == buffers.length) buffers = Arrays.copyOf(buffers, 2 * count + 2);
    buffer.getReferenceManager().retain();
    buffers[count++] = buffer;
  }

  /** Releases all of them, also if one fails: as of an allocator that was closed before. */
  @Override
  public void run() {
    RuntimeException first = null;
    for (int i = 0; i < count; i++) {
      ArrowBuf buffer = buffers[i];
      if (buffer == null) continue;
      buffers[i] = null;
      try {
        buffer.getReferenceManager().release();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) throw first;
  }
}
