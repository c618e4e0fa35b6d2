// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.function.IntSupplier;
import org.arbalest.device.spi.Answer;
import org.arbalest.device.spi.LateCalls;

/**
 * A daemon thread for what may not run where it was asked for, as calls from a host function, which may not call CUDA, and frees that wait until the GPU is idle,
 * as those of pinned memory do; and for what could not be given back, and is tried again (DEV-26).
 */
final class Frees {
  private static final LateCalls CALLS = new LateCalls("arbalest-rocm-frees", HipCapture::relaxForGood, HipErrors::report);

  private Frees() {}

  /** A call that gives something back: enters the context, and answers with the driver's code. */
  private static final class Call implements LateCalls.Call {
    private final Gpu gpu;
    private final String function;
    private final String asked;
    private final IntSupplier attempt;
    private int code;

    Call(Gpu gpu, String function, String asked, IntSupplier attempt) {
      this.gpu = gpu;
      this.function = function;
      this.asked = asked;
      this.attempt = attempt;
    }

    @Override
    public Answer attempt() {
      code = attempt.getAsInt();
      return HipAnswers.of(code);
    }

    @Override
    public RuntimeException failure() {
      return gpu.error(function, code, asked);
    }
  }

  /** Starts the thread, which may fail: to be called before there is something that must be done. */
  static void start() {
    CALLS.start();
  }

  /** Does not block. */
  static void submit(Runnable task) {
    CALLS.submit(task);
  }

  /** Gives something back on the thread, until that is done or has failed for good. Does not block. */
  static void give(Gpu gpu, String function, String asked, IntSupplier attempt) {
    CALLS.give(new Call(gpu, function, asked, attempt));
  }

  /** Goes on with a call that was made on this thread, and ended with a code. Does not block. */
  static void goOn(int code, Gpu gpu, String function, String asked, IntSupplier attempt) {
    if (code == Hip.SUCCESS) return;
    Call call = new Call(gpu, function, asked, attempt);
    call.code = code;
    CALLS.goOn(HipAnswers.of(code), call);
  }

  /** Waits until what was submitted before is done, or was tried. */
  static void drain() {
    CALLS.drain();
  }
}
