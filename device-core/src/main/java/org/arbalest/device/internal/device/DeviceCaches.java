// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CopyOnWriteArrayList;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.internal.management.Management;

/**
 * The caches of devices' memory whose frees wait for the device. They live as long as the process, like the devices.
 */
final class DeviceCaches {
  /**
   * A cache and its device's id. Types of memory with the same id belong to one GPU, or are main memory that is pinned
   * for it.
   */
  private record Cache(long id, BlockCache blocks) {}

  private static final CopyOnWriteArrayList<Cache> ALL = new CopyOnWriteArrayList<>();

  /**
   * The common limit of all caches in main memory. A GPU's memory says nothing about the size of main memory, which all
   * caches share. Main memory also has no {@code ENOMEM}: using too much of it ends the process.
   */
  private static final class InMainMemory {
    /** The caches may keep this fraction (1/16) of main memory. */
    static final int PART = 16;

    static final CacheLimit KEPT = new CacheLimit(Management.mainMemory() / PART);
  }

  private DeviceCaches() {}

  /** Returns the allocator that is used in place of a device's own allocator. This is called once for each of them. */
  static MemoryAllocator around(Device device, MemoryAllocator allocator) {
    MemoryAllocator own = allocator;
    if (allocator.cacheBytes() > 0) {
      CacheLimit together = allocator.isCpuAccessible() ? InMainMemory.KEPT : null;
      BlockCache blocks =
          new BlockCache(allocator, "cache of " + device, Long.MAX_VALUE, allocator.cacheBytes(), together);
      ALL.add(new Cache(device.id(), blocks));
      own = blocks;
    }
    return device.type().code() == 1 ? own : new LastResort(device.id(), own, false);
  }

  /** Returns an allocator that keeps no freed memory and frees it in an idle period. */
  static MemoryAllocator withoutCache(Device device, MemoryAllocator allocator) {
    return new LastResort(device.id(), allocator, true);
  }

  /** Releases the kept blocks of all caches with one id. Returns whether any bytes were released. */
  private static boolean empty(long id) {
    long bytes = 0;
    for (Cache cache : ALL) {
      if (cache.id == id) bytes += cache.blocks.empty();
    }
    IdlePeriod.hurry();
    return bytes > 0;
  }

  /**
   * An allocator that tries a second time after all kept memory was released, including the GPU's other types of
   * memory.
   */
  private record LastResort(long id, MemoryAllocator source, boolean freesWhenIdle) implements MemoryAllocator {
    @Override
    public boolean isCpuAccessible() {
      return source.isCpuAccessible();
    }

    @Override
    public long alignment() {
      return source.alignment();
    }

    @Override
    public long allocate(long bytes, long alignment) {
      long steps = IdlePeriod.steps();
      try {
        return source.allocate(bytes, alignment);
      } catch (DeviceException e) {
        if (e.errno() != Errno.ENOMEM || (!empty(id) && steps == IdlePeriod.steps())) throw e;
        return source.allocate(bytes, alignment);
      }
    }

    @Override
    public boolean isReusable(long address, long bytes) {
      return source.isReusable(address, bytes);
    }

    @Override
    public void free(long address, long bytes) {
      if (freesWhenIdle) {
        IdlePeriod.await(() -> freeNow(address, bytes));
      } else {
        source.free(address, bytes);
      }
    }

    private boolean freeNow(long address, long bytes) {
      source.free(address, bytes);
      return true;
    }

    @Override
    public void trim() {
      source.trim();
    }

    @Override
    public long keptBytes() {
      return source.keptBytes();
    }
  }
}
