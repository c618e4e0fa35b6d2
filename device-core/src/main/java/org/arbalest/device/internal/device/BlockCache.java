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
 * A cache of an allocator's freed blocks, by size, for later allocations. It also counts the bytes against a limit. It
 * is the base of a {@link MemoryPool}, and of a device's memory if its frees would wait for the device.
 *
 * <p>The allocator is never called under the lock: it may wait for a device, or call the application's handler for
 * memory.
 */
final class BlockCache implements MemoryAllocator {
  static final long PAGE = 4096;

  /** The alignment that a GPU's runtime guarantees. A caller that needs a larger alignment requests more bytes. */
  private static final long ALIGNMENT = 256;

  /** The number of size classes: sizes of up to four pages, then four classes for each power of two. */
  private static final int SIZES = 4 + 4 * (62 - 14 + 1);

  private final MemoryAllocator source;
  private final String name;
  private final long limit;
  private final long bound;
  private final @Nullable CacheLimit together;

  private final Addresses[] kept = new Addresses[SIZES];

  /**
   * Blocks in use that have exactly the requested bytes, because the device had no space for the full size. They are
   * not kept.
   */
  private final Set<Long> exact = new HashSet<>();

  /** Whether blocks beyond the bound already wait for an idle period, in which they are released. */
  private boolean isWaiting;

  private long live;
  private long cached;
  private long peak;
  private long hits;
  private long misses;
  private long evictions;
  private boolean closed;

  /**
   * Creates an empty cache.
   *
   * @param limit the limit of the bytes in use and kept together
   * @param bound the limit of the bytes that are kept for long; the cache releases more than that in an idle period
   * @param together the same limit for several caches, or null
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

  /** Returns a kept block, or 0 if none has this size. In both cases the size is counted as in use. */
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

  /** Releases kept blocks until the bytes in use and kept are within the limit. */
  private void makeRoom() {
    while (evictIf(() -> live + cached > limit)) {} // until it fits, or until no block is left to evict
  }

  /**
   * Allocates a new block. If the device has too little memory, the kept blocks may occupy it. The next attempt is
   * without them, and the last one without the part of the block beyond the requested size.
   */
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

  /** Returns the failure if it is a shortage of memory. Otherwise throws it. */
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

  /** Adds to the kept bytes, or subtracts from them if the number is negative. */
  private void keep(long bytes) {
    cached += bytes;
    if (together != null) together.count(bytes);
  }

  /** Returns whether more bytes are kept than the limits for long allow. The caller holds the lock. */
  private boolean isTooMuch() {
    return cached > bound || (together != null && together.isTooMuch());
  }

  /** Releases one block, in an idle period. Returns whether no more work is left. */
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

  /**
   * Ends the waiting step unless too much is kept. A {@link #free} that kept too much since the last look has left the
   * release to this step.
   */
  private synchronized boolean waitsNoMoreIfDone() {
    isWaiting = isTooMuch();
    return !isWaiting;
  }

  /** Releases the largest block. Returns false if no block is kept. */
  boolean evictLargest() {
    return evictIf(() -> true);
  }

  /**
   * Releases the largest block if too much is kept. The condition is evaluated under the lock. Returns false if no
   * block was released.
   */
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

  /** Releases all kept blocks, which may wait for the device. Returns the number of bytes. */
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
        } catch (RuntimeException e) { // the other blocks must be released nevertheless
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

  /** Closes the cache, which keeps no block from now on. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    empty();
  }

  synchronized MemoryPool.Statistics statistics() {
    return new MemoryPool.Statistics(live, cached, peak, limit, hits, misses, evictions);
  }

  /** Rounds a size up to a whole page, or to a quarter of the power of two below. */
  static long blockSize(long bytes) {
    long step = Math.max(PAGE, Long.highestOneBit(Math.max(bytes - 1, 1)) >>> 2);
    long size = (bytes + step - 1) & -step;
    return size < bytes ? bytes : size;
  }

  /** Returns the index of a block size in the order of all size classes. */
  static int sizeClass(long size) {
    if (size <= 4 * PAGE) return (int) ((size - 1) / PAGE);
    int power = 63 - Long.numberOfLeadingZeros(size - 1);
    return 4 + 4 * (power - 14) + (int) ((size - 1 - (1L << power)) >>> (power - 2));
  }

  /** The addresses of the kept blocks of one size. */
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
