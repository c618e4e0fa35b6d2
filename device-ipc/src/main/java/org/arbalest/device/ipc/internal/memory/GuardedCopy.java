// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;

/**
 * A copy of memory that may be of a mapped file, for native code. A page that no longer exists ends the process in
 * native code, and is an error in Java.
 */
public final class GuardedCopy {
  private static final Object LOCK = new Object();

  private GuardedCopy() {}

  /**
   * Returns a copy, which the caller closes.
   *
   * @param memory the memory of the copy
   * @throws DeviceException with {@code EIO} if the memory is of a mapped file that became shorter
   */
  public static DeviceBuffer of(MemorySegment source, MemoryManager memory) {
    long size = source.byteSize();
    DeviceBuffer copy = memory.allocate(Math.max(1, size));
    try {
      MemorySegment.copy(source, 0, NativeMemory.segment(copy.address(), size), 0, size);
      // the JVM throws the error of a missing page not at once, but at the next return of native code
      boolean _ = Thread.holdsLock(LOCK);
      return copy;
    } catch (InternalError e) {
      copy.close();
      throw new DeviceException(Errno.EIO, "cannot read " + size + " bytes of a mapped file, which became shorter; do"
          + " not change files while they are open, or read them with IpcReadOptions.withMemory", e);
    } catch (Throwable t) {
      copy.close();
      throw t;
    }
  }
}
