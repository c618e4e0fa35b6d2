// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.internal.management.Management;
import org.arbalest.device.monitoring.MXBeanRegistration;
import org.arbalest.device.monitoring.MemoryPoolMXBean;
import org.jspecify.annotations.Nullable;

/** A {@link BlockCache} with a limit that the application created. See {@link MemoryPool}. */
public final class MemoryPoolImpl implements MemoryPool, AllocatingMemory {
  private final Device device;
  private final long limit;
  private final @Nullable DeviceQueue orderedBy;
  private final BlockCache blocks;

  private MemoryPoolImpl(MemoryManager upstream, long limit) {
    this.device = upstream.device();
    this.limit = limit;
    this.orderedBy = AllocatingMemory.orderOf(upstream);
    this.blocks = new BlockCache(AllocatingMemory.allocatorOf(upstream), toString(), limit, limit, null);
  }

  /** Creates a pool of another memory manager, which must not be a pool. */
  public static MemoryPool of(MemoryManager upstream, long limitBytes) {
    Objects.requireNonNull(upstream, "upstream");
    if (limitBytes < BlockCache.PAGE) throw new IllegalArgumentException(
        "a pool has a limit of at least " + BlockCache.PAGE + " bytes, not " + limitBytes);
    if (upstream instanceof MemoryPool pool) throw new IllegalArgumentException(pool + " is a pool already");
    return new MemoryPoolImpl(upstream, limitBytes);
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public boolean isCpuAccessible() {
    return blocks.isCpuAccessible();
  }

  @Override
  public DeviceBuffer allocate(long bytes, long alignment) {
    return AllocatingMemory.super.allocate(bytes, alignment);
  }

  @Override
  public MemoryAllocator allocator() {
    return blocks;
  }

  @Override
  public @Nullable DeviceQueue orderedBy() {
    return orderedBy;
  }

  @Override
  public Statistics statistics() {
    return blocks.statistics();
  }

  /** Returns the implementation. Every {@link MemoryPool} is an instance of this class. */
  public static MemoryPoolImpl unwrap(MemoryPool memory) {
    return switch (memory) {
      case MemoryPoolImpl made -> made;
    };
  }

  /** See {@link MXBeanRegistration#of(MemoryPool, String)}. */
  public MXBeanRegistration registerMXBean(String name) {
    if (name.isEmpty()) throw new IllegalArgumentException("the name of a pool is empty");
    return Management.register("MemoryPool", name, new PoolBean(this), MemoryPoolMXBean.class);
  }

  @Override
  public void trim() {
    blocks.trim();
  }

  @Override
  public long keptBytes() {
    return blocks.keptBytes();
  }

  @Override
  public void close() {
    blocks.close();
  }

  /** Returns a text that contains the limit and the device. */
  @Override
  public String toString() {
    return "pool of " + limit + " bytes on " + device;
  }
}
