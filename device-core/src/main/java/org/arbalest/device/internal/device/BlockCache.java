// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryPool;
import org.jspecify.annotations.Nullable;

/**
 * An allocator's blocks that were freed, by size, for the next who asks, and how much of a limit they take: what a
 * {@link MemoryPool} stands on, and a device's memory whose frees would wait for the device.
 *
 * <p>The allocator is never called under the lock: it may wait for a device, or ask a user for memory.
 */
final class BlockCache implements MemoryAllocator {
  static final long PAGE = 4096;

  /** A GPU's runtime aligns to this by itself; whoever wants more asks for more bytes. */
  private static final long ALIGNMENT = 256;

  /** The sizes of up to four pages, and then four to each power of two. */
  private static final int SIZES = 4 + 4 * (62 - 14 + 1);

  private final MemoryAllocator source;
  private final String name;
  private final long limit;
  private final long bound;
  private final @Nullable CacheLimit together;

  private final Addresses[] kept = new Addresses[SIZES];

  /** Blocks in use that have just the bytes asked for, since there was no room for more: they are not kept. */
  private final Set<Long> exact = new HashSet<>();

  /** Whether what is kept beyond the bound waits for an idle period. */
  private boolean isWaiting;

  private long live;
  private long cached;
  private long peak;
  private long hits;
  private long misses;
  private long evictions;
  private boolean closed;

  /**
   * A cache that is empty.
   *
   * @param limit the most that may be in use and kept
   * @param bound how much may be kept for long: what is more is given back when no device has work
   * @param together the same, for several caches; null if there is no such bound
   */
  BlockCache(MemoryAllocator source, String name, long limit, long bound, @Nullable CacheLimit together) {
    this.source = source;
    this.name = name;
    this.limit = limit;
    this.bound = bound;
    this.together = together;
    if (together != null) together.add(this);
  }

  @Override
  public boolean isCpuAccessible() {
    return source.isCpuAccessible();
  }

  @Override
  public long alignment() {
    return Math.min(source.alignment(), ALIGNMENT);
  }

  @Override
  public long allocate(long bytes, long alignment) {
    long size = blockSize(bytes);
    long address = take(size, bytes);
    if (address != 0) return address;
    try {
      makeRoom();
      address = allocateBlock(size, bytes);
      notePeak();
      return address;
    } catch (Throwable t) {
      giveUp(size);
      throw t;
    }
  }

  /** One that is kept; or 0, and room for one is taken. */
  private synchronized long take(long size, long bytes) {
    if (closed) throw new IllegalStateException("the pool was closed");
    if (size > limit - live) {
      throw new DeviceException(Errno.ENOMEM,
          "the " + name + " is full: ENOMEM, asked for " + bytes + " bytes, and " + live + " are in use");
    }
    Addresses free = kept[sizeClass(size)];
    live += size;
    if (free == null || free.count == 0) {
      misses++;
      return 0;
    }
    notePeak();
    keep(-size);
    hits++;
    return free.pop();
  }

  private synchronized void notePeak() {
    peak = Math.max(peak, live);
  }

  private synchronized void giveUp(long size) {
    live -= size;
    misses--;
  }

  /** What is kept makes way where the limit wants it. */
  private void makeRoom() {
    while (evictIf(() -> live + cached > limit)) {} // until it fits, or nothing is left to evict
  }

  /** The device may lack the room that what is kept takes up, or for what a block has more than was asked for. */
  private long allocateBlock(long size, long bytes) {
    DeviceException failure;
    try {
      return source.allocate(size, alignment());
    } catch (DeviceException e) {
      failure = shortage(e);
    }
    if (empty() > 0) {
      try {
        return source.allocate(size, alignment());
      } catch (DeviceException e) {
        failure = shortage(e);
      }
    }
    if (size == bytes) throw failure;
    long address = source.allocate(bytes, alignment());
    synchronized (this) {
      exact.add(address);
    }
    return address;
  }

  /** Throws what is none. */
  private static DeviceException shortage(DeviceException failure) {
    if (failure.errno() != Errno.ENOMEM) throw failure;
    return failure;
  }

  @Override
  public boolean isReusable(long address, long bytes) {
    return source.isReusable(address, blockSize(bytes));
  }

  @Override
  public void free(long address, long bytes) {
    long size = blockSize(bytes);
    boolean isKept = source.isReusable(address, size);
    synchronized (this) {
      live -= size;
      boolean isExact = !exact.isEmpty() && exact.remove(address);
      if (isExact) size = bytes;
      isKept &= !closed && !isExact;
      if (isKept) {
        push(size, address);
        if (isWaiting || !isTooMuch()) return;
        isWaiting = true;
      }
    }
    if (isKept) {
      IdlePeriod.await(this::shrink);
    } else if (source.cacheBytes() > 0) {
      long block = size;
      IdlePeriod.await(() -> freeNow(address, block));
    } else {
      source.free(address, size);
    }
  }

