// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.CaptureMode;

/**
 * The mode of threads beside graphs that others capture, by {@code cuThreadExchangeStreamCaptureMode}: see {@link
 * CaptureMode}.
 */
final class CuCapture {
  private static final CaptureMode MODE = new CaptureMode(CuCapture::exchange, CuAnswers::of, CuCapture::report);

  private CuCapture() {}

  /** Initialises the class, so that this does not happen in the middle of something. */
  static void load() {}

  private static int exchange(long mode) {
    return Cu.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.call(mode);
  }

  private static void report(int code) {
    CuErrors.report("restoring the thread's capture mode",
        CuErrors.exception(Cu.THREAD_EXCHANGE_STREAM_CAPTURE_MODE.label(), code, ""));
  }

  /** See {@link CaptureMode#prepare}; this thread's {@link Cu#scratch}, too. */
  static void prepare() {
    MODE.prepare();
    Cu.scratch();
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
