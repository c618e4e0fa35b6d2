// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;

/** Whether a kind of device can be used here. Absence is an answer, never an exception (DEV-13). */
public sealed interface Availability {
  /**
   * The driver is there.
   *
   * @param devices how many devices it has, from 0 to 65,536; whoever says another number is taken for missing
   */
  record Ready(int devices) implements Availability {
    /** How many devices there are, for people. */
    @Override
    public String toString() {
      return devices == 0 ? "no device" : devices == 1 ? "1 device" : devices + " devices";
    }
  }

  /**
   * The driver or the device is not there.
   *
   * @param reason a clause for people, such as {@code libcuda.so.1 was not found}
   */
  record Missing(String reason) implements Availability {
    public Missing {
      Objects.requireNonNull(reason, "reason");
    }

    /** The reason, for people. */
    @Override
    public String toString() {
      return "unavailable, because " + reason;
    }
  }
}
