// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.spi.MemoryAllocator;

/** Memory straight from an allocator. */
public final class AllocatorMemory implements MemoryManager {
  private static final long LARGEST_ALIGNMENT = 4096;

  private final Device device;
  private final MemoryAllocator allocator;

  public AllocatorMemory(Device device, MemoryAllocator allocator) {
    this.device = Objects.requireNonNull(device, "device");
    this.allocator = Objects.requireNonNull(allocator, "allocator");
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
    check(bytes, alignment);
    return DeviceBufferImpl.allocate(device, allocator, bytes, alignment);
  }

  static void check(long bytes, long alignment) {
    if (bytes < 0) throw new IllegalArgumentException("the size of a buffer is not negative, but " + bytes + " was given");
    if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > LARGEST_ALIGNMENT) {
      throw new IllegalArgumentException("an alignment is a power of two, at most " + LARGEST_ALIGNMENT + ", but " + alignment + " was given");
    }
  }

  MemoryAllocator allocator() {
    return allocator;
  }

  /** Such as {@code memory of CUDA:0}. */
  @Override
  public String toString() {
    return "memory of " + device;
  }
}
