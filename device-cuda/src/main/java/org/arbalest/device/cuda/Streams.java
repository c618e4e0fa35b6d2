package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Streams that the legacy default stream does not hold up, and events that record no times, and for which a thread sleeps rather than spins. */
final class Streams {
  private static final int EVENT_FLAGS = Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC;

  private Streams() {}

  static long create(Gpu gpu) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = create(scratch);
    gpu.leave();
    gpu.check(code, "cuStreamCreate");
    return scratch.get(JAVA_LONG, 0);
  }

  /** In the context: the driver's code, and the stream in {@code out}. */
  static int create(MemorySegment out) {
    return Cu.streamCreate(out.address(), Cu.STREAM_NON_BLOCKING);
  }

  /** In the context: the driver's code, and the event in {@code out}. */
  static int createEvent(MemorySegment out) {
    return Cu.eventCreate(out.address(), EVENT_FLAGS);
  }

  /** An event at the end of a stream. */
  static long record(Gpu gpu, long stream) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int created = createEvent(scratch);
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
      destroy(gpu, stream);
    }
  }

  /** What is in it is still done. */
  private static void destroy(Gpu gpu, long stream) {
    gpu.enter();
    int code = Cu.streamDestroy(stream);
    gpu.leave();
    if (code != Cu.SUCCESS) CuErrors.report("destroying a stream", gpu.error("cuStreamDestroy", code, ""));
  }
}
