// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

/** Where memory is, as a device sees it. */
public enum Place {
  /** Main memory that the device does not reach by itself. */
  PAGEABLE,

  /** Main memory that it reaches. */
  PINNED,

  /** Its own, or another device's that it reaches. */
  DEVICE
}
