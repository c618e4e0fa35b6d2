// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

/** An error in the call: the request does not fit the types, regardless of the values in the arrays. */
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
