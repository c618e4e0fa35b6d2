// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.spi.Answer;

/**
 * Streams that the default stream does not delay, and events that record no times. A thread that waits for such an
 * event sleeps rather than spins.
 */
final class Streams {
  private static final int EVENT_FLAGS = Hip.EVENT_DISABLE_TIMING | Hip.EVENT_BLOCKING_SYNC;

  private static final long PAUSE_NANOS = 100_000;

  private Streams() {}

  static long create(Gpu gpu) {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enter();
    int code = Hip.STREAM_CREATE.call(scratch.address(), Hip.STREAM_NON_BLOCKING);
    gpu.leave(before);
    gpu.check(code, Hip.STREAM_CREATE);
    return scratch.get(JAVA_LONG, 0);
  }

  /**
   * Returns whether a stream is captured. For the default stream: whether another stream that waits for it is captured.
   * If the state is unknown, the result is false, and the next call reports the capture.
   */
  static boolean isCaptured(Gpu gpu, long stream) {
    int before = gpu.pushOrdered();
    if (before < 0) return false;
    MemorySegment scratch = Hip.scratch();
    int code = Hip.STREAM_IS_CAPTURING.call(stream, scratch.address());
    if (code != Hip.SUCCESS && code != Hip.NOT_SUPPORTED) HipErrors.forget();
    gpu.leave(before);
    return code == Hip.CAPTURE_IMPLICIT || (code == Hip.SUCCESS && scratch.get(JAVA_INT, 0) != 0);
  }

  /** Creates an event, writes it to {@code out}, and returns HIP's code. The device must be current. */
  static int createEvent(long out) {
    return Hip.EVENT_CREATE.call(out, EVENT_FLAGS);
  }

  /** Creates an event at the end of a stream. */
  static long record(Gpu gpu, long stream) {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enterOrdered();
    int created = createEvent(scratch.address());
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Hip.SUCCESS ? Hip.EVENT_RECORD.call(event, stream) : created;
    int destroyed = created == Hip.SUCCESS && recorded != Hip.SUCCESS ? Hip.EVENT_DESTROY.call(event) : Hip.SUCCESS;
    gpu.leave(before);
    gpu.check(created, Hip.EVENT_CREATE);
    if (recorded == Hip.SUCCESS) return event;
    var failure = gpu.error(Hip.EVENT_RECORD, recorded, "");
    if (destroyed != Hip.SUCCESS) failure.addSuppressed(gpu.error(Hip.EVENT_DESTROY, destroyed, ""));
    throw failure;
  }

  /**
   * Destroys a stream of this library once its queued work is done. The method does not wait for that, although HIP
   * would block its caller.
   */
  static void destroy(Gpu gpu, long stream) {
    int code = query(stream);
    switch (HipAnswers.of(code)) {
      case DONE -> {
        code = destroyNow(stream);
        if (code != Hip.SUCCESS) {
          Frees.CALLS.goOn(code, () -> destroyNow(stream), failed -> gpu.error(Hip.STREAM_DESTROY, failed, ""));
        }
      }
      case NOT_READY, CANNOT_TELL, CAPTURED -> Frees.CALLS.goOn(code, () -> tryDestroy(stream),
          failed -> gpu.error(Hip.STREAM_DESTROY, failed, ""));
      // if destroying the stream waits, it waits on that thread
      case FAILED, UNKNOWN -> Frees.CALLS.give(() -> destroyNow(stream),
          failed -> gpu.error(Hip.STREAM_DESTROY, failed, ""));
      case GONE -> {} // the stream no longer exists either
    }
  }

  /** Tries to destroy a stream, and returns HIP's code; {@link Hip#NOT_READY} if work is left in the stream. */
  private static int tryDestroy(long stream) {
    int code = query(stream);
    return switch (HipAnswers.of(code)) {
      case NOT_READY, CANNOT_TELL, CAPTURED, GONE -> code;
      case DONE, FAILED, UNKNOWN -> destroyNow(stream);
    };
  }

  /**
   * Blocks until a stream's work is done, by periodic queries. Throws if the work failed, or if its state stays
   * unknown.
   */
  static void await(Gpu gpu, long stream) {
    long end = System.nanoTime() + Waits.HELD_NANOS;
    boolean interrupted = false;
    int code = query(gpu, stream);
    while (code == Hip.NOT_READY || (HipAnswers.of(code) == Answer.CANNOT_TELL && System.nanoTime() - end < 0)) {
      LockSupport.parkNanos(PAUSE_NANOS);
      interrupted |= Thread.interrupted(); // an interrupt does not stop the stream
      code = query(gpu, stream);
    }
    if (interrupted) Thread.currentThread().interrupt();
    if (code != Hip.SUCCESS) throw gpu.error(Hip.STREAM_QUERY, code, "");
  }

  /** Queries a stream with its device current, which the default stream requires. */
  private static int query(Gpu gpu, long stream) {
    int before = gpu.enterOrdered();
    int code = query(stream);
    gpu.leave(before);
    return code;
  }

  private static int query(long stream) {
    HipCapture.relax();
    int code = Hip.STREAM_QUERY.call(stream);
    HipCapture.restore();
    if (code != Hip.SUCCESS && code != Hip.NOT_READY) HipErrors.forget();
    return code;
  }

  /** Destroys a stream, and returns HIP's code. No capture forbids this call. */
  private static int destroyNow(long stream) {
    return Hip.STREAM_DESTROY.call(stream);
  }

  /**
   * Destroys an event. HIP waits only if a thread waits for the event. If the event cannot be destroyed now, another
   * thread destroys it.
   */
  static void destroyEvent(Gpu gpu, long event) {
    int code = Hip.EVENT_DESTROY.call(event);
    if (code != Hip.SUCCESS) {
      Frees.CALLS.goOn(code, () -> Hip.EVENT_DESTROY.call(event), failed -> gpu.error(Hip.EVENT_DESTROY, failed, ""));
    }
  }
}
