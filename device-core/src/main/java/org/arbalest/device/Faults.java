package org.arbalest.device;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/** Where a failure goes that has no way back to a caller: a Throwable that left an upcall would end the process (OWN-11). */
final class Faults {
  private static final Logger LOG = System.getLogger("org.arbalest.device");

  private Faults() {}

  /** Logs a failure; throws nothing, not even what the logger throws. */
  static void report(String what, Throwable failure) {
    try {
      LOG.log(Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // Nothing is left that could be told.
    }
  }

  static void warn(String message) {
    try {
      LOG.log(Level.WARNING, message);
    } catch (Throwable _) {
      // As above.
    }
  }
}
