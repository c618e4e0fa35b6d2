// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.Answer;

/**
 * How a thread stands to graphs that other threads capture. While one captures in global mode, "potentially unsafe" calls (allocations, queries, waits, frees) of
 * all threads are refused, and the capture is invalidated, unless the thread that calls is relaxed ({@code cuThreadExchangeStreamCaptureMode}, since CUDA 10.1).
 * What we call depends on no captured work, so we are relaxed around it; and the mode is restored, since it is the user's thread (DEV-23).
 */
final class CuCapture {
  private static final int RELAXED = 2;

  private static final MethodHandle THREAD_EXCHANGE_STREAM_CAPTURE_MODE = Cu.optional("cuThreadExchangeStreamCaptureMode", JAVA_LONG);

  private static final ThreadLocal<CuCapture> CURRENT = ThreadLocal.withInitial(CuCapture::new);

  private final MemorySegment mode = Arena.ofAuto().allocate(JAVA_INT);
  private boolean isRelaxed;
  private boolean isOurs;

  private CuCapture() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int threadExchangeStreamCaptureMode(long mode) {
    try {
      return (int) THREAD_EXCHANGE_STREAM_CAPTURE_MODE.invokeExact(mode);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  /**
   * Makes what this thread needs to call {@link #relax} and {@link #restore}, and {@link Cu#scratch}. To be called before a context is current: a virtual thread may have to wait for
   * it, and then go on on another OS thread.
   */
  static void prepare() {
    CURRENT.get();
    Cu.scratch();
  }

  /** Relaxes this thread until {@link #restore}, without anything but calls of the driver in between; as it is, if the driver cannot do that. */
  static void relax() {
    CuCapture thread = CURRENT.get();
    if (!thread.isOurs && !thread.isRelaxed) thread.isRelaxed = thread.exchange(RELAXED) == Cu.SUCCESS;
  }

  /** Restores what was before {@link #relax}, if that was called. */
  static void restore() {
    CuCapture thread = CURRENT.get();
    if (!thread.isRelaxed) return;
    thread.isRelaxed = false;
    int before = thread.mode.get(JAVA_INT, 0);
    int code = thread.exchange(before);
    if (CuAnswers.of(code) == Answer.UNKNOWN) code = thread.exchange(before); // it is the user's thread: not given up at once
    if (code == Cu.SUCCESS || CuAnswers.of(code) == Answer.GONE) return;
    CuErrors.report("restoring the thread's capture mode", CuErrors.exception("cuThreadExchangeStreamCaptureMode", code, ""));
  }

  /** Relaxes a thread of ours for good. */
  static void relaxForGood() {
    CuCapture thread = CURRENT.get();
    thread.isOurs = thread.exchange(RELAXED) == Cu.SUCCESS;
  }

  /** The mode before is then where this one was. */
  private int exchange(int next) {
    mode.set(JAVA_INT, 0, next);
    return threadExchangeStreamCaptureMode(mode.address());
  }
}
