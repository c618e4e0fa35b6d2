// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.adbc.AdbcException;

/** The failure of an attempt to connect: whether another attempt may succeed, and when it is made. */
final class ConnectFailure {
  private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

  private ConnectFailure() {}

  /**
   * Returns whether the failure may pass: the server is away, starts, stops or has too many connections. SQLSTATE
   * decides. Without one, the status does, since PostgreSQL's driver reports each failure to connect as IO.
   */
  static boolean mayPass(Throwable failure) {
    if (!(failure instanceof AdbcException e)) return false;
    if (e.sqlState().isEmpty()) {
      return switch (e.status()) {
        case IO, TIMEOUT, UNKNOWN -> true;
        default -> false;
      };
    }
    return switch (e.sqlState()) {
      case "53300", "57P01", "57P02", "57P03" -> true;
      case String state -> state.startsWith("08");
    };
  }

  /** Returns the pause after this number of failures in a row: each is twice as long, up to half a second. */
  static long pauseNanos(int failures) {
    return Math.min(FIRST_PAUSE << Math.min(failures - 1, 10), LONGEST_PAUSE);
  }
}
