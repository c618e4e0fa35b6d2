// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

/**
 * The expected use of managed memory; see
 * {@link Cuda#advise(org.arbalest.device.DeviceBuffer, MemoryAdvice, org.arbalest.device.Device)}.
 */
public enum MemoryAdvice {
  /** Mostly read: each reader gets its own copy. */
  READ_MOSTLY,

  /** Withdraws {@link #READ_MOSTLY}. */
  NOT_READ_MOSTLY,

  /** The memory stays at the place, if possible. */
  PREFERRED_LOCATION,

  /** Withdraws {@link #PREFERRED_LOCATION}. */
  NO_PREFERRED_LOCATION,

  /** The place uses the memory where it is, without a page fault for each access. */
  ACCESSED_BY,

  /** Withdraws {@link #ACCESSED_BY}. */
  NOT_ACCESSED_BY;

  /** Returns CUDA's number of the advice: {@code CU_MEM_ADVISE_SET_READ_MOSTLY} is 1, and so on. */
  @SuppressWarnings("EnumOrdinal")
  int code() {
    return ordinal() + 1;
  }
}
