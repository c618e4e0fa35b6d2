// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.device.AllocatorMemory;
import org.arbalest.device.internal.device.GuardedMemory;
import org.arbalest.device.internal.device.MeteredMemoryImpl;

/**
 * Where buffers come from: memory of one kind, on one device. A device's own is {@link Device#memory}; memory that it
 * shares with the CPU {@link Device#hostMemory}; one that keeps what was freed a {@link MemoryPool}; any other is made
 * of a {@link MemoryAllocator}. Safe on any thread.
 */
public sealed interface MemoryManager permits AllocatorMemory, GuardedMemory, MemoryPool, MeteredMemory {
  /**
   * A memory manager of a user's own allocator, such as another library's pool; which must live for as long as a buffer
   * of it.
   */
  static MemoryManager of(Device device, MemoryAllocator allocator) {
    return new AllocatorMemory(device, allocator);
  }

  /** What the buffers are said to be on. */
  Device device();

  /** Whether the CPU can read and write the buffers. */
  boolean isCpuAccessible();

  /**
   * Allocates a buffer of undefined content. The caller owns it. A GPU's memory is aligned to 256 bytes by itself; who
   * wants more than that takes some bytes more, at no other cost.
   *
   * @param bytes the size, not negative
   * @param alignment of its address; a power of two, at most 4096
   * @throws IllegalArgumentException if the size or the alignment is none of these
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code ENOSYS} if the device is opaque
   */
  DeviceBuffer allocate(long bytes, long alignment);

  /** Allocates a buffer aligned to 64 bytes, as the columnar format recommends; see {@link #allocate(long, long)}. */
  default DeviceBuffer allocate(long bytes) {
    return allocate(bytes, 64);
  }

  /**
   * Gives back to the system what is kept of the memory that was freed. That may wait until the device has done all
   * that is queued, and hold up others who use it meanwhile: it is for a moment without work.
   */
  void trim();

  /** How many bytes of freed memory are kept for the next who asks, as far as is known. */
  long keptBytes();

  /**
   * This memory, with a count of what is allocated from the manager returned. Costs a few atomic additions for each
   * allocation.
   */
  default MeteredMemory metered() {
    return MeteredMemoryImpl.of(this, Long.MAX_VALUE);
  }

  /**
   * This memory, of which no more than so many bytes are in buffers at once: an allocation that would exceed them is
   * {@code ENOMEM}. Buffers count by what they take, as {@link MeteredMemory} says.
   *
   * @param limitBytes the most, not negative
   */
  default MeteredMemory limited(long limitBytes) {
    return MeteredMemoryImpl.of(this, limitBytes);
  }

  /**
   * This memory, with somebody who is asked when there is not enough of it for what is allocated from the manager
   * returned (DEV-32). Called once for an allocation that fails, on the thread that allocates, which holds no lock of
   * ours: it may close buffers, trim, wait, and allocate. When it says that it has freed something, the allocation is
   * tried once more; what it allocates itself is not asked for again.
   */
  default MemoryManager withOutOfMemoryHandler(OutOfMemoryHandler handler) {
    return new GuardedMemory(this, handler);
  }
}
