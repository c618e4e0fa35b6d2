// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

/** The place of memory, as a device sees it. */
public enum Place {
  /** Main memory that the device does not reach by itself. */
  PAGEABLE,

  /** Main memory that the device reaches. */
  PINNED,

  /** The device's own memory. */
  DEVICE,

  /** Memory of another device that this device reaches, or that the runtime copies through main memory. */
  PEER;

  /** Returns whether this place is main memory. */
  boolean isHost() {
    return this == PAGEABLE || this == PINNED;
  }
}
