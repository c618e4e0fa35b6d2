package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Streams that are not held up by the legacy default stream. */
final class Streams {
  private Streams() {}

  static long create(Gpu gpu) {
    gpu.enter();
    try {
      MemorySegment scratch = Cu.scratch();
      gpu.check(Cu.streamCreate(scratch.address(), Cu.STREAM_NON_BLOCKING), "cuStreamCreate");
      return scratch.get(JAVA_LONG, 0);
    } finally {
      gpu.leave();
    }
  }
}
