// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import org.arbalest.device.Errno;

/**
 * Where a failure goes that has no way back to a caller: a Throwable that left an upcall would end the process
 * (OWN-11).
 */
public final class Faults {
  private Faults() {}

  /** Logs a failure; throws nothing, not even what the logger throws. */
  public static void report(String what, Throwable failure) {
    try {
      logger().log(Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // Nothing is left that could be told.
    }
  }

  /**
   * Logs what a callback did not foresee, and answers C with an errno. The exports themselves turn what a source throws
   * into a code and a message.
   */
  public static int answer(String call, Throwable failure) {
    report(call, failure);
    return failure instanceof OutOfMemoryError ? Errno.ENOMEM : Errno.EINVAL;
  }

  /** Logs what nobody closed, and where it was made; throws nothing either. */
  public static void leak(String what, Throwable made) {
    try {
      logger().log(Level.ERROR, "LEAK: " + what + " was never closed, made here:", made);
    } catch (Throwable _) {
      // As above.
    }
  }

  /** Logs what may become a failure; throws nothing either. */
  public static void warn(String message) {
    try {
      logger().log(Level.WARNING, message);
    } catch (Throwable _) {
      // As above.
    }
  }

  /** Logs what helps to find a cause, at the level DEBUG; throws nothing either. */
  public static void debug(String message) {
    try {
      logger().log(Level.DEBUG, message);
    } catch (Throwable _) {
      // As above.
    }
  }

  /** Asked for each time, inside a try: a logger finder may throw, and would make this class unusable for good. */
  private static Logger logger() {
    return System.getLogger("org.arbalest.device");
  }
}
