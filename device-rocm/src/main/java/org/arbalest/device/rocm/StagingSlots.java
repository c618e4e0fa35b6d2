// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

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
    int code = Hip.eventSynchronize(slot.event); // nobody asks for the event of a slot that is taken
    if (code == Hip.SUCCESS) return slot;
    synchronized (this) {
      slot.taken = false;
    }
    throw gpu.error("hipEventSynchronize", code, "");
  }

  private @Nullable StagingSlot free() {
    for (StagingSlot slot : slots) {
      if (slot.taken) continue;
      int code = slot.queued ? Hip.eventQuery(slot.event) : Hip.SUCCESS;
      if (code == Hip.NOT_READY) continue;
      gpu.check(code, "hipEventQuery");
      slot.queued = false;
      return slot;
    }
    return null;
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
    MemorySegment scratch = Hip.scratch();
    if (left == 0) {
      int allocated = PinnedMemory.tryAllocate(gpu, scratch.address(), group * size);
      String what = group * size + " bytes for copies from and to pageable memory";
      if (allocated != Hip.SUCCESS) throw gpu.error("hipHostMalloc", allocated, what);
      next = scratch.get(JAVA_LONG, 0);
      left = group;
    }
    int before = gpu.enter();
    int created = Streams.createEvent(scratch.address());
    gpu.leave(before);
    gpu.check(created, "hipEventCreateWithFlags");
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
