// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.LateCalls;

/**
 * A daemon thread for calls that must not run where they are requested, such as in a host function, which must not call
 * CUDA. It also repeats releases that were not possible (DEV-26).
 */
final class Frees {
  static final LateCalls CALLS =
      new LateCalls("arbalest-cuda-frees", CuCapture::relaxForGood, CuAnswers::of, CuErrors::report);

  private Frees() {}
}
