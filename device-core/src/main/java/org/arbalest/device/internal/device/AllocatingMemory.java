// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/** The common interface of all implementations of {@link MemoryManager}: an allocator of a device. */
interface AllocatingMemory {
  long LARGEST_ALIGNMENT = 4096;

  Device device();

  MemoryAllocator allocator();

  /** Returns the queue that orders the use of the memory (DEV-31). Null if any queue may use it at any time. */
  @Nullable
  DeviceQueue orderedBy();

  default DeviceBuffer allocate(long bytes, long alignment) {
    if (bytes < 0)
      throw new IllegalArgumentException("the size of a buffer is not negative, but " + bytes + " was given");
    if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > LARGEST_ALIGNMENT) {
      throw new IllegalArgumentException(
          "an alignment must be a power of two, at most " + LARGEST_ALIGNMENT + ", but is " + alignment);
    }
    return DeviceBufferImpl.allocate(device(), allocator(), orderedBy(), bytes, alignment);
  }

  static MemoryAllocator allocatorOf(MemoryManager memory) {
    return ((AllocatingMemory) memory).allocator();
  }

  static @Nullable DeviceQueue orderOf(MemoryManager memory) {
    return ((AllocatingMemory) memory).orderedBy();
  }
}
