// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.DeviceException;

/** Something is wrong with a schema or an array; collects the path of the field on its way up. */
public final class Malformed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The path element of a dictionary. */
  public static final String DICTIONARY = "(dictionary)";

  private final String what;
  private String path = "";

  public Malformed(String what) {
    super(what, null, false, false);
    this.what = what;
  }

  /** Adds the name of the field that the trouble is below. */
  public Malformed under(String name) {
    path = "." + name + path;
    return this;
  }

  public DeviceException toDeviceException() {
    return toDeviceException("");
  }

  /** For one of several arrays, of which the prefix says which. What is wrong with the root needs no path. */
  public DeviceException toDeviceException(String prefix) {
    return DeviceException.invalid(path.isEmpty() ? prefix + what : prefix + "$" + path + ": " + what);
  }
}
