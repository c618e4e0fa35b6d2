// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.DeviceException;

/** An error in a schema or an array. Each caller on the way up adds the name of its field to the path. */
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

  /** Adds the name of the field that contains the error. */
  public final MalformedException under(String name) {
    path = "." + name + path;
    return this;
  }

  /** Returns the exception for the application. */
  public final RuntimeException toException() {
    return toException("");
  }

  /** Returns the exception for the application. The prefix says which of several arrays has the error. */
  public RuntimeException toException(String prefix) {
    return toDeviceException(prefix);
  }

  /** Returns the exception for an error of the other side, such as the producer, regardless of the subclass. */
  public final DeviceException toDeviceException(String prefix) {
    return DeviceException.invalid(text(prefix));
  }

  /** Returns the message; an error in the root has no path. */
  final String text(String prefix) {
    return path.isEmpty() ? prefix + what : prefix + "$" + path + ": " + what;
  }
}
