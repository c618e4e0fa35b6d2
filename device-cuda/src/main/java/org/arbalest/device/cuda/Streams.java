// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * Streams that the legacy default stream does not hold up, and events that record no times, and for which a thread
 * sleeps rather than spins.
 */
final class Streams {
  private static final int EVENT_FLAGS = Cu.EVENT_DISABLE_TIMING | Cu.EVENT_BLOCKING_SYNC;

  private Streams() {}

  static long create(Gpu gpu) {
    MemorySegment scratch = Cu.scratch();
    gpu.enter();
    int code = Cu.STREAM_CREATE.call(scratch.address(), Cu.STREAM_NON_BLOCKING);
    gpu.leave();
    gpu.check(code, Cu.STREAM_CREATE);
    return scratch.get(JAVA_LONG, 0);
  }

  /**
   * Whether a stream is captured; or, of the legacy default stream, another that waits for it. A stream's handle knows
   * its context: {@code CUDA_ERROR_INVALID_CONTEXT} is not among what {@code cuda.h} says of the call, and so it is
   * made current where it is answered nevertheless. Where nobody can tell, the next call does.
   */
  static boolean isCaptured(Gpu gpu, long stream) {
    boolean isDefault = Long.compareUnsigned(stream, Cu.PER_THREAD_STREAM) <= 0;
    int status = isDefault ? -Cu.INVALID_CONTEXT : captureStatus(stream);
    if (status == -Cu.INVALID_CONTEXT) {
      if (gpu.pushOrdered() != Cu.SUCCESS) return false;
      status = captureStatus(stream);
      gpu.leave();
    }
    return isCapture(status);
  }

  /** Likewise, in the context. */
  static boolean isCaptured(long stream) {
    return isCapture(captureStatus(stream));
  }

  /** The driver's status, or its code, negated. */
  private static int captureStatus(long stream) {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.STREAM_IS_CAPTURING.call(stream, scratch.address());
    return code == Cu.SUCCESS ? scratch.get(JAVA_INT, 0) : -code;
  }

  private static boolean isCapture(int status) {
    return status > 0 || status == -Cu.CAPTURE_IMPLICIT;
  }

  /** In the context: the driver's code, and the event in {@code out}. */
  static int createEvent(long out) {
    return Cu.EVENT_CREATE.call(out, EVENT_FLAGS);
  }

  /** An event at the end of a stream. */
  static long record(Gpu gpu, long stream) {
    MemorySegment scratch = Cu.scratch();
    gpu.enterOrdered();
    int created = createEvent(scratch.address());
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Cu.SUCCESS ? Cu.EVENT_RECORD.call(event, stream) : created;
    int destroyed = created == Cu.SUCCESS && recorded != Cu.SUCCESS ? Cu.EVENT_DESTROY.call(event) : Cu.SUCCESS;
    gpu.leave();
    gpu.check(created, Cu.EVENT_CREATE);
    if (recorded == Cu.SUCCESS) return event;
    var failure = gpu.error(Cu.EVENT_RECORD, recorded, "");
    if (destroyed != Cu.SUCCESS) failure.addSuppressed(gpu.error(Cu.EVENT_DESTROY, destroyed, ""));
    throw failure;
  }

  /** An event of ours that completes when somebody else's does, as that is recorded now. */
  static long copyOf(Gpu gpu, long event) {
    if (gpu.waits.query(event) == Cu.CAPTURED_EVENT)
      throw gpu.error(Cu.STREAM_WAIT_EVENT, Cu.CAPTURED_EVENT, "for a stream that would become part of the graph");
    long stream = create(gpu);
    try {
      gpu.enterOrdered();
      int code = Cu.STREAM_WAIT_EVENT.call(stream, event, 0);
      gpu.leave();
      gpu.check(code, Cu.STREAM_WAIT_EVENT);
      return record(gpu, stream);
    } finally {
      destroy(gpu, stream);
    }
  }

  /**
   * Destroys a stream of ours; what is in it is still done. Where that cannot be now, in a host function for one,
   * another thread does it.
   */
  static void destroy(Gpu gpu, long stream) {
    int code = destroyNow(gpu, stream);
    if (code != Cu.SUCCESS) {
      Frees.CALLS.goOn(code, () -> destroyNow(gpu, stream), failed -> gpu.error(Cu.STREAM_DESTROY, failed, ""));
    }
  }

  private static int destroyNow(Gpu gpu, long stream) {
    int code = gpu.push();
    if (code != Cu.SUCCESS) return code;
    code = Cu.STREAM_DESTROY.call(stream);
    gpu.leave();
    return code;
  }

  /** Like {@link #destroy}, an event. */
  static void destroyEvent(Gpu gpu, long event) {
    int code = destroyEventNow(gpu, event);
    if (code != Cu.SUCCESS) {
      Frees.CALLS.goOn(code, () -> destroyEventNow(gpu, event), failed -> gpu.error(Cu.EVENT_DESTROY, failed, ""));
    }
  }

  /** Forbidden by no capture. */
  private static int destroyEventNow(Gpu gpu, long event) {
    int code = gpu.pushOrdered();
    if (code != Cu.SUCCESS) return code;
    code = Cu.EVENT_DESTROY.call(event);
    gpu.leave();
    return code;
  }
}
