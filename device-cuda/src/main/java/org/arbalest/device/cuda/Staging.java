// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies that return before they are done, whatever memory they are from and to.
 *
 * <p>The driver copies by itself between what it knows: memory of GPUs, pinned and managed memory. From or to any other, pageable memory it would
 * let the caller wait until the stream is done. So that goes by way of pinned slots: on the way in the caller fills a slot while the GPU takes
 * the one before; on the way out a host function in the stream empties it. When a stream has used up all slots, the caller waits for its
 * oldest; when all are in use by others, the driver is left to do it in its own way. Nothing ever waits for another stream. Within main memory,
 * where the driver makes the caller wait as well, a host function copies.
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
    gpu.enter();
    int toKind = CuMemory.kindOf(to);
    int fromKind = CuMemory.kindOf(from);
    boolean isOnHost = toKind != CuMemory.ON_DEVICE && fromKind != CuMemory.ON_DEVICE;
    boolean isDirect = !isOnHost && Math.min(toKind, fromKind) > CuMemory.PAGEABLE;
    int code = isDirect ? CuMemory.memcpyAsync(to, from, bytes, queue) : Cu.SUCCESS;
    gpu.leave();
    checkKnown(toKind, to);
    checkKnown(fromKind, from);
    if (isDirect) {
      checkCopy(code, to, from, bytes);
    } else if (isOnHost) {
      copyOnHost(queue, to, toKind == CuMemory.PAGEABLE, from, bytes);
    } else {
      copyBySlots(queue, to, toKind == CuMemory.PAGEABLE, from, bytes);
    }
  }

  private void checkKnown(int kind, long address) {
    if (kind < 0) throw gpu.error("cuPointerGetAttribute", -kind, "0x" + Long.toHexString(address));
  }

  private void copyByRuntime(long queue, long to, long from, long bytes) {
    gpu.enter();
    int code = CuMemory.memcpyAsync(to, from, bytes, queue);
    gpu.leave();
    checkCopy(code, to, from, bytes);
  }

  /** Within main memory the driver would let the caller wait, pinned or not: a host function does it. */
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
        if (!toPageable && WRITING.get() != 0) synchronize(queue); // the driver may read at once
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
    gpu.enter();
    int code = Cu.streamSynchronize(queue);
    gpu.leave();
    gpu.check(code, "cuStreamSynchronize");
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
    gpu.enter();
    if (writesPageable) WRITING.incrementAndGet();
    int launched = job == Job.FIRST ? HostFunctions.launch(queue, RUN, slot.job) : Cu.SUCCESS;
    int copied = launched == Cu.SUCCESS && from != 0 ? CuMemory.memcpyAsync(to, from, bytes, queue) : launched;
    if (job == Job.LAST && copied == Cu.SUCCESS) launched = HostFunctions.launch(queue, RUN, slot.job);
    boolean queued = launched == Cu.SUCCESS && copied == Cu.SUCCESS;
    int recorded = queued ? Cu.eventRecord(slot.event, queue) : Cu.SUCCESS;
    boolean good = queued && recorded == Cu.SUCCESS;
    int synchronizing = good ? Cu.SUCCESS : Cu.streamSynchronize(queue);
    gpu.leave();
    if (good) return;
    if (writesPageable && !queued) WRITING.decrementAndGet();
    if (synchronizing != Cu.SUCCESS) CuErrors.report("waiting for half a copy", gpu.error("cuStreamSynchronize", synchronizing, ""));
    if (job == Job.FIRST || copied == Cu.SUCCESS) gpu.check(launched, HostFunctions.LAUNCH);
    checkCopy(copied, to, from, bytes);
    gpu.check(recorded, "cuEventRecord");
  }

  private void checkCopy(int code, long to, long from, long bytes) {
    if (code == Cu.SUCCESS) return;
    throw gpu.error("cuMemcpyAsync", code, bytes + " bytes from 0x" + Long.toHexString(from) + " to 0x" + Long.toHexString(to));
  }

  /** How many slots there are; for tests, which count the driver's events. */
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

  /** The host function: what a slot's job says. Nothing may be thrown into the driver. */
  static void run(long job) {
    try {
      MemorySegment words = MemorySegment.ofAddress(job).reinterpret(StagingSlot.JOB_SIZE);
      copyNow(words.get(JAVA_LONG, 0), words.get(JAVA_LONG, 8), words.get(JAVA_LONG, 16));
      if (words.get(JAVA_INT, 24) != 0) WRITING.decrementAndGet();
    } catch (Throwable t) {
      CuErrors.report("copying by way of pinned memory", t);
    }
  }
}
