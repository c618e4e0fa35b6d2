// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/** A piece of memory and the duty to free it. Each buffer in this memory has one reference to the allocation. */
final class Allocation extends Shared {
  private final Device device;
  private final @Nullable MemoryAllocator allocator;
  private final @Nullable Runnable onFree;
  final long address;
  private final long size;

  /**
   * The address that the allocator returned. The block is larger than the requested size if the allocator's own
   * alignment is smaller than the requested one.
   */
  private final long block;

  private final long blockSize;

  /** The queue that orders the use of the memory. Null if any queue may use it at any time. */
  final @Nullable DeviceQueue orderedBy;

  private Allocation(Device device, MemoryAllocator allocator, @Nullable DeviceQueue orderedBy, long address, long size,
      long block, long blockSize) {
    this.device = device;
    this.allocator = allocator;
    this.onFree = null;
    this.address = address;
    this.size = size;
    this.block = block;
    this.blockSize = blockSize;
    this.orderedBy = orderedBy;
    count();
  }

  private Allocation(Device device, long address, long size, @Nullable Runnable onFree) {
    this.device = device;
    this.allocator = null;
    this.onFree = onFree;
    this.address = address;
    this.size = size;
    this.block = address;
    this.blockSize = size;
    this.orderedBy = null;
    count();
  }

  private void count() {
    Counts.BUFFERS.increment();
    Counts.BUFFER_BYTES.add(size);
  }

  static Allocation allocate(Device device, MemoryAllocator allocator, @Nullable DeviceQueue orderedBy, long size,
      long alignment) {
    long given = allocator.alignment();
    long bytes = Math.max(size, 1) + Math.max(0, alignment - given);
    long block = allocator.allocate(Math.max(bytes, size), Math.min(alignment, given));
    return new Allocation(device, allocator, orderedBy, (block + alignment - 1) & -alignment, size, block, bytes);
  }

  /** Wraps memory of another owner. When the last reference is released, {@code onFree} notifies the owner. */
  static Allocation wrap(Device device, long address, long size, @Nullable Runnable onFree) {
    return new Allocation(device, address, size, onFree);
  }

  /** Frees the memory. A driver's failure is only reported, because other objects still have memory to free. */
  @Override
  protected void free() {
    try {
      if (allocator != null) allocator.free(block, blockSize);
      if (onFree != null) onFree.run();
      Counts.BUFFERS.decrement();
      Counts.BUFFER_BYTES.add(-size);
    } catch (Throwable t) {
      Faults.report("freeing " + size + " bytes on " + device, t);
    }
  }
}
