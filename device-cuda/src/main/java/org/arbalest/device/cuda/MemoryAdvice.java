// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/**
 * How managed memory will be used; see {@link Cuda#advise(org.arbalest.device.DeviceBuffer, MemoryAdvice,
 * org.arbalest.device.Device)}.
 */
public enum MemoryAdvice {
  /** Mostly read: whoever reads gets a copy of its own. */
  READ_MOSTLY,

  /** Takes {@link #READ_MOSTLY} back. */
  NOT_READ_MOSTLY,

  /** It is to stay at a place, if it can. */
  PREFERRED_LOCATION,

  /** Takes {@link #PREFERRED_LOCATION} back. */
  NO_PREFERRED_LOCATION,

  /** A place uses it where it is, without a fault each time. */
  ACCESSED_BY,

  /** Takes {@link #ACCESSED_BY} back. */
  NOT_ACCESSED_BY;

  /** {@code CU_MEM_ADVISE_SET_READ_MOSTLY} is 1, and so on. */
  @SuppressWarnings("EnumOrdinal")
  int code() {
    return ordinal() + 1;
  }
}
