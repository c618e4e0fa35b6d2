// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/**
 * Streams that the legacy default stream does not delay, and events that record no times. A thread that waits for such
 * an event sleeps rather than spins.
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
   * Returns whether a stream is captured. For the legacy default stream: whether another stream that waits for it is
   * captured. If the state is unknown, the result is false, and the next call reports the capture.
   *
   * <p>A stream's handle identifies its context: {@code cuda.h} does not list {@code CUDA_ERROR_INVALID_CONTEXT} for
   * the query. If the driver returns that code nevertheless, the method makes the context current, and queries again.
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

  /** Returns the driver's status, or its code, negated. */
  private static int captureStatus(long stream) {
    MemorySegment scratch = Cu.scratch();
    int code = Cu.STREAM_IS_CAPTURING.call(stream, scratch.address());
    return code == Cu.SUCCESS ? scratch.get(JAVA_INT, 0) : -code;
  }

  private static boolean isCapture(int status) {
    return status > 0 || status == -Cu.CAPTURE_IMPLICIT;
  }

  /** Creates an event, writes it to {@code out}, and returns the driver's code. The context must be current. */
  static int createEvent(long out) {
    return Cu.EVENT_CREATE.call(out, EVENT_FLAGS);
  }

  /** Creates an event at the end of a stream. */
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

  /**
   * Rejects the handle of a default stream, 0 to 2, while another context of the GPU is current. The handle means a
   * stream of the current context, and the library makes the primary context current: the work would have no order.
   *
   * <p>While a context of another GPU is current, the handle means this GPU's stream, as in PyTorch.
   *
   * @throws DeviceException with {@code EINVAL} and both contexts
   */
  static void checkDefault(Gpu gpu, long stream) {
    MemorySegment scratch = Cu.scratch();
    gpu.check(Cu.CTX_GET_CURRENT.call(scratch.address()), Cu.CTX_GET_CURRENT);
    long current = scratch.get(JAVA_LONG, 0);
    if (current == 0 || current == gpu.context()) return;
    gpu.check(Cu.CTX_GET_DEVICE.call(scratch.address()), Cu.CTX_GET_DEVICE);
    if (scratch.get(JAVA_INT, 0) != gpu.device()) return;
    throw new DeviceException(Errno.EINVAL,
        "the handle " + stream + " is that of a default stream of the current context 0x" + Long.toHexString(current)
            + ", but " + gpu.name + " works in its primary context 0x" + Long.toHexString(gpu.context())
            + "; make that current by Cuda.enter(device), or use a stream created in it or in a green context");
  }

  /** Creates an event that completes with the current recording of an event of the application. */
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
   * Destroys a stream of this library; its queued work is still done. If the stream cannot be destroyed now, for
   * example in a host function, another thread destroys it.
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

  /** Destroys an event; if that is not possible now, another thread does it, as for {@link #destroy}. */
  static void destroyEvent(Gpu gpu, long event) {
    int code = destroyEventNow(gpu, event);
    if (code != Cu.SUCCESS) {
      Frees.CALLS.goOn(code, () -> destroyEventNow(gpu, event), failed -> gpu.error(Cu.EVENT_DESTROY, failed, ""));
    }
  }

  /** Destroys an event, and returns the driver's code. No capture forbids this call. */
  private static int destroyEventNow(Gpu gpu, long event) {
    int code = gpu.pushOrdered();
    if (code != Cu.SUCCESS) return code;
    code = Cu.EVENT_DESTROY.call(event);
    gpu.leave();
    return code;
  }
}
