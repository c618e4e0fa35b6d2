// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.ForeignAllocation;
import org.arbalest.device.DeviceArray;
import org.jspecify.annotations.Nullable;

/**
 * A handle that Arrow Java's buffers share, and whoever makes them; closed when the last of them was released, on any
 * thread.
 */
final class ArrayLoan {
  private static final AtomicIntegerFieldUpdater<ArrayLoan> HOLDERS =
      AtomicIntegerFieldUpdater.newUpdater(ArrayLoan.class, "holders");

  final DeviceArray array;

  @SuppressWarnings("unused") // by HOLDERS
  private volatile int holders = 1;

  /** Takes over a handle; the caller is the first holder. */
  ArrayLoan(DeviceArray array) {
    this.array = array;
  }

  void release() {
    if (HOLDERS.decrementAndGet(this) == 0) array.close();
  }

  /** Some bytes of the array as a buffer of an allocator, which counts them; to be released by the caller. */
  ArrowBuf wrap(BufferAllocator allocator, long address, long bytes) {
    if (bytes == 0) return allocator.getEmpty();
    Piece piece = new Piece(this, address, bytes);
    HOLDERS.incrementAndGet(this);
    try {
      return allocator.wrapForeignAllocation(piece);
    } catch (Throwable t) { // which has released it, or not
      piece.release0();
      throw t;
    }
  }

  private static final class Piece extends ForeignAllocation {
    /** Null once it was released. */
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
