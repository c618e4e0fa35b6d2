// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/**
 * The constants of the functions for memory that is created, and mapped at reserved addresses; see {@link Cu}. Drivers
 * for CUDA 12.3 or newer have fabric handles.
 */
final class CuMap {
  static final int HANDLE_TYPE_FABRIC = 8;
  static final int HANDLE_TYPE_FABRIC_SUPPORTED = 128;

  /** Attributes of a pointer. */
  static final int ALLOWED_HANDLE_TYPES = 14;
  static final int POOL_HANDLE = 17;

  private CuMap() {}
}
