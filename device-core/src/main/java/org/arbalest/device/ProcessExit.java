// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.exit.ExitGuard;

/** How to leave a process in which native threads may be calling back. */
public final class ProcessExit {
  private ProcessExit() {}

  /**
   * Ends the process like {@link System#exit}: all shutdown hooks run, and then the JVM is over. But no {@code atexit}
   * handler and no static destructor of a native library runs after that, nor are the buffers of C's {@code stdio}
   * written: the process is gone at once.
   *
   * <p>If the JVM is already shutting down, by {@link System#exit} on another thread or by a signal, that goes on as it
   * began, with its exit code, and this waits for the end.
   *
   * <p>For processes that must end although a library's thread may be in a callback at that moment, in a source that
   * blocks, say: such a thread never returns from a JVM that is over, so a library that joins it in its destructor
   * waits for good. What only called back before does not need this. Never returns normally. Where the C library has no
   * {@code __cxa_atexit}, as on Windows, whose libraries cannot wait for threads there, it is {@code System.exit}.
   *
   * @param status the exit code
   */
  public static void exit(int status) {
    if (NativeAccess.isEnabled()) ExitGuard.endAtOnce(status); // else nobody in C knows of us
    Runtime.getRuntime().exit(status);
  }
}
