// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.MemoryAllocator;
import org.jspecify.annotations.Nullable;

/** Slots of one size, made when they are first needed, and kept. */
final class StagingSlots {
  private static final long ALIGNMENT = 4096;

  final long size;
  private final MemoryAllocator memory;

  /** How many are allocated at once: pinning memory is slow, and disturbs the GPU. */
  private final int atOnce;

  private final long[] free;
  private int freeCount;
  private int made;

  /** Whether there is no memory for more. */
  private boolean isOut;

  /** What queues use, the oldest first. */
  private final List<SlotGroup> used = new ArrayList<>();

  StagingSlots(MemoryAllocator memory, long size, int most, int atOnce) {
    this.memory = memory;
    this.size = size;
    this.atOnce = atOnce;
    this.free = new long[most];
  }

  /** Takes a slot for a queue, after a wait for earlier work of the same queue if need be; 0 if all are in use elsewhere. */
  long take(long queue) {
    while (true) {
      long slot = tryTake();
      if (slot != 0) return slot;
      if (reclaim()) continue;
      SlotGroup oldest = oldestOf(queue);
      if (oldest == null) return 0;
      try {
        oldest.await();
        giveBack(oldest);
      } finally {
        oldest.release();
      }
    }
  }

  /** A slot that is free; 0 if there is none. */
  synchronized long tryTake() {
    if (freeCount == 0 && made < free.length) make();
    return freeCount == 0 ? 0 : free[--freeCount];
  }

  private void make() {
    if (isOut) return;
    long block;
    try {
      block = memory.allocate(atOnce * size, ALIGNMENT);
    } catch (DeviceException e) {
      isOut = true; // the runtime copies in its own way
      Faults.warn("no pinned memory for copies from and to pageable memory, which will be slow: " + e.getMessage());
      return;
    }
    for (int i = atOnce - 1; i >= 0; i--) free[freeCount++] = block + i * size;
    made += atOnce;
  }

  /** The group is in a queue now. */
  synchronized void use(SlotGroup group) {
    used.add(group);
  }

  /** Gives a group's slots back, once. */
  synchronized void giveBack(SlotGroup group) {
    if (group.isGivenBack) return;
    group.isGivenBack = true;
    used.remove(group);
    for (int i = 0; i < group.count(); i++) free[freeCount++] = group.address(i);
  }

  /** Gives back what queues are past; asks for the oldest group of each queue. */
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

  /** Held for the caller. */
  private synchronized List<SlotGroup> oldestOfEach() {
    List<SlotGroup> oldest = new ArrayList<>();
    for (SlotGroup group : used) {
      boolean isFirst = true;
      for (SlotGroup older : oldest) isFirst &= older.queue != group.queue;
      if (isFirst && group.tryRetain()) oldest.add(group);
    }
    return oldest;
  }

  /** Held for the caller; null if the queue uses none. */
  private synchronized @Nullable SlotGroup oldestOf(long queue) {
    for (SlotGroup group : used) {
      if (group.queue == queue && group.tryRetain()) return group;
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
