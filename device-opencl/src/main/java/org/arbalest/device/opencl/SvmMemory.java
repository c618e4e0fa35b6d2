// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;

/** Shared virtual memory of one kind. */
final class SvmMemory implements MemoryAllocator {
  private final OpenClDriver driver;
  private final long flags;

  SvmMemory(OpenClDriver driver, long flags) {
    this.driver = driver;
    this.flags = flags;
  }

  @Override
  public boolean isCpuAccessible() {
    return (flags & Cl.MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  }

  /** Returns the size of OpenCL C's largest type, in bytes: clSVMAlloc supports no larger alignment. */
  @Override
  public long alignment() {
    return OpenClDriver.LARGEST_ALIGNMENT;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    driver.checkSize("clSVMAlloc", bytes);
    long address = Cl.svmAlloc(driver.context(), flags, bytes, (int) alignment);
    if (address == 0) {
      throw new DeviceException(Errno.ENOMEM,
          "clSVMAlloc on " + driver.name() + " failed: NULL, asked for " + bytes + " bytes");
    }
    driver.blocks().add(address, bytes);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    driver.blocks().remove(address);
    Cl.svmFree(driver.context(), address);
  }
}
