// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/** Slots of one size. They are allocated when they are first needed, and kept. */
final class StagingSlots {
  private static final long ALIGNMENT = 4096;

  /** The time without another allocation of pinned memory after one failed. */
  private static final long OUT_NANOS = TimeUnit.SECONDS.toNanos(1);

  final long size;
  private final MemoryAllocator memory;

  /** The number of slots in one allocation. Pinning memory is slow and disturbs the GPU. */
  private final int atOnce;

  private final long[] free;
  private int freeCount;
  private int made;

  /** Whether an allocation of more slots failed, and the time of the failure. */
  private boolean wasOut;
  private long outSince;

  /** The groups that queues use, the oldest first. */
  private final List<SlotGroup> used = new ArrayList<>();

  StagingSlots(MemoryAllocator memory, long size, int most, int atOnce) {
    this.memory = memory;
    this.size = size;
    this.atOnce = atOnce;
    this.free = new long[most];
  }

  /**
   * Takes a slot for a queue. If necessary, blocks until earlier work of the same queue has completed. Returns 0 if
   * other queues use all slots.
   *
   * @param number identifies the queue among those of the device
   */
  long take(long number) {
    while (true) {
      long slot = tryTake();
      if (slot != 0) return slot;
      if (reclaim()) continue;
      SlotGroup oldest = oldestOf(number);
      if (oldest == null) return 0;
      try {
        oldest.await();
        giveBack(oldest);
      } finally {
        oldest.release();
      }
    }
  }

  /** Takes a slot that is free. Returns 0 if no slot is free and none can be made. */
  long tryTake() {
    synchronized (this) {
      if (freeCount > 0) return free[--freeCount];
      if (made == free.length || isOut()) return 0;
      made += atOnce;
    }
    return make();
  }

  /**
   * Returns whether memory is still considered exhausted. This ends after a while, because memory may be available
   * again.
   */
  private boolean isOut() {
    return wasOut && System.nanoTime() - outSince < OUT_NANOS;
  }

  /**
   * Allocates slots that are already counted. Returns one of them, or 0. Not under the lock, since the allocation may
   * take long.
   */
  private long make() {
    long block = 0;
    try {
      block = memory.allocate(atOnce * size, ALIGNMENT);
    } catch (DeviceException e) { // the runtime copies in its own way
      if (e.errno() != Errno.EAGAIN) noteOut(e);
    } finally {
      if (block == 0) takeBack();
    }
    if (block != 0) add(block);
    return block;
  }

  private synchronized void add(long block) {
    wasOut = false;
    for (int i = atOnce - 1; i > 0; i--) free[freeCount++] = block + i * size;
  }

  private synchronized void takeBack() {
    made -= atOnce;
  }

  private void noteOut(DeviceException e) {
    boolean isNew;
    synchronized (this) {
      isNew = !wasOut;
      wasOut = true;
      outSince = System.nanoTime();
    }
    if (isNew)
      Faults.warn("no pinned memory for copies from and to pageable memory, which are slow until it is available: "
          + e.getMessage());
  }

  /** Adds a group whose slots a queue uses from now on. */
  synchronized void use(SlotGroup group) {
    used.add(group);
  }

  /** Returns a group's slots to the free ones. A second call has no effect. */
  synchronized void giveBack(SlotGroup group) {
    if (group.isGivenBack) return;
    group.isGivenBack = true;
    used.remove(group);
    for (int i = 0; i < group.count(); i++) free[freeCount++] = group.address(i);
  }

  /**
   * Returns the slots of groups that queues have completed to the free ones. Queries the oldest group of each queue.
   */
  private boolean reclaim() {
    boolean any = false;
    for (SlotGroup group : oldestOfEach()) {
      if (group.isOver()) {
        giveBack(group);
        any = true;
      }
      group.release();
    }
    return any;
  }

  /** Returns the oldest group of each queue, with one reference that the caller must release. */
  private synchronized List<SlotGroup> oldestOfEach() {
    List<SlotGroup> oldest = new ArrayList<>();
    for (SlotGroup group : used) {
      boolean isFirst = true;
      for (SlotGroup older : oldest) isFirst &= older.number != group.number;
      if (isFirst && group.tryRetain()) oldest.add(group);
    }
    return oldest;
  }

  /**
   * Returns the oldest group of a queue, with one reference that the caller must release. Returns null if the queue
   * uses no slots.
   */
  private synchronized @Nullable SlotGroup oldestOf(long number) {
    for (SlotGroup group : used) {
      if (group.number == number && group.tryRetain()) return group;
    }
    return null;
  }

  synchronized int blocks() {
    return made / atOnce;
  }

  synchronized int inUse() {
    return made - freeCount;
  }

  synchronized int count() {
    return made;
  }
}
