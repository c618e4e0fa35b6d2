// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.LateCalls;

/**
 * A daemon thread for what may not run where it was asked for, as calls from a host function, which may not call CUDA;
 * and for what could not be given back, and is tried again (DEV-26).
 */
final class Frees {
  static final LateCalls CALLS =
      new LateCalls("arbalest-cuda-frees", CuCapture::relaxForGood, CuAnswers::of, CuErrors::report);

  private Frees() {}
}
