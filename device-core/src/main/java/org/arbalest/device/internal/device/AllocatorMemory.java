// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/** A memory manager that gets its memory from an allocator. */
public final class AllocatorMemory implements MemoryManager, AllocatingMemory {
  private final Device device;
  private final MemoryAllocator allocator;

  /** Creates a memory manager of a device. */
  public AllocatorMemory(Device device, MemoryAllocator allocator) {
    this.device = Objects.requireNonNull(device, "device");
    this.allocator = Objects.requireNonNull(allocator, "allocator");
  }

  /** Returns a device's own memory. A cache keeps the freed memory if the allocator wants one. */
  static AllocatorMemory of(Device device, MemoryAllocator allocator) {
    boolean isPlain = device.type().code() == 1 && allocator.cacheBytes() == 0; // the CPU, without more classes
    return new AllocatorMemory(device, isPlain ? allocator : DeviceCaches.around(device, allocator));
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public boolean isCpuAccessible() {
    return allocator.isCpuAccessible();
  }

  @Override
  public DeviceBuffer allocate(long bytes, long alignment) {
    return AllocatingMemory.super.allocate(bytes, alignment);
  }

  @Override
  public MemoryAllocator allocator() {
    return allocator;
  }

  @Override
  public @Nullable DeviceQueue orderedBy() {
    return allocator instanceof QueueAllocator ordered ? ordered.queue() : null;
  }

  @Override
  public void trim() {
    allocator.trim();
    IdlePeriod.hurry(); // also the deferred calls of other memory managers
  }

  @Override
  public long keptBytes() {
    return allocator.keptBytes();
  }

  /** Returns a name like {@code memory of CUDA:0}. */
  @Override
  public String toString() {
    return "memory of " + device;
  }
}
