// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/**
 * A read of a mapped file at a page that no longer exists. It ends the process in native code, and is an
 * {@link InternalError} in Java.
 */
public final class MappedFault {
  private static final Object LOCK = new Object();

  private MappedFault() {}

  /** Throws the error of an earlier read by this thread: the JVM does so only at the next return of native code. */
  public static void settle() {
    boolean _ = Thread.holdsLock(LOCK);
  }

  /** Returns the exception for the JVM's error about such a read. Throws every other error. */
  public static DeviceException of(InternalError e) {
    if (!String.valueOf(e.getMessage()).contains("unsafe memory access")) throw e;
    return new DeviceException(Errno.EIO,
        "cannot read bytes of a mapped file, which became shorter; do not change files"
            + " while they are open, or read them with IpcReadOptions.withMemory",
        e);
  }
}
