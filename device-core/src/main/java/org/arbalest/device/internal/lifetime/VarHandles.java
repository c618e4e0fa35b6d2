// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.lifetime;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;

/** Atomic access to fields, without an object for each. */
public final class VarHandles {
  private VarHandles() {}

  /** A field of the class whose lookup this is; to be kept in a {@code static final} field. */
  public static VarHandle ofField(Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
