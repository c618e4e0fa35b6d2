// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.exit.ExitGuard;

/** A way to end a process in which native threads may be calling Java. Any thread may call it. */
public final class ProcessExit {
  private ProcessExit() {}

  /**
   * Ends the process as {@link System#exit} does: all shutdown hooks run, and then the JVM ends. After that, no
   * {@code atexit} handler and no static destructor of a native library runs, and the buffers of C's {@code stdio} are
   * not written: the process ends immediately. Never returns normally.
   *
   * <p>If the JVM is already shutting down, by {@link System#exit} on another thread or by a signal, that shutdown goes
   * on with its own exit code, and this call waits for the end.
   *
   * <p>Use this method if the process must end although a library's thread may be in a callback at that moment, for
   * example in a source that blocks. Such a thread never returns from a JVM that has ended. A library that joins the
   * thread in its destructor then waits forever. Threads whose callbacks have returned do not need this method.
   *
   * <p>If the C library has no {@code __cxa_atexit}, this method is {@code System.exit}. That is the case on Windows,
   * where libraries cannot wait for threads at that time.
   *
   * @param status the exit code
   */
  public static void exit(int status) {
    if (NativeAccess.isEnabled()) ExitGuard.endAtOnce(status); // otherwise no native code can call back
    Runtime.getRuntime().exit(status);
  }
}
