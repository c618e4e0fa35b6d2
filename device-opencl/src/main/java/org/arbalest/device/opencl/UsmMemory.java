// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.MemoryAllocator;

/** Unified shared memory of one kind. Core frees it after its last use, so freeing does not wait. */
final class UsmMemory implements MemoryAllocator {
  private final OpenClDriver driver;
  private final Usm usm;
  private final UnifiedMemory kind;

  UsmMemory(OpenClDriver driver, Usm usm, UnifiedMemory kind) {
    this.driver = driver;
    this.usm = usm;
    this.kind = kind;
  }

  @Override
  public boolean isCpuAccessible() {
    return kind != UnifiedMemory.DEVICE;
  }

  @Override
  public long alignment() {
    return OpenClDriver.LARGEST_ALIGNMENT;
  }

  @Override
  public long allocate(long bytes, long alignment) {
    String function = Usm.allocator(kind);
    driver.checkSize(function, bytes);
    MemorySegment scratch = Cl.scratch();
    scratch.set(JAVA_INT, 0, 0);
    long address =
        usm.allocate(kind, driver.context(), driver.device().id(), bytes, (int) alignment, scratch.address());
    if (address == 0) throw driver.error(function, scratch.get(JAVA_INT, 0), bytes + " bytes");
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    driver.check(usm.free(driver.context(), address), "clMemFreeINTEL", bytes);
  }
}
