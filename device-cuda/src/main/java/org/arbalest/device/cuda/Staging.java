package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Copies that return before they are done, whatever memory they are from and to.
 *
 * <p>The driver copies by itself between what it knows: memory of GPUs, pinned and managed memory. From or to any other, pageable memory it would
 * let the caller wait until the stream is done. So that goes by way of pinned slots: on the way in the caller fills a slot while the GPU takes
 * the one before; on the way out a host function in the stream empties it. When a stream has used up all slots, the caller waits for its
 * oldest; when all are in use by others, the driver is left to do it in its own way. Nothing ever waits for another stream.
 */
final class Staging {
  static final long SMALL = 64 << 10;
  static final long LARGE = 4 << 20;

  /** Copies that are queued and will write to pageable memory: while there are some, that is read in the stream's order only. */
  private static final AtomicLong WRITING = new AtomicLong();

  private static final long RUN = stub();

  private final Gpu gpu;
  private final StagingSlots small;
  private final StagingSlots large;

  Staging(Gpu gpu) {
    this.gpu = gpu;
    this.small = new StagingSlots(gpu, SMALL, 64);
    this.large = new StagingSlots(gpu, LARGE, 16);
  }

  /** Both addresses stay valid until the copy is done. */
  void copy(long queue, long to, long from, long bytes) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int toKnown = CuMemory.pointerGetAttribute(scratch.address(), CuMemory.POINTER_MEMORY_TYPE, to);
    int fromKnown = CuMemory.pointerGetAttribute(scratch.address(), CuMemory.POINTER_MEMORY_TYPE, from);
    boolean isDirect = toKnown == Cu.SUCCESS && fromKnown == Cu.SUCCESS;
    int code = isDirect ? CuMemory.memcpyAsync(to, from, bytes, queue) : Cu.SUCCESS;
    gpu.leave();
    if (isDirect) {
      checkCopy(code, to, from, bytes);
      return;
    }
    boolean toPageable = isPageable(toKnown, to);
    boolean fromPageable = isPageable(fromKnown, from);
    StagingSlots slots = bytes <= SMALL ? small : large;
    for (long done = 0; done < bytes; done += slots.size) {
      long part = Math.min(slots.size, bytes - done);
      StagingSlot slot = slots.take(queue);
      if (slot == null) {
        if (fromPageable && WRITING.get() != 0) synchronize(queue); // the driver may read at once
        copyByDriver(queue, to + done, from + done, part);
        continue;
      }
      try {
        copyBySlot(slot, queue, to + done, toPageable, from + done, fromPageable, part);
      } catch (Throwable t) {
        slots.give(slot);
        throw t;
      }
      slots.give(slot, queue);
    }
  }

  /** Whether the driver does not know the memory. */
  private boolean isPageable(int code, long address) {
    if (code != Cu.SUCCESS && code != Cu.INVALID_VALUE) throw gpu.error("cuPointerGetAttribute", code, "0x" + Long.toHexString(address));
    return code != Cu.SUCCESS;
  }

  private void synchronize(long queue) {
    gpu.enter();
    int code = Cu.streamSynchronize(queue);
    gpu.leave();
    gpu.check(code, "cuStreamSynchronize");
  }

  private void copyByDriver(long queue, long to, long from, long bytes) {
    gpu.enter();
    int code = CuMemory.memcpyAsync(to, from, bytes, queue);
    gpu.leave();
    checkCopy(code, to, from, bytes);
  }

  /** Queues a part of a copy by way of a slot; if that fails, nothing that is queued uses the slot. */
  private void copyBySlot(StagingSlot slot, long queue, long to, boolean toPageable, long from, boolean fromPageable, long bytes) {
    if (toPageable) {
      slot.job(to, fromPageable ? from : slot.address, bytes, true);
      WRITING.incrementAndGet();
      boolean launched = false;
      try {
        queue(queue, slot.address, fromPageable ? 0 : from, bytes, slot.job, false);
        launched = true;
      } finally {
        if (!launched) WRITING.decrementAndGet();
      }
    } else if (WRITING.get() == 0) {
      copyNow(slot.address, from, bytes);
      copyByDriver(queue, to, slot.address, bytes);
    } else {
      slot.job(slot.address, from, bytes, false);
      queue(queue, to, slot.address, bytes, slot.job, true);
    }
  }

  /** Queues a copy, none if {@code from} is 0, and a host function, in one order or the other. */
  private void queue(long queue, long to, long from, long bytes, long job, boolean hostFirst) {
    gpu.enter();
    int launched = hostFirst ? Cu.launchHostFunc(queue, RUN, job) : Cu.SUCCESS;
    int copied = launched == Cu.SUCCESS && from != 0 ? CuMemory.memcpyAsync(to, from, bytes, queue) : Cu.SUCCESS;
    if (!hostFirst && copied == Cu.SUCCESS) launched = Cu.launchHostFunc(queue, RUN, job);
    boolean half = (launched == Cu.SUCCESS) != (copied == Cu.SUCCESS);
    int synchronizing = half ? Cu.streamSynchronize(queue) : Cu.SUCCESS; // what is in the queue uses the slot
    gpu.leave();
    if (synchronizing != Cu.SUCCESS) CuErrors.report("waiting for half a copy", gpu.error("cuStreamSynchronize", synchronizing, ""));
    gpu.check(launched, "cuLaunchHostFunc");
    checkCopy(copied, to, from, bytes);
  }

  private void checkCopy(int code, long to, long from, long bytes) {
    if (code == Cu.SUCCESS) return;
    throw gpu.error("cuMemcpyAsync", code, bytes + " bytes from 0x" + Long.toHexString(from) + " to 0x" + Long.toHexString(to));
  }

  /** How many slots there are; for tests, which count the driver's allocations. */
  int slots() {
    return small.count() + large.count();
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

  private static long stub() {
    try {
      var handle = MethodHandles.lookup().findStatic(Staging.class, "run", MethodType.methodType(void.class, long.class));
      return Linker.nativeLinker().upcallStub(handle, FunctionDescriptor.ofVoid(JAVA_LONG), Arena.global()).address();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
