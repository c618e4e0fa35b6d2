// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/** The constants of the functions that pin memory of the application; see {@link Cu}. */
final class CuRegister {
  static final int PORTABLE = 1;
  static final int DEVICE_MAP = 2;
  static final int ALREADY_REGISTERED = 712;

  /** The attribute of a device that accesses such memory at the CPU's address. */
  static final int CAN_USE_HOST_POINTER = 91;

  private CuRegister() {}
}
