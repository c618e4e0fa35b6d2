// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.Answer;

/**
 * How a thread stands to graphs that other threads capture. While one captures in global mode, HIP refuses allocations, queries, waits and frees of all threads, and
 * invalidates the capture, unless the thread that calls is relaxed ({@code hipThreadExchangeStreamCaptureMode}). What we call depends on no captured work, so we are
 * relaxed around it; and the mode is restored, since it is the user's thread (DEV-23). From 7.0 to 7.2 HIP refuses queries of events to relaxed threads as well.
 */
final class HipCapture {
  private static final int RELAXED = 2;

  private static final MethodHandle THREAD_EXCHANGE_STREAM_CAPTURE_MODE = Hip.optional("hipThreadExchangeStreamCaptureMode", JAVA_LONG);

  private static final ThreadLocal<HipCapture> CURRENT = ThreadLocal.withInitial(HipCapture::new);

  private final MemorySegment mode = Arena.ofAuto().allocate(JAVA_INT);
  private boolean isRelaxed;
  private boolean isOurs;

  private HipCapture() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  static int threadExchangeStreamCaptureMode(long mode) {
    try {
      return (int) THREAD_EXCHANGE_STREAM_CAPTURE_MODE.invokeExact(mode);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  /**
   * Makes what this thread needs to call {@link #relax} and {@link #restore}, and {@link Hip#scratch}. To be called before a device is set: a virtual thread may have to wait for
   * it, and then go on on another OS thread.
   */
  static void prepare() {
    CURRENT.get();
    Hip.scratch();
  }

  /** Relaxes this thread until {@link #restore}, without anything but calls of HIP in between; as it is, if HIP cannot do that. */
  static void relax() {
    HipCapture thread = CURRENT.get();
    if (!thread.isOurs && !thread.isRelaxed) thread.isRelaxed = thread.exchange(RELAXED) == Hip.SUCCESS;
  }

  /** Restores what was before {@link #relax}, if that was called. */
  static void restore() {
    HipCapture thread = CURRENT.get();
    if (!thread.isRelaxed) return;
    thread.isRelaxed = false;
    int before = thread.mode.get(JAVA_INT, 0);
    int code = thread.exchange(before);
    if (HipAnswers.of(code) == Answer.UNKNOWN) code = thread.exchange(before); // it is the user's thread: not given up at once
    if (code == Hip.SUCCESS || HipAnswers.of(code) == Answer.GONE) return;
    HipErrors.report("restoring the thread's capture mode", HipErrors.exception("hipThreadExchangeStreamCaptureMode", code, ""));
  }

  /** Relaxes a thread of ours for good. */
  static void relaxForGood() {
    HipCapture thread = CURRENT.get();
    thread.isOurs = thread.exchange(RELAXED) == Hip.SUCCESS;
  }

  /** The mode before is then where this one was. Who lacks the function, or fails in it, knows: {@code hipGetLastError} is the user's. */
  private int exchange(int next) {
    mode.set(JAVA_INT, 0, next);
    int code = threadExchangeStreamCaptureMode(mode.address());
    if (code != Hip.SUCCESS && code != Hip.NOT_SUPPORTED) HipErrors.forget();
    return code;
  }
}
