// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.spi.CaptureMode;

/**
 * The capture mode of threads, while other threads capture graphs, by {@code hipThreadExchangeStreamCaptureMode}; see
 * {@link CaptureMode}. From 7.0 to 7.2, HIP also refuses queries of events on relaxed threads.
 */
final class HipCapture {
  private static final CaptureMode MODE = new CaptureMode(HipCapture::exchange, HipAnswers::of, HipCapture::report);

  private HipCapture() {}

  /** Initialises the class early, so that this does not happen within another operation. */
  static void load() {}

  /**
   * Exchanges the mode, and returns HIP's code. A failure is cleared for {@code hipGetLastError}, which belongs to the
   * application.
   */
  private static int exchange(long mode) {
    int code = Hip.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.call(mode);
    if (code != Hip.SUCCESS && code != Hip.NOT_SUPPORTED) HipErrors.forget();
    return code;
  }

  private static void report(int code) {
    HipErrors.report("restoring the thread's capture mode",
        HipErrors.exception(Hip.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.name(), code, ""));
  }

  /** Prepares this thread, and creates its {@link Hip#scratch}; see {@link CaptureMode#prepare}. */
  static void prepare() {
    MODE.prepare();
    Hip.scratch();
  }

  /** Relaxes this thread; see {@link CaptureMode#relax}. */
  static void relax() {
    MODE.relax();
  }

  /** Restores this thread's mode; see {@link CaptureMode#restore}. */
  static void restore() {
    MODE.restore();
  }

  /** Relaxes a thread of this library permanently; see {@link CaptureMode#relaxForGood}. */
  static void relaxForGood() {
    MODE.relaxForGood();
  }
}
