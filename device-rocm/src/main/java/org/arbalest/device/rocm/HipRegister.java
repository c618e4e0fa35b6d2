// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** The numbers for the functions that pin memory of others; see {@link Hip}. */
final class HipRegister {
  static final int PORTABLE = 1;
  static final int MAPPED = 2;

  private HipRegister() {}
}
