package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slots of one size, made when they are first needed. All calls in the GPU's context. */
final class StagingSlots {
  private final Gpu gpu;
  final long size;
  private final int most;
  private final List<StagingSlot> slots = new ArrayList<>();
  private long clock;

  StagingSlots(Gpu gpu, long size, int most) {
    this.gpu = gpu;
    this.size = size;
    this.most = most;
  }

  /** A slot that is free, after a wait for work of the same queue if need be; null if all are in use elsewhere. To be given back. */
  @Nullable StagingSlot take(long queue) {
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
    int code = Cu.eventSynchronize(slot.event);
    if (code == Cu.SUCCESS) return slot;
    synchronized (this) {
      slot.taken = false;
    }
    throw gpu.error("cuEventSynchronize", code, "");
  }

  private @Nullable StagingSlot free() {
    for (StagingSlot slot : slots) {
      if (slot.taken) continue;
      if (slot.queued) {
        int code = Cu.eventQuery(slot.event);
        if (code == Cu.NOT_READY) continue;
        gpu.check(code, "cuEventQuery");
        slot.queued = false;
      }
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
    MemorySegment scratch = Cu.scratch();
    gpu.check(Cu.eventCreate(scratch.address(), Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC), "cuEventCreate");
    long event = scratch.get(JAVA_LONG, 0);
    int code = CuMemory.memHostAlloc(scratch.address(), size, CuMemory.HOST_ALLOC_PORTABLE);
    if (code != Cu.SUCCESS) {
      var failure = gpu.error("cuMemHostAlloc", code, size + " bytes for copies from and to pageable memory");
      int destroyed = Cu.eventDestroy(event);
      if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error("cuEventDestroy", destroyed, ""));
      throw failure;
    }
    StagingSlot slot = new StagingSlot(scratch.get(JAVA_LONG, 0), event);
    slots.add(slot);
    return slot;
  }

  /** Gives a slot back: free, or as soon as what is in the queue now is done. */
  void give(StagingSlot slot, long queue, boolean queued) {
    int code = queued ? Cu.eventRecord(slot.event, queue) : Cu.SUCCESS;
    if (code != Cu.SUCCESS) {
      int synchronizing = Cu.streamSynchronize(queue);
      if (synchronizing != Cu.SUCCESS) CuErrors.report("waiting for a copy", gpu.error("cuStreamSynchronize", synchronizing, ""));
    }
    synchronized (this) {
      slot.taken = false;
      slot.queued = queued && code == Cu.SUCCESS;
      slot.queue = queue;
      slot.since = clock++;
    }
    gpu.check(code, "cuEventRecord");
  }

  /** How many there are; for tests, which count the driver's. */
  synchronized int count() {
    return slots.size();
  }
}