  private boolean freeNow(long address, long bytes) {
    source.free(address, bytes);
    return true;
  }

  private void push(long size, long address) {
    int at = sizeClass(size);
    if (kept[at] == null) kept[at] = new Addresses(size);
    kept[at].push(address);
    keep(size);
  }

  /** So much more is kept, or less. */
  private void keep(long bytes) {
    cached += bytes;
    if (together != null) together.count(bytes);
  }

  /** Under the lock: whether more is kept than may be for long. */
  private boolean isTooMuch() {
    return cached > bound || (together != null && together.isTooMuch());
  }

  /** Gives one block back, while no device has work: whether nothing is left to do. */
  private boolean shrink() {
    try {
      if (evictIf(() -> cached > bound) || (together != null && together.evictOne())) return false;
    } catch (Throwable t) {
      waitsNoMore();
      throw t;
    }
    return waitsNoMoreIfDone();
  }

  private synchronized void waitsNoMore() {
    isWaiting = false;
  }

  /** Who has kept too much since it was looked at has left that to whoever waits. */
  private synchronized boolean waitsNoMoreIfDone() {
    isWaiting = isTooMuch();
    return !isWaiting;
  }

  /** Gives the largest block back: false if there is none. */
  boolean evictLargest() {
    return evictIf(() -> true);
  }

  /** Gives the largest block back if too much is kept, which is asked under the lock: false if not. */
  private boolean evictIf(BooleanSupplier isTooMuch) {
    Addresses largest = null;
    long address;
    synchronized (this) {
      if (!isTooMuch.getAsBoolean()) return false;
      for (int at = SIZES - 1; at >= 0 && largest == null; at--) {
        if (kept[at] != null && kept[at].count > 0) largest = kept[at];
      }
      if (largest == null) return false;
      address = largest.pop();
      keep(-largest.size);
      evictions++;
    }
    source.free(address, largest.size);
    return true;
  }

  /** Gives all that is kept back, which may wait for the device: how many bytes. */
  long empty() {
    Addresses[] all;
    long bytes;
    synchronized (this) {
      all = kept.clone();
      Arrays.fill(kept, null);
      bytes = cached;
      keep(-bytes);
      for (Addresses blocks : all) evictions += blocks == null ? 0 : blocks.count;
    }
    RuntimeException failure = null;
    for (int at = SIZES - 1; at >= 0; at--) {
      while (all[at] != null && all[at].count > 0) {
        try {
          source.free(all[at].pop(), all[at].size);
        } catch (RuntimeException e) { // the others are to go nevertheless
          if (failure == null) failure = e;
          else failure.addSuppressed(e);
        }
      }
    }
    if (failure != null) throw failure;
    return bytes;
  }

  @Override
  public void trim() {
    empty();
    source.trim();
  }

  @Override
  public long keptBytes() {
    long below = source.keptBytes();
    synchronized (this) {
      return cached + below;
    }
  }

  synchronized long cachedBytes() {
    return cached;
  }

  /** Keeps nothing from now on. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    empty();
  }

  synchronized MemoryPool.Statistics statistics() {
    return new MemoryPool.Statistics(live, cached, peak, limit, hits, misses, evictions);
  }

  /** Rounded up to a page, or to a quarter of the power of two below. */
  static long blockSize(long bytes) {
    long step = Math.max(PAGE, Long.highestOneBit(Math.max(bytes - 1, 1)) >>> 2);
    long size = (bytes + step - 1) & -step;
    return size < bytes ? bytes : size;
  }

  /** Which one of all sizes of blocks, in their order. */
  static int sizeClass(long size) {
    if (size <= 4 * PAGE) return (int) ((size - 1) / PAGE);
    int power = 63 - Long.numberOfLeadingZeros(size - 1);
    return 4 + 4 * (power - 14) + (int) ((size - 1 - (1L << power)) >>> (power - 2));
  }

  /** Blocks of one size. */
  private static final class Addresses {
    private final long size;
    private long[] addresses = new long[4];
    private int count;

    Addresses(long size) {
      this.size = size;
    }

    void push(long address) {
      if (count == addresses.length) addresses = Arrays.copyOf(addresses, 2 * count);
      addresses[count++] = address;
    }

    long pop() {
      return addresses[--count];
    }
  }
}
