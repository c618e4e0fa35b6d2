// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryManager;

/** A copy of memory that may be of a mapped file, for native code, which would end the process; see MappedFault. */
public final class GuardedCopy {
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
      MappedFault.settle();
      return copy;
    } catch (InternalError e) {
      copy.close();
      throw MappedFault.of(e);
    } catch (Throwable t) {
      copy.close();
      throw t;
    }
  }
}
