// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.System.Logger.Level;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.spi.Callback;

/**
 * Gives events back.
 *
 * <p>PoCL locks an event of a command that failed because another did once more after it let go of it, and ends the process if nobody else holds
 * it. So there every command has an event that we hold, which is given back when it has succeeded, and one that failed never is: a few
 * hundred bytes for each command of a queue that failed.
 */
final class ClEvents {
  private final OpenClDriver driver;

  /** Whether events must be held; the address of our callback then. */
  private final long releaseIfDone;

  ClEvents(OpenClDriver driver, boolean areHeld) {
    this.driver = driver;
    this.releaseIfDone = areHeld ? Stub.ADDRESS : 0;
  }

  /** Made when it is needed, once. */
  private static final class Stub {
    static final long ADDRESS =
        Callback.stub(MethodHandles.lookup(), "releaseIfDone", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

    private Stub() {}

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by its name; the signature is OpenCL's
    private static void releaseIfDone(long event, int status, long userData) {
      try {
        if (status == Cl.COMPLETE) Cl.releaseEvent(event);
      } catch (Throwable t) { // escaping an upcall ends the VM
        System.getLogger("org.arbalest.device.opencl").log(Level.ERROR, "releasing an event failed", t);
      }
    }
  }

  /** Where a command that nobody waits for is to put its event, or 0 if it needs none. */
  long place() {
    if (releaseIfDone == 0) return 0;
    MemorySegment scratch = Cl.scratch();
    return scratch.address() + Long.BYTES;
  }

  /** The command is queued: its event, if there is one, goes back by itself. */
  void placed(long place) {
    if (place != 0) releaseWhenDone(Cl.scratch().get(JAVA_LONG, Long.BYTES));
  }

  /** Gives an event back that nobody here uses any more. */
  void destroy(long event) {
    if (releaseIfDone == 0) {
      driver.check(Cl.releaseEvent(event), "clReleaseEvent");
      return;
    }
    int status = driver.status(event);
    if (status == Cl.COMPLETE) {
      driver.check(Cl.releaseEvent(event), "clReleaseEvent");
    } else if (status > Cl.COMPLETE) {
      releaseWhenDone(event);
    }
  }

  private void releaseWhenDone(long event) {
    driver.check(Cl.setEventCallback(event, Cl.COMPLETE, releaseIfDone, 0), "clSetEventCallback");
  }
}
