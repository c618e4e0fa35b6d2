// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;

/** Streams that the legacy default stream does not hold up, and events that record no times, and for which a thread sleeps rather than spins. */
final class Streams {
  private static final int EVENT_FLAGS = Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC;

  private Streams() {}

  static long create(Gpu gpu) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = Cu.streamCreate(scratch.address(), Cu.STREAM_NON_BLOCKING);
    gpu.leave();
    gpu.check(code, "cuStreamCreate");
    return scratch.get(JAVA_LONG, 0);
  }

  /** A stream for nothing but waits, which is one like any other. In the context: the driver's code, and the stream in {@code out}. */
  static int createForWaits(long out) {
    return Cu.streamCreate(out, Cu.STREAM_NON_BLOCKING);
  }

  /** In the context: the driver's code, and the event in {@code out}. */
  static int createEvent(long out) {
    return Cu.eventCreate(out, EVENT_FLAGS);
  }

  /** An event at the end of a stream. */
  static long record(Gpu gpu, long stream) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int created = createEvent(scratch.address());
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Cu.SUCCESS ? Cu.eventRecord(event, stream) : created;
    int destroyed = created == Cu.SUCCESS && recorded != Cu.SUCCESS ? Cu.eventDestroy(event) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(created, "cuEventCreate");
    if (recorded == Cu.SUCCESS) return event;
    var failure = gpu.error("cuEventRecord", recorded, "");
    if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error("cuEventDestroy", destroyed, ""));
    throw failure;
  }

  /** An event of ours that completes when somebody else's does, as that is recorded now. */
  static long copyOf(Gpu gpu, long event) {
    long stream = create(gpu);
    try {
      gpu.enter();
      int code = Cu.streamWaitEvent(stream, event, 0);
      gpu.leave();
      gpu.check(code, "cuStreamWaitEvent");
      return record(gpu, stream);
    } finally {
      try {
        destroy(gpu, stream);
      } catch (DeviceException e) {
        CuErrors.report("destroying a stream", e);
      }
    }
  }

  /** Destroys a stream of ours; what is in it is still done. In a host function, which may not call CUDA, it is another thread that does it. */
  static void destroy(Gpu gpu, long stream) {
    if (!tryDestroy(gpu, stream)) Frees.submit(() -> tryDestroy(gpu, stream));
  }

  /** False if this thread may not call CUDA now. */
  private static boolean tryDestroy(Gpu gpu, long stream) {
    if (!gpu.tryEnter()) return false;
    int code = Cu.streamDestroy(stream);
    gpu.leave();
    if (code == Cu.NOT_PERMITTED) return false;
    if (code != Cu.DEINITIALIZED) gpu.check(code, "cuStreamDestroy"); // at the end of the process there is nothing left
    return true;
  }

  /** Like {@link #destroy}, an event. */
  static void destroyEvent(Gpu gpu, long event) {
    if (!tryDestroyEvent(gpu, event)) Frees.submit(() -> tryDestroyEvent(gpu, event));
  }

  private static boolean tryDestroyEvent(Gpu gpu, long event) {
    if (!gpu.tryEnter()) return false;
    int code = Cu.eventDestroy(event);
    gpu.leave();
    if (code == Cu.NOT_PERMITTED) return false;
    if (code != Cu.DEINITIALIZED) gpu.check(code, "cuEventDestroy");
    return true;
  }
}
