// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

/** What is asked for does not fit the types, whatever is in the arrays: a mistake in the call. */
public final class Mismatch extends MalformedException {
  private static final long serialVersionUID = 1L;

  public Mismatch(String what) {
    super(what);
  }

  @Override
  public RuntimeException toException(String prefix) {
    return new IllegalArgumentException(text(prefix));
  }
}
