// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import org.arbalest.device.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/**
 * A driver whose memory comes from an allocator. It is for hardware with several kinds of memory: in Arrow, each kind
 * is a device of its own, and all of them have the same queues.
 */
public abstract class MemoryDriver implements DeviceDriver {
  private final MemoryAllocator memory;
  private final @Nullable HostMemory hostMemory;

  /**
   * Creates a driver of one kind of memory.
   *
   * @param memory the allocator of this device's own memory
   * @param hostMemory see {@link DeviceDriver#hostMemory}
   */
  protected MemoryDriver(MemoryAllocator memory, @Nullable HostMemory hostMemory) {
    this.memory = memory;
    this.hostMemory = hostMemory;
  }

  @Override
  public final boolean isCpuAccessible() {
    return memory.isCpuAccessible();
  }

  @Override
  public final long allocate(long bytes, long alignment) {
    return memory.allocate(bytes, alignment);
  }

  @Override
  public final void free(long address, long bytes) {
    memory.free(address, bytes);
  }

  @Override
  public final long alignment() {
    return memory.alignment();
  }

  @Override
  public final long cacheBytes() {
    return memory.cacheBytes();
  }

  @Override
  public final boolean isReusable(long address, long bytes) {
    return memory.isReusable(address, bytes);
  }

  @Override
  public final long keptBytes() {
    return memory.keptBytes();
  }

  @Override
  public final void trim() {
    memory.trim();
  }

  @Override
  public final @Nullable HostMemory hostMemory() {
    return hostMemory;
  }

  /** Returns whether this driver's memory comes from an allocator. */
  protected final boolean isFrom(MemoryAllocator allocator) {
    return memory.equals(allocator);
  }
}
