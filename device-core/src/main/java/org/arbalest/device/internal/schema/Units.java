// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.schema;

import org.arbalest.device.types.ArrowTimeUnit;

/** Conversion factors between units of time. */
public final class Units {
  public static final long NANOS_PER_SECOND = 1_000_000_000;
  public static final long MILLIS_PER_DAY = perDay(ArrowTimeUnit.MILLISECOND);

  private Units() {}

  public static long perSecond(ArrowTimeUnit unit) {
    return switch (unit) {
      case SECOND -> 1;
      case MILLISECOND -> 1_000;
      case MICROSECOND -> 1_000_000;
      case NANOSECOND -> NANOS_PER_SECOND;
    };
  }

  public static long perDay(ArrowTimeUnit unit) {
    return 86_400 * perSecond(unit);
  }
}
