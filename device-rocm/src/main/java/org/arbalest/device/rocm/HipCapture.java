// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.spi.CaptureMode;

/**
 * The mode of threads beside graphs that others capture, by {@code hipThreadExchangeStreamCaptureMode}: see
 * {@link CaptureMode}. From 7.0 to 7.2 HIP refuses queries of events to relaxed threads as well.
 */
final class HipCapture {
  private static final CaptureMode MODE = new CaptureMode(HipCapture::exchange, HipAnswers::of, HipCapture::report);

  private HipCapture() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  /** Who lacks the function, or fails in it, knows: {@code hipGetLastError} is the user's. */
  private static int exchange(long mode) {
    int code = Hip.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.call(mode);
    if (code != Hip.SUCCESS && code != Hip.NOT_SUPPORTED) HipErrors.forget();
    return code;
  }

  private static void report(int code) {
    HipErrors.report("restoring the thread's capture mode",
        HipErrors.exception(Hip.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.name(), code, ""));
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
