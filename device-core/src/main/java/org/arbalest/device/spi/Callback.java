// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles.Lookup;
import org.arbalest.device.internal.exit.ExitGuard;

/** A backend's own C functions, for what its runtime calls back and {@link Completion} does not serve. */
public final class Callback {
  private Callback() {}

  /**
   * The address of a C function that calls a static method. It is there for the life of the process: make one of each
   * kind, and let an argument say what it is for.
   *
   * <p>C may call it on any thread, also on one that the JVM has never seen. The method throws nothing: that would end
   * the process (OWN-11).
   *
   * <p>When the JVM is over and the process still ends, a driver that calls the function gets 0 or NULL at once, and
   * the method is not called; and a driver that joins the thread in a static destructor does not hang (OWN-10, OWN-17).
   * That holds for HotSpot 25 to 27 on Linux, x86-64 and aarch64, and for the first twelve functions that the backends
   * of a process make. Otherwise C gets an upcall stub of the JDK, which must not be called after the JVM has ended:
   * such a call blocks, or aborts the process.
   *
   * @param lookup of the class that has the method, which may be private
   * @param method the method's name
   * @param type what C takes it for; returns nothing, a whole number or a pointer
   * @throws IllegalArgumentException if there is no such method, or if it returns something else
   */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type) {
    return ExitGuard.stub(lookup, method, type);
  }
}
