// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.MemoryAllocator;

/** Shared virtual memory of one kind. */
final class SvmMemory implements MemoryAllocator {
  /** The size of OpenCL C's largest type, beyond which clSVMAlloc aligns nothing. */
  private static final long LARGEST_ALIGNMENT = 128;

  private final OpenClDriver driver;
  private final long flags;

  /** Where blocks begin whose address had to be rounded up; few ask for such an alignment. */
  private final Map<Long, Long> blocks = new ConcurrentHashMap<>();

  SvmMemory(OpenClDriver driver, long flags) {
    this.driver = driver;
    this.flags = flags;
  }

  @Override
  public boolean isCpuAccessible() {
    return (flags & Cl.MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    long extra = alignment > LARGEST_ALIGNMENT ? alignment : 0;
    long largest = driver.device().largestAllocation();
    if (bytes > largest - extra) { // some runtimes lose memory rather than refuse
      throw new DeviceException(
          Errno.ENOMEM,
          "clSVMAlloc on " + driver.name() + " was not called: asked for " + bytes + " bytes, but the largest allocation is " + largest
              + " (CL_DEVICE_MAX_MEM_ALLOC_SIZE)");
    }
    long block = Cl.svmAlloc(driver.context(), flags, bytes + extra, (int) Math.min(alignment, LARGEST_ALIGNMENT));
    if (block == 0) {
      throw new DeviceException(Errno.ENOMEM, "clSVMAlloc on " + driver.name() + " failed: NULL, asked for " + bytes + " bytes");
    }
    long address = (block + alignment - 1) & -alignment;
    if (address != block) blocks.put(address, block);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    Long block = blocks.isEmpty() ? null : blocks.remove(address);
    Cl.svmFree(driver.context(), block == null ? address : block);
  }
}
