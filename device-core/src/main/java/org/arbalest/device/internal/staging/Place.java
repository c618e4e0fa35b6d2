// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

/** Where memory is, as a device sees it. */
public enum Place {
  /** Main memory that the device does not reach by itself. */
  PAGEABLE,

  /** Main memory that it reaches. */
  PINNED,

  /** Its own. */
  DEVICE,

  /** Another device's that it reaches, or for which the runtime goes by way of main memory. */
  PEER;

  /** Whether it is main memory. */
  boolean isHost() {
    return this == PAGEABLE || this == PINNED;
  }
}
