// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies that return before they are done, whatever memory they are from and to.
 *
 * <p>HIP copies by itself between what it knows: memory of GPUs, and pinned memory. From or to any other, pageable memory it would let the caller
 * wait until the stream is done. So that goes by way of pinned slots: on the way in the caller fills a slot while the GPU takes the one before; on
 * the way out a host function in the stream empties it; within main memory a host function copies. When a stream has used up all slots, the caller
 * waits for its oldest; when all are in use by others, HIP is left to do it in its own way. Nothing ever waits for another stream.
 */
final class Staging {
  static final long SMALL = 64 << 10;
  static final long LARGE = 4 << 20;

  /** Copies that are queued and will write to pageable memory: while there are some, that is read in the stream's order only. */
  private static final AtomicLong WRITING = new AtomicLong();

  private static final long RUN = HostFunctions.stub(MethodHandles.lookup(), "run");

  /** Where a slot's job goes: before the copy from or to the slot, behind it, or nowhere. */
  private enum Job {
    FIRST,
    LAST,
    NONE
  }

  private final Gpu gpu;
  private final StagingSlots small;
  private final StagingSlots large;

  Staging(Gpu gpu) {
    this.gpu = gpu;
    this.small = new StagingSlots(gpu, SMALL, 64, 64);
    this.large = new StagingSlots(gpu, LARGE, 16, 4);
  }

  /** Both addresses stay valid until the copy is done. */
  void copy(long queue, long to, long from, long bytes) {
    int toKind = HipMemory.kindOf(to);
    int fromKind = HipMemory.kindOf(from);
    checkKnown(toKind, to);
    checkKnown(fromKind, from);
    if (toKind != HipMemory.PAGEABLE && fromKind != HipMemory.PAGEABLE) {
      copyByRuntime(queue, to, from, bytes);
    } else if (toKind == HipMemory.ON_DEVICE || fromKind == HipMemory.ON_DEVICE) {
      copyBySlots(queue, to, toKind == HipMemory.PAGEABLE, from, bytes);
    } else {
      copyOnHost(queue, to, toKind == HipMemory.PAGEABLE, from, bytes);
    }
  }

  private void checkKnown(int kind, long address) {
    if (kind < 0) throw gpu.error("hipDrvPointerGetAttributes", -kind, "0x" + Long.toHexString(address));
  }

  private void copyByRuntime(long queue, long to, long from, long bytes) {
    int before = gpu.enter();
    int code = HipMemory.memcpyAsync(to, from, bytes, queue);
    gpu.leave(before);
    checkCopy(code, to, from, bytes);
  }

  private void copyOnHost(long queue, long to, boolean toPageable, long from, long bytes) {
    StagingSlot slot = small.take(queue);
    if (slot == null) {
      copyByRuntime(queue, to, from, bytes);
      return;
    }
    try {
      slot.job(to, from, bytes, toPageable);
      queue(slot, queue, Job.LAST, toPageable, 0, 0, bytes);
    } catch (Throwable t) {
      small.give(slot);
      throw t;
    }
    small.queued(slot, queue);
  }

  private void copyBySlots(long queue, long to, boolean toPageable, long from, long bytes) {
    StagingSlots slots = bytes <= SMALL ? small : large;
    for (long done = 0; done < bytes; done += slots.size) {
      long part = Math.min(slots.size, bytes - done);
      StagingSlot slot = slots.take(queue);
      if (slot == null) {
        if (!toPageable && WRITING.get() != 0) synchronize(queue); // HIP may read at once
        copyByRuntime(queue, to + done, from + done, part);
        continue;
      }
      try {
        copyBySlot(slot, queue, to + done, toPageable, from + done, part);
      } catch (Throwable t) {
        slots.give(slot);
        throw t;
      }
      slots.queued(slot, queue);
    }
  }

  private void synchronize(long queue) {
    int before = gpu.enter();
    int code = Hip.streamSynchronize(queue);
    gpu.leave(before);
    gpu.check(code, "hipStreamSynchronize");
  }

  private void copyBySlot(StagingSlot slot, long queue, long to, boolean toPageable, long from, long bytes) {
    if (toPageable) {
      slot.job(to, slot.address, bytes, true);
      queue(slot, queue, Job.LAST, true, slot.address, from, bytes);
    } else if (WRITING.get() == 0) {
      copyNow(slot.address, from, bytes);
      queue(slot, queue, Job.NONE, false, to, slot.address, bytes);
    } else {
      slot.job(slot.address, from, bytes, false);
      queue(slot, queue, Job.FIRST, false, to, slot.address, bytes);
    }
  }

  /**
   * Queues a copy, none if {@code from} is 0, the slot's job, which may write to pageable memory, and the slot's event behind both. If this throws,
   * nothing in the queue uses the slot.
   */
  private void queue(StagingSlot slot, long queue, Job job, boolean writesPageable, long to, long from, long bytes) {
    int before = gpu.enter();
    if (writesPageable) WRITING.incrementAndGet();
    int launched = job == Job.FIRST ? HostFunctions.launch(queue, RUN, slot.job) : Hip.SUCCESS;
    int copied = launched == Hip.SUCCESS && from != 0 ? HipMemory.memcpyAsync(to, from, bytes, queue) : launched;
    if (job == Job.LAST && copied == Hip.SUCCESS) launched = HostFunctions.launch(queue, RUN, slot.job);
    boolean queued = launched == Hip.SUCCESS && copied == Hip.SUCCESS;
    int recorded = queued ? Hip.eventRecord(slot.event, queue) : Hip.SUCCESS;
    boolean good = queued && recorded == Hip.SUCCESS;
    int synchronizing = good ? Hip.SUCCESS : Hip.streamSynchronize(queue);
    gpu.leave(before);
    if (good) return;
    if (writesPageable && !queued) WRITING.decrementAndGet();
    if (synchronizing != Hip.SUCCESS) HipErrors.report("waiting for half a copy", gpu.error("hipStreamSynchronize", synchronizing, ""));
    if (job == Job.FIRST || copied == Hip.SUCCESS) gpu.check(launched, HostFunctions.LAUNCH);
    checkCopy(copied, to, from, bytes);
    gpu.check(recorded, "hipEventRecord");
  }

  private void checkCopy(int code, long to, long from, long bytes) {
    if (code == Hip.SUCCESS) return;
    throw gpu.error("hipMemcpyAsync", code, bytes + " bytes from 0x" + Long.toHexString(from) + " to 0x" + Long.toHexString(to));
  }

  /** How many slots there are; for tests, which count HIP's events. */
  int slots() {
    return small.count() + large.count();
  }

  /** How many allocations they lie in; for tests as well. */
  int blocks() {
    return small.blocks() + large.blocks();
  }

  private static void copyNow(long to, long from, long bytes) {
    MemorySegment.copy(MemorySegment.ofAddress(from).reinterpret(bytes), 0, MemorySegment.ofAddress(to).reinterpret(bytes), 0, bytes);
  }

  /** The host function: what a slot's job says. Nothing may be thrown into HIP. */
  static void run(long job) {
    try {
      MemorySegment words = MemorySegment.ofAddress(job).reinterpret(StagingSlot.JOB_SIZE);
      copyNow(words.get(JAVA_LONG, 0), words.get(JAVA_LONG, 8), words.get(JAVA_LONG, 16));
      if (words.get(JAVA_INT, 24) != 0) WRITING.decrementAndGet();
    } catch (Throwable t) {
      HipErrors.report("copying by way of pinned memory", t);
    }
  }

  /** The same for ROCm 5. */
  static void run(long stream, int status, long job) {
    run(job);
  }
}
