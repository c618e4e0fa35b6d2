// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.types;

/** The unit of a time, timestamp or duration. */
public enum ArrowTimeUnit {
  /** 1 s. */
  SECOND,
  /** 10⁻³ s. */
  MILLISECOND,
  /** 10⁻⁶ s. */
  MICROSECOND,
  /** 10⁻⁹ s. */
  NANOSECOND
}
