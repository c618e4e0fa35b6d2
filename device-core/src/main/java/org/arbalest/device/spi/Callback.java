// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles.Lookup;
import org.arbalest.device.internal.exit.ExitGuard;

/** A factory of C functions for a backend whose runtime makes callbacks that {@link Completion} does not cover. */
public final class Callback {
  private Callback() {}

  /**
   * Creates a C function that calls a static method, and returns its address. The function exists for the life of the
   * process: create one of each kind, and use an argument to distinguish the calls.
   *
   * <p>Native code may call it on any thread, also on a thread that the JVM does not know. The method must not throw:
   * an exception ends the process (OWN-11).
   *
   * <p>The JVM may end before the process does. A driver that then calls the function gets 0 or NULL at once, and the
   * method does not run. A driver that joins the calling thread in a static destructor does not hang (OWN-10, OWN-17).
   * Both hold for HotSpot 25 to 27 on Linux, x86-64 and aarch64, and for the first twelve functions that the backends
   * of a process create. In all other cases the address is that of a JDK upcall stub. Native code must not call such a
   * stub after the JVM has ended: the call blocks, or aborts the process.
   *
   * @param lookup a lookup on the class that has the method; the method may be private
   * @param method the method's name
   * @param type the C function's type; it returns nothing, an integer or a pointer
   * @throws IllegalArgumentException if the class has no such method, or if the method returns another type
   */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type) {
    return ExitGuard.stub(lookup, method, type);
  }
}
