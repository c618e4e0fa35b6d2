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

  /** In the context. Both addresses stay valid until the copy is done. */
  void copy(long queue, long to, long from, long bytes) {
    boolean toPageable = isPageable(to);
    boolean fromPageable = isPageable(from);
    if (!toPageable && !fromPageable) {
      direct(queue, to, from, bytes);
      return;
    }
    StagingSlots slots = bytes <= SMALL ? small : large;
    for (long done = 0; done < bytes; done += slots.size) {
      long part = Math.min(slots.size, bytes - done);
      StagingSlot slot = slots.take(queue);
      if (slot == null) {
        direct(queue, to + done, from + done, part);
        continue;
      }
      boolean queued = false;
      try {
        queued = queue(slot, queue, to + done, toPageable, from + done, fromPageable, part);
      } finally {
        slots.give(slot, queue, queued);
      }
    }
  }

  /** Queues a part of a copy by way of a slot: true, as something is in the queue that uses it. */
  private boolean queue(StagingSlot slot, long queue, long to, boolean toPageable, long from, boolean fromPageable, long bytes) {
    if (toPageable && fromPageable) {
      slot.job(to, from, bytes, true);
      launchWriting(queue, slot);
    } else if (toPageable) {
      slot.job(to, slot.address, bytes, true);
      direct(queue, slot.address, from, bytes);
      try {
        launchWriting(queue, slot);
      } catch (Throwable t) {
        waitFor(queue, t);
        throw t;
      }
    } else if (WRITING.get() == 0) {
      copyNow(slot.address, from, bytes);
      direct(queue, to, slot.address, bytes);
    } else {
      slot.job(slot.address, from, bytes, false);
      launch(queue, slot);
      try {
        direct(queue, to, slot.address, bytes);
      } catch (Throwable t) {
        waitFor(queue, t);
        throw t;
      }
    }
    return true;
  }

  private void launchWriting(long queue, StagingSlot slot) {
    WRITING.incrementAndGet();
    try {
      launch(queue, slot);
    } catch (Throwable t) {
      WRITING.decrementAndGet();
      throw t;
    }
  }

  private void launch(long queue, StagingSlot slot) {
    gpu.check(Cu.launchHostFunc(queue, RUN, slot.job), "cuLaunchHostFunc");
  }

  private void direct(long queue, long to, long from, long bytes) {
    int code = CuMemory.memcpyAsync(to, from, bytes, queue);
    if (code == Cu.SUCCESS) return;
    throw gpu.error("cuMemcpyAsync", code, bytes + " bytes from 0x" + Long.toHexString(from) + " to 0x" + Long.toHexString(to));
  }

  /** A slot must not be used again while half of a copy is in the queue. */
  private void waitFor(long queue, Throwable cause) {
    int code = Cu.streamSynchronize(queue);
    if (code != Cu.SUCCESS) cause.addSuppressed(gpu.error("cuStreamSynchronize", code, ""));
  }

  /** Memory that the driver does not know. */
  private boolean isPageable(long address) {
    int code = CuMemory.pointerGetAttribute(Cu.scratch().address(), CuMemory.POINTER_MEMORY_TYPE, address);
    if (code == Cu.SUCCESS) return false;
    if (code == Cu.INVALID_VALUE) return true;
    throw gpu.error("cuPointerGetAttribute", code, "0x" + Long.toHexString(address));
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
