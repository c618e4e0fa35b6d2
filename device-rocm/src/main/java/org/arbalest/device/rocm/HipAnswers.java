// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.spi.Answer;

/**
 * The meaning of HIP's return codes for a query, a wait or a release (DEV-24). The sources are the comments on
 * {@code hipError_t} in {@code hip_runtime_api.h}, and HIP's source (ROCm's {@code clr}).
 */
final class HipAnswers {
  private HipAnswers() {}

  static Answer of(int code) {
    return switch (code) {
      case 0 -> Answer.DONE; // hipSuccess
      case 600 -> Answer.NOT_READY; // hipErrorNotReady: "not actually an error"
      case 4 -> Answer.GONE; // hipErrorDeinitialized

      // HIP refused the call, which says nothing about the work.
      case 2 -> Answer.CANNOT_TELL; // hipErrorOutOfMemory: host memory that the call itself needs
      // hipErrorStreamCapture…: a graph is being captured
      case 900, 901, 902, 903, 904, 905, 906, 908 -> Answer.CANNOT_TELL;
      case 907 -> Answer.CAPTURED; // hipErrorCapturedEvent: recorded in a graph, which may run at any time

      // Most failures of a GPU end the process. These do not:
      case 214 -> Answer.FAILED; // hipErrorECCNotCorrectable
      case 700, 702, 710, 719 -> Answer.FAILED; // hipErrorIllegalAddress, …LaunchTimeOut, …Assert, …LaunchFailure
      case 1052, 1053 -> Answer.FAILED; // hipErrorRuntimeMemory, hipErrorRuntimeOther: the layer below HIP has failed

      // The object does not exist, and never will.
      case 1, 3, 100, 101, 201, 400, 709 -> Answer.FAILED;
      case 801 -> Answer.FAILED; // hipErrorNotSupported

      default -> Answer.UNKNOWN;
    };
  }
}
