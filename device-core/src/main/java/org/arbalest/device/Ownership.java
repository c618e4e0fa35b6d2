package org.arbalest.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who holds the memory of one array: a count of Java handles and of exports that C has not released. The last to leave frees.
 *
 * <p>Starts with one holder. May be used and left on any thread.
 */
abstract class Ownership {
  private static final VarHandle HOLDERS;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(Ownership.class, "holders", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // read and written through HOLDERS
  private int holders = 1;

  Ownership() {
    Ledger.ARRAYS.increment();
  }

  /** One holder more; only a holder may call this. */
  final void retain() {
    int before;
    do {
      before = (int) HOLDERS.getVolatile(this);
      if (before <= 0) throw new IllegalStateException("the array's memory is already freed");
    } while (!HOLDERS.compareAndSet(this, before, before + 1)); // never counts up from 0, not for a moment: another thread could see it
  }

  /** One holder less. */
  final void release() {
    int before = (int) HOLDERS.getAndAdd(this, -1);
    if (before == 1) {
      Ledger.ARRAYS.decrement();
      free();
    } else if (before < 1) {
      throw new IllegalStateException("an array's memory was released more often than it was retained");
    }
  }

  /** The event to wait for before the buffers are read, or 0. */
  abstract long syncEvent();

  /** Frees the memory. Called once, by the last holder; does not throw. */
  abstract void free();
}
