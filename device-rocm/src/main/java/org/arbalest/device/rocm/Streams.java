// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;

/** Streams that the default stream does not hold up, and events that record no times, and for which a thread sleeps rather than spins. */
final class Streams {
  private static final int EVENT_FLAGS = Hip.EVENT_DISABLE_TIMING | Hip.EVENT_BLOCKING_SYNC;

  private Streams() {}

  static long create(Gpu gpu) {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enter();
    int code = Hip.streamCreate(scratch.address(), Hip.STREAM_NON_BLOCKING);
    gpu.leave(before);
    gpu.check(code, "hipStreamCreateWithFlags");
    return scratch.get(JAVA_LONG, 0);
  }

  /** A stream for nothing but waits. While the GPU is current: HIP's code, and the stream in {@code out}. */
  static int createForWaits(Gpu gpu, long out) {
    return Hip.streamCreateWithPriority(out, Hip.STREAM_NON_BLOCKING, gpu.waitPriority);
  }

  /** While the GPU is current: HIP's code, and the event in {@code out}. */
  static int createEvent(long out) {
    return Hip.eventCreate(out, EVENT_FLAGS);
  }

  /** An event at the end of a stream. */
  static long record(Gpu gpu, long stream) {
    MemorySegment scratch = Hip.scratch();
    int before = gpu.enter();
    int created = createEvent(scratch.address());
    long event = scratch.get(JAVA_LONG, 0);
    int recorded = created == Hip.SUCCESS ? Hip.eventRecord(event, stream) : created;
    int destroyed = created == Hip.SUCCESS && recorded != Hip.SUCCESS ? Hip.eventDestroy(event) : Hip.SUCCESS;
    gpu.leave(before);
    gpu.check(created, "hipEventCreateWithFlags");
    if (recorded == Hip.SUCCESS) return event;
    var failure = gpu.error("hipEventRecord", recorded, "");
    if (destroyed != Hip.SUCCESS) failure.addSuppressed(gpu.error("hipEventDestroy", destroyed, ""));
    throw failure;
  }

  /** Destroys a stream of ours when what is in it is done, and does not wait for that, as HIP would let its caller. */
  static void destroy(Gpu gpu, long stream) {
    int code = Hip.streamQuery(stream);
    if (code == Hip.SUCCESS) destroyNow(gpu, stream);
    if (code == Hip.NOT_READY) destroyAfterAll(gpu, stream);
    if (code != Hip.SUCCESS && code != Hip.NOT_READY) Frees.submit(() -> destroyNow(gpu, stream)); // if it waits, then there
  }

  private static void destroyAfterAll(Gpu gpu, long stream) {
    long end;
    try {
      end = record(gpu, stream);
    } catch (DeviceException e) {
      Frees.submit(() -> destroyNow(gpu, stream));
      throw e;
    }
    Runnable last = () -> {
      try {
        destroyEvent(gpu, end);
      } finally {
        destroyNow(gpu, stream);
      }
    };
    try {
      gpu.waits.add(end, () -> Frees.submit(last));
    } catch (DeviceException e) {
      Frees.submit(last);
      throw e;
    }
  }

  private static void destroyNow(Gpu gpu, long stream) {
    int code = Hip.streamDestroy(stream);
    if (code != Hip.DEINITIALIZED) gpu.check(code, "hipStreamDestroy"); // at the end of the process there is nothing left
  }

  /** Destroys an event, which waits for nothing unless a thread waits for it. */
  static void destroyEvent(Gpu gpu, long event) {
    int code = Hip.eventDestroy(event);
    if (code != Hip.DEINITIALIZED) gpu.check(code, "hipEventDestroy");
  }
}
