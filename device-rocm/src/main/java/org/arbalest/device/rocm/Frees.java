// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.spi.LateCalls;

/**
 * A daemon thread for calls that must not run where they are requested, such as in a host function, which must not call
 * HIP. It also repeats releases that were not possible (DEV-26).
 */
final class Frees {
  static final LateCalls CALLS =
      new LateCalls("arbalest-rocm-frees", HipCapture::relaxForGood, HipAnswers::of, HipErrors::report);

  private Frees() {}
}
