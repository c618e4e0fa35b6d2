// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.MethodHandle;
import org.arbalest.device.spi.CaptureMode;

/** The mode of threads beside graphs that others capture, by {@code cuThreadExchangeStreamCaptureMode}, since CUDA 10.1: see {@link CaptureMode}. */
final class CuCapture {
  private static final MethodHandle THREAD_EXCHANGE_STREAM_CAPTURE_MODE = Cu.optional("cuThreadExchangeStreamCaptureMode", JAVA_LONG);

  private static final MethodHandle STREAM_IS_CAPTURING = Cu.optional("cuStreamIsCapturing", JAVA_LONG, JAVA_LONG);

  private static final CaptureMode MODE = new CaptureMode(CuCapture::threadExchangeStreamCaptureMode, CuAnswers::of, CuCapture::report);

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

  /** Since CUDA 10.0. */
  static int streamIsCapturing(long stream, long status) {
    try {
      return (int) STREAM_IS_CAPTURING.invokeExact(stream, status);
    } catch (Throwable t) {
      throw Cu.unexpected(t);
    }
  }

  private static void report(int code) {
    CuErrors.report("restoring the thread's capture mode", CuErrors.exception("cuThreadExchangeStreamCaptureMode", code, ""));
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
