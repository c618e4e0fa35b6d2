// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slots of one size, made when they are first needed. */
final class StagingSlots {
  private final Gpu gpu;
  final long size;
  private final int most;

  /** How many are allocated at once: pinning memory is slow, and disturbs the GPU. */
  private final int group;

  private final List<StagingSlot> slots = new ArrayList<>();
  private long clock;

  /** Memory for slots that are not made yet. */
  private long next;

  private int left;

  StagingSlots(Gpu gpu, long size, int most, int group) {
    this.gpu = gpu;
    this.size = size;
    this.most = most;
    this.group = group;
  }

  /** A slot that is free, after a wait for work of the same queue if need be; null if all are in use elsewhere. To be given back. */
  @Nullable
  StagingSlot take(long queue) {
    StagingSlot slot;
    synchronized (this) {
      slot = free();
      if (slot == null && slots.size() < most) slot = make();
      boolean isFree = slot != null;
      if (slot == null) slot = oldestOf(queue);
      if (slot == null) return null;
      slot.taken = true;
      if (isFree) return slot;
    }
    try {
      await(slot);
    } catch (Throwable t) {
      synchronized (this) {
        slot.taken = false;
      }
      throw t;
    }
    return slot;
  }

  private void await(StagingSlot slot) {
    gpu.enter();
    int code = Cu.eventSynchronize(slot.event);
    gpu.leave();
    gpu.check(code, "cuEventSynchronize");
  }

  private @Nullable StagingSlot free() {
    StagingSlot free = null;
    int code = Cu.SUCCESS;
    gpu.enter();
    for (int i = 0; i < slots.size() && free == null; i++) {
      StagingSlot slot = slots.get(i);
      if (slot.taken) continue;
      code = slot.queued ? Cu.eventQuery(slot.event) : Cu.SUCCESS;
      if (code == Cu.SUCCESS) free = slot;
      if (code != Cu.NOT_READY && code != Cu.SUCCESS) break;
    }
    gpu.leave();
    if (free == null && code != Cu.NOT_READY) gpu.check(code, "cuEventQuery");
    if (free != null) free.queued = false;
    return free;
  }

  private @Nullable StagingSlot oldestOf(long queue) {
    StagingSlot oldest = null;
    for (StagingSlot slot : slots) {
      if (slot.taken || slot.queue != queue) continue;
      if (oldest == null || slot.since < oldest.since) oldest = slot;
    }
    return oldest;
  }

  private StagingSlot make() {
    MemorySegment scratch = Cu.scratch();
    if (left == 0) {
      int allocated = PinnedMemory.tryAllocate(gpu, scratch.address(), group * size);
      String what = group * size + " bytes for copies from and to pageable memory";
      if (allocated != Cu.SUCCESS) throw gpu.error("cuMemHostAlloc", allocated, what);
      next = scratch.get(JAVA_LONG, 0);
      left = group;
    }
    gpu.enter();
    int created = Streams.createEvent(scratch.address());
    gpu.leave();
    gpu.check(created, "cuEventCreate");
    StagingSlot slot = new StagingSlot(next, scratch.get(JAVA_LONG, 0));
    slots.add(slot);
    next += size;
    left--;
    return slot;
  }

  /** Gives a slot back that nothing in a queue uses. */
  synchronized void give(StagingSlot slot) {
    slot.taken = false;
    slot.queued = false;
  }

  /** Gives a slot back that a queue uses up to the slot's event. */
  synchronized void queued(StagingSlot slot, long queue) {
    slot.taken = false;
    slot.queued = true;
    slot.queue = queue;
    slot.since = clock++;
  }

  synchronized int count() {
    return slots.size();
  }

  synchronized int blocks() {
    return (slots.size() + left) / group;
  }
}
