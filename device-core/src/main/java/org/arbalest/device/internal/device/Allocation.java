// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/** A piece of memory and the duty to free it, held by the buffers that lie in it. */
final class Allocation extends Shared {
  private final Device device;
  private final @Nullable MemoryAllocator allocator;
  private final @Nullable Runnable onFree;
  final long address;
  private final long size;

  private Allocation(Device device, @Nullable MemoryAllocator allocator, @Nullable Runnable onFree, long address, long size) {
    this.device = device;
    this.allocator = allocator;
    this.onFree = onFree;
    this.address = address;
    this.size = size;
    Counts.BUFFERS.increment();
    Counts.BUFFER_BYTES.add(size);
  }

  static Allocation allocate(Device device, MemoryAllocator allocator, long size, long alignment) {
    return new Allocation(device, allocator, null, allocator.allocate(Math.max(size, 1), alignment), size);
  }

  /** Somebody else's memory, who is told when we are done with it. */
  static Allocation wrap(Device device, long address, long size, @Nullable Runnable onFree) {
    return new Allocation(device, null, onFree, address, size);
  }

  /** What the driver fails with is reported, since others still have theirs to free. */
  @Override
  protected void free() {
    try {
      if (allocator != null) allocator.free(address, Math.max(size, 1));
      if (onFree != null) onFree.run();
      Counts.BUFFERS.decrement();
      Counts.BUFFER_BYTES.add(-size);
    } catch (Throwable t) {
      Faults.report("freeing " + size + " bytes on " + device, t);
    }
  }
}
