// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that several hold: a count, which starts at one. The last to leave frees. May be held and left on any
 * thread.
 */
public abstract class Shared {
  private static final VarHandle HOLDERS = VarHandles.ofField(MethodHandles.lookup(), "holders", int.class);

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // read and written through HOLDERS
  private int holders = 1;

  /** One holder more; only a holder may call this. */
  public final void retain() {
    if (!tryRetain()) throw new IllegalStateException("the memory is already freed");
  }

  /** One holder more, unless the last has left. */
  public final boolean tryRetain() {
    int before;
    do {
      before = (int) HOLDERS.getVolatile(this);
      if (before <= 0) return false;
      // never counts up from 0, not for a moment: another thread could see it
    } while (!HOLDERS.compareAndSet(this, before, before + 1));
    return true;
  }

  /** One holder less. */
  public final void release() {
    int before = (int) HOLDERS.getAndAdd(this, -1);
    if (before == 1) {
      free();
    } else if (before < 1) {
      throw new IllegalStateException("memory was released more often than it was retained");
    }
  }

  /** Called once, by the last holder; does not throw. */
  protected abstract void free();

  /** Whether freeing it may run a callback of somebody else's, which is not to hold up those who wait for events. */
  public boolean callsOut() {
    return false;
  }
}
