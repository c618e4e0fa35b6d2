// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CopyOnWriteArrayList;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.internal.management.Management;

/** The caches of devices' memory whose frees wait for the device. They stay as long as the process, as devices do. */
final class DeviceCaches {
  /** With the devices' ids: kinds of memory of one id are one GPU's, or main memory that is pinned for it. */
  private record Cache(long id, BlockCache blocks) {}

  private static final CopyOnWriteArrayList<Cache> ALL = new CopyOnWriteArrayList<>();

  /**
   * A GPU's memory says nothing of how much main memory there is, for all of them; and that has no ENOMEM: too much of
   * it ends the process.
   */
  private static final class InMainMemory {
    /** This part of all. */
    static final int PART = 16;

    static final CacheLimit KEPT = new CacheLimit(Management.mainMemory() / PART);
  }

  private DeviceCaches() {}

  /** What allocates and frees instead of an allocator of a device, to be made once for each. */
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

  /** Memory that is never kept for the next who asks, and freed while no device has work. */
  static MemoryAllocator withoutCache(Device device, MemoryAllocator allocator) {
    return new LastResort(device.id(), allocator, true);
  }

  /** Gives back what the caches of one id keep: whether that was something. */
  private static boolean empty(long id) {
    long bytes = 0;
    for (Cache cache : ALL) {
      if (cache.id == id) bytes += cache.blocks.empty();
    }
    IdlePeriod.hurry();
    return bytes > 0;
  }

  /** Asks again when all that is kept, of the GPU's other kinds of memory too, was given back. */
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
