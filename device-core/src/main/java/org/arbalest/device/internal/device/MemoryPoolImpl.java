// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.ArrayDeque;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MXBeanRegistration;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.MemoryPoolMXBean;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.management.Management;
import org.arbalest.device.spi.MemoryAllocator;

/** Blocks that were freed, by size, and how much of the limit they take. See {@link MemoryPool}. */
public final class MemoryPoolImpl implements MemoryPool {
  private static final long PAGE = 4096;

  private final AllocatorMemory upstream;
  private final MemoryAllocator source;
  private final MemoryAllocator blocks = new Blocks();
  private final long limit;

  /** The free blocks by their size. */
  private final TreeMap<Long, ArrayDeque<Long>> kept = new TreeMap<>();

  private long live;
  private long cached;
  private long peak;
  private long hits;
  private long misses;
  private long evictions;
  private boolean closed;

  private MemoryPoolImpl(AllocatorMemory upstream, long limit) {
    this.upstream = upstream;
    this.source = upstream.allocator();
    this.limit = limit;
  }

  public static MemoryPool of(MemoryManager upstream, long limitBytes) {
    Objects.requireNonNull(upstream, "upstream");
    if (limitBytes < PAGE) throw new IllegalArgumentException("a pool has a limit of at least " + PAGE + " bytes, not " + limitBytes);
    return switch (upstream) {
      case AllocatorMemory memory -> new MemoryPoolImpl(memory, limitBytes);
      case MemoryPool pool -> throw new IllegalArgumentException(pool + " is a pool already");
    };
  }

  @Override
  public Device device() {
    return upstream.device();
  }

  @Override
  public boolean isCpuAccessible() {
    return upstream.isCpuAccessible();
  }

  @Override
  public DeviceBuffer allocate(long bytes, long alignment) {
    AllocatorMemory.check(bytes, alignment);
    return DeviceBufferImpl.allocate(device(), blocks, bytes, alignment);
  }

  @Override
  public synchronized Statistics statistics() {
    return new Statistics(live, cached, peak, limit, hits, misses, evictions);
  }

  @Override
  public MXBeanRegistration registerMXBean(String name) {
    if (name.isEmpty()) throw new IllegalArgumentException("the name of a pool is empty");
    return Management.register("MemoryPool", name, new PoolBean(this), MemoryPoolMXBean.class);
  }

  @Override
  public synchronized void trim() {
    evict(cached);
  }

  @Override
  public synchronized void close() {
    closed = true;
    evict(cached);
  }

  private synchronized long take(long bytes) {
    if (closed) throw new IllegalStateException("the pool was closed");
    long size = blockSize(bytes);
    if (size > limit - live) {
      throw new DeviceException(Errno.ENOMEM, "the " + this + " is full: ENOMEM, asked for " + bytes + " bytes, and " + live + " are in use");
    }
    long address;
    ArrayDeque<Long> free = kept.get(size);
    if (free != null) {
      address = free.pop();
      if (free.isEmpty()) kept.remove(size);
      cached -= size;
      hits++;
    } else {
      evict(live + cached + size - limit);
      address = allocateBlock(size);
      misses++;
    }
    live += size;
    peak = Math.max(peak, live);
    return address;
  }

  /** The device may lack the room that what is kept takes up. */
  private long allocateBlock(long size) {
    try {
      return source.allocate(size, PAGE);
    } catch (DeviceException e) {
      if (e.errno() != Errno.ENOMEM || cached == 0) throw e;
      evict(cached);
      return source.allocate(size, PAGE);
    }
  }

  private synchronized void give(long address, long bytes) {
    long size = blockSize(bytes);
    live -= size;
    if (closed) {
      source.free(address, size);
      return;
    }
    kept.computeIfAbsent(size, _ -> new ArrayDeque<>()).push(address);
    cached += size;
  }

  /** Gives back the largest blocks until so many bytes have gone. */
  private void evict(long bytes) {
    long left = bytes;
    while (left > 0) {
      Map.Entry<Long, ArrayDeque<Long>> largest = kept.lastEntry();
      if (largest == null) return;
      long size = largest.getKey();
      long address = largest.getValue().pop();
      if (largest.getValue().isEmpty()) kept.remove(size);
      cached -= size;
      left -= size;
      evictions++;
      source.free(address, size);
    }
  }

  /** Rounded up to a page, or to a quarter of the power of two below. */
  static long blockSize(long bytes) {
    long step = Math.max(PAGE, Long.highestOneBit(Math.max(bytes - 1, 1)) >>> 2);
    long size = (bytes + step - 1) & -step;
    return size < bytes ? bytes : size;
  }

  private final class Blocks implements MemoryAllocator {
    @Override
    public boolean isCpuAccessible() {
      return source.isCpuAccessible();
    }

    @Override
    public long allocate(long bytes, long alignment) {
      return take(bytes);
    }

    @Override
    public void free(long address, long bytes) {
      give(address, bytes);
    }
  }

  /** The device and the limit. */
  @Override
  public String toString() {
    return "pool of " + limit + " bytes on " + device();
  }
}
