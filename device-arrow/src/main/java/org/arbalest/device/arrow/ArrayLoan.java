// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.arbalest.device.DeviceArray;
import org.jspecify.annotations.Nullable;

/**
 * A handle that Arrow Java's buffers and their creator share. It is closed, on any thread, when the last reference is
 * released.
 */
final class ArrayLoan {
  private static final AtomicIntegerFieldUpdater<ArrayLoan> REFERENCES =
      AtomicIntegerFieldUpdater.newUpdater(ArrayLoan.class, "references");

  final DeviceArray array;

  @SuppressWarnings("unused") // REFERENCES updates it
  private volatile int references = 1;

  /** Takes over a handle; the caller has the first reference. */
  ArrayLoan(DeviceArray array) {
    this.array = array;
  }

  void release() {
    if (REFERENCES.decrementAndGet(this) == 0) array.close();
  }

  /** Returns some bytes of the array as a buffer that an allocator counts. The caller releases the buffer. */
  ArrowBuf wrap(BufferAllocator allocator, long address, long bytes) {
    if (bytes == 0) return allocator.getEmpty();
    Piece piece = new Piece(this, address, bytes);
    REFERENCES.incrementAndGet(this);
    try {
      return allocator.wrapForeignAllocation(piece);
    } catch (Throwable t) { // which may or may not have released it
      piece.release0();
      throw t;
    }
  }

  private static final class Piece extends ForeignAllocation {
    /** Null after the release. */
    private @Nullable ArrayLoan loan;

    Piece(ArrayLoan loan, long address, long bytes) {
      super(bytes, address);
      this.loan = loan;
    }

    @Override
    protected void release0() {
      ArrayLoan held = loan;
      if (held == null) return;
      loan = null;
      held.release();
    }
  }
}
