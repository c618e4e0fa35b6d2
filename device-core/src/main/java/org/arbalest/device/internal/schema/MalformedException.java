// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.DeviceException;

/** Something is wrong with a schema or an array; collects the path of the field on its way up. */
public class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The path element of a dictionary. */
  public static final String DICTIONARY = "(dictionary)";

  private final String what;
  private String path = "";

  public MalformedException(String what) {
    super(what, null, false, false);
    this.what = what;
  }

  /** Adds the name of the field that the trouble is below. */
  public final MalformedException under(String name) {
    path = "." + name + path;
    return this;
  }

  /** What the user gets. */
  public final RuntimeException toException() {
    return toException("");
  }

  /** The same for one of several arrays, of which the prefix says which. */
  public RuntimeException toException(String prefix) {
    return toDeviceException(prefix);
  }

  /** The same where another side is to blame, whatever it is. */
  public final DeviceException toDeviceException(String prefix) {
    return DeviceException.invalid(text(prefix));
  }

  /** What is wrong with the root needs no path. */
  final String text(String prefix) {
    return path.isEmpty() ? prefix + what : prefix + "$" + path + ": " + what;
  }
}
