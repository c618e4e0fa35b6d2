// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.CaptureMode;

/** The mode of threads beside graphs that others capture, by {@code hipThreadExchangeStreamCaptureMode}: see {@link CaptureMode}. From 7.0 to 7.2 HIP refuses queries of events to relaxed threads as well. */
final class HipCapture {
  private static final MethodHandle THREAD_EXCHANGE_STREAM_CAPTURE_MODE = Hip.optional("hipThreadExchangeStreamCaptureMode", JAVA_LONG);

  private static final MethodHandle STREAM_IS_CAPTURING = Hip.optional("hipStreamIsCapturing", JAVA_LONG, JAVA_LONG);

  private static final CaptureMode MODE = new CaptureMode(HipCapture::exchange, HipAnswers::of, HipCapture::report);

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

  static int streamIsCapturing(long stream, long status) {
    try {
      return (int) STREAM_IS_CAPTURING.invokeExact(stream, status);
    } catch (Throwable t) {
      throw Hip.unexpected(t);
    }
  }

  /** Who lacks the function, or fails in it, knows: {@code hipGetLastError} is the user's. */
  private static int exchange(long mode) {
    int code = threadExchangeStreamCaptureMode(mode);
    if (code != Hip.SUCCESS && code != Hip.NOT_SUPPORTED) HipErrors.forget();
    return code;
  }

  private static void report(int code) {
    HipErrors.report("restoring the thread's capture mode", HipErrors.exception("hipThreadExchangeStreamCaptureMode", code, ""));
  }

  /** See {@link CaptureMode#prepare}; this thread's {@link Hip#scratch}, too. */
  static void prepare() {
    MODE.prepare();
    Hip.scratch();
  }

  /** See {@link CaptureMode#relax}. */
  static void relax() {
    MODE.relax();
  }

  /** See {@link CaptureMode#restore}. */
  static void restore() {
    MODE.restore();
  }

  /** See {@link CaptureMode#relaxForGood}. */
  static void relaxForGood() {
    MODE.relaxForGood();
  }
}
