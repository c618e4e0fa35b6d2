// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.flatbuf;

/** A fault in a buffer on its way to the root table: each table on the way adds its part of the path. */
final class Fault extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int position;
  private final String text;
  private String path = "";
  private boolean rooted;

  /**
   * Creates a fault.
   *
   * @param position the position in the buffer
   */
  Fault(int position, String text) {
    super(text, null, false, false);
    this.position = position;
    this.text = text;
  }

  int position() {
    return position;
  }

  String text() {
    return path + ": " + text;
  }

  /** Puts a part of the path before the known ones. */
  Fault within(String part) {
    if (!rooted) path = part + path;
    return this;
  }

  /** Puts the table's name before the path, where the path then starts. */
  Fault from(TableType root) {
    within(root.name());
    rooted = true;
    return this;
  }
}
