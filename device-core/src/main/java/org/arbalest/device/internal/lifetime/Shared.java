// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A reference-counted object. The count starts at one, and the release of the last reference frees the object. Any
 * thread may retain and release it.
 */
public abstract class Shared {
  private static final VarHandle REFERENCES = VarHandles.ofField(MethodHandles.lookup(), "references", int.class);

  @SuppressWarnings({"FieldMayBeFinal", "UnusedVariable"}) // read and written through REFERENCES
  private int references = 1;

  /** Adds a reference. The caller must have one. */
  public final void retain() {
    if (!tryRetain()) throw new IllegalStateException("the memory is already freed");
  }

  /** Adds a reference, unless the last one is released. Returns whether it did. */
  public final boolean tryRetain() {
    int before;
    do {
      before = (int) REFERENCES.getVolatile(this);
      if (before <= 0) return false;
      // The count never rises from 0, not even for a moment: another thread could see it.
    } while (!REFERENCES.compareAndSet(this, before, before + 1));
    return true;
  }

  /** Releases a reference. */
  public final void release() {
    if (isLastRelease()) free();
  }

  /**
   * Releases a reference without freeing the object. Returns whether it was the last one: the caller then frees the
   * object instead of {@link #free}.
   */
  protected final boolean isLastRelease() {
    int before = (int) REFERENCES.getAndAdd(this, -1);
    if (before < 1) throw new IllegalStateException("memory was released more often than it was retained");
    return before == 1;
  }

  /** Frees the object. Called once, by the release of the last reference. Must not throw. */
  protected abstract void free();

  /**
   * Returns whether freeing the object may run foreign callbacks. They must not delay the threads that wait for events.
   */
  public boolean callsOut() {
    return false;
  }
}
