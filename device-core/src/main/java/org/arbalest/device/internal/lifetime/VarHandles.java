// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;

/** Atomic access to fields, without an extra object for each field. */
public final class VarHandles {
  private VarHandles() {}

  /** Returns the handle of a field of the lookup's class. Keep it in a {@code static final} field. */
  public static VarHandle ofField(Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
