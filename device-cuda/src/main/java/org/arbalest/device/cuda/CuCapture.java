// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.CaptureMode;

/**
 * The capture mode of threads, while other threads capture graphs, by {@code cuThreadExchangeStreamCaptureMode}; see
 * {@link CaptureMode}.
 */
final class CuCapture {
  private static final CaptureMode MODE = new CaptureMode(CuCapture::exchange, CuAnswers::of, CuCapture::report);

  private CuCapture() {}

  /** Initialises the class early, so that this does not happen within another operation. */
  static void load() {}

  private static int exchange(long mode) {
    return Cu.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.call(mode);
  }

  private static void report(int code) {
    CuErrors.report("restoring the thread's capture mode",
        CuErrors.exception(Cu.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.label(), code, ""));
  }

  /** Prepares this thread, and creates its {@link Cu#scratch}; see {@link CaptureMode#prepare}. */
  static void prepare() {
    MODE.prepare();
    Cu.scratch();
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
