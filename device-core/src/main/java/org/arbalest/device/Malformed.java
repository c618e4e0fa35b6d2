package org.arbalest.device;

/** Something is wrong with a schema or an array; collects the path of the field on its way up. */
final class Malformed extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The path element of a dictionary. */
  static final String DICTIONARY = "(dictionary)";

  private final String what;
  private String path = "";

  Malformed(String what) {
    super(what, null, false, false);
    this.what = what;
  }

  /** Adds the name of the field that the trouble is below. */
  Malformed under(String name) {
    path = "." + name + path;
    return this;
  }

  DeviceException toDeviceException() {
    return DeviceException.invalid("$" + path + ": " + what);
  }
}
