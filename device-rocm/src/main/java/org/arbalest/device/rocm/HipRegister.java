// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** The constants of the functions that pin memory of the application; see {@link Hip}. */
final class HipRegister {
  static final int PORTABLE = 1;
  static final int MAPPED = 2;

  private HipRegister() {}
}
