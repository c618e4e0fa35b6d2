// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import org.arbalest.device.internal.build.BatchBuilderImpl;
import org.arbalest.device.internal.device.AllocatorMemory;
import org.arbalest.device.spi.MemoryAllocator;

/**
 * Where buffers come from: memory of one kind, on one device. A device's own is {@link Device#memory}; memory that it shares with the CPU
 * {@link Device#hostMemory}; one that keeps what was freed a {@link MemoryPool}; any other is made of a {@link MemoryAllocator}. Safe on any
 * thread.
 */
public sealed interface MemoryManager permits AllocatorMemory, MemoryPool {
  /** A memory manager of a user's own allocator, such as another library's pool; which must live for as long as a buffer of it. */
  static MemoryManager of(Device device, MemoryAllocator allocator) {
    return new AllocatorMemory(device, allocator);
  }

  /** What the buffers are said to be on. */
  Device device();

  /** Whether the CPU can read and write the buffers. */
  boolean isCpuAccessible();

  /**
   * Allocates a buffer of undefined content. The caller owns it.
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
   * Starts a batch that is built in this memory. Where the CPU cannot write, it is built in memory that it can, and copied by the device's
   * default stream when it is complete. The caller owns the builder.
   *
   * @param rows the number of rows of every column
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  default BatchBuilder batchBuilder(int rows) {
    return new BatchBuilderImpl(this, rows);
  }

  /** Starts a batch whose columns turn out to have some number of rows, the same for all; else see {@link #batchBuilder(int)}. */
  default BatchBuilder batchBuilder() {
    return new BatchBuilderImpl(this);
  }
}
