// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import org.arbalest.device.Errno;

/** Logs failures that cannot reach a caller: a Throwable that leaves an upcall would end the process (OWN-11). */
public final class Faults {
  private Faults() {}

  /** Logs a failure. Throws nothing, not even what the logger throws. */
  public static void report(String what, Throwable failure) {
    try {
      logger().log(Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // Nothing is left that could report this.
    }
  }

  /**
   * Logs an unexpected failure of a callback, and returns an errno for the native caller. Failures of a source do not
   * come here: the exports convert them into a code and a message.
   */
  public static int answer(String call, Throwable failure) {
    report(call, failure);
    return failure instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EINVAL;
  }

  /** Logs a handle that was never closed, and the place where it was made. Throws nothing. */
  public static void leak(String what, Throwable made) {
    try {
      logger().log(Level.ERROR, "LEAK: " + what + " was never closed, created here:", made);
    } catch (Throwable _) {
      // As in report.
    }
  }

  /** Logs a possible cause of a later failure. Throws nothing. */
  public static void warn(String message) {
    try {
      logger().log(Level.WARNING, message);
    } catch (Throwable _) {
      // As in report.
    }
  }

  /** Logs a hint for finding a cause, at the level DEBUG. Throws nothing. */
  public static void debug(String message) {
    try {
      logger().log(Level.DEBUG, message);
    } catch (Throwable _) {
      // As in report.
    }
  }

  /**
   * Looks the logger up each time, inside a try block: a logger finder may throw, and from a static initializer the
   * exception would make this class unusable for good.
   */
  private static Logger logger() {
    return System.getLogger("org.arbalest.device");
  }
}
