// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;

/**
 * The answer to whether a kind of device has a working driver: {@link Ready} or {@link Missing}. An immutable value,
 * which any thread may use. A missing device is an answer, never an exception (DEV-13).
 */
public sealed interface Availability {
  /**
   * A driver that works. It may report 0 devices: then no device of this kind can be used.
   *
   * @param devices the number of devices, from 0 to 65,536; a driver that reports another number counts as missing
   */
  record Ready(int devices) implements Availability {
    /** Returns the number of devices, for people. */
    @Override
    public String toString() {
      return devices == 0 ? "no device" : devices == 1 ? "1 device" : devices + " devices";
    }
  }

  /**
   * A missing driver or device.
   *
   * @param reason a clause for people, such as {@code libcuda.so.1 was not found}
   */
  record Missing(String reason) implements Availability {
    /** Creates the answer; rejects null. */
    public Missing {
      Objects.requireNonNull(reason, "reason");
    }

    /** Returns the reason, for people. */
    @Override
    public String toString() {
      return "unavailable, because " + reason;
    }
  }
}
