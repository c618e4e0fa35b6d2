// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.MemorySegment;

/** A GPU's memory that other processes can open by a fabric handle. It is created and mapped for that purpose. */
final class FabricMemory extends ShareableMemory {
  private final Mappings mappings;

  FabricMemory(Gpu gpu, Mappings mappings) {
    super(gpu, Cu.MEM_CREATE);
    this.mappings = mappings;
  }

  @Override
  int tryAllocate(MemorySegment out, long bytes) {
    return mappings.tryCreate(out, bytes);
  }

  @Override
  int freeBlock(long address, long bytes) {
    return mappings.free(address, bytes);
  }
}
