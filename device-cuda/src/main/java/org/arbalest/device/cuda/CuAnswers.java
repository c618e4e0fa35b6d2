// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.Answer;

/**
 * What each of the driver's codes says of that which was asked for (DEV-24): by a query, a wait, or a call that gives
 * something back. From the comments on {@code CUresult} in {@code cuda.h}, of CUDA 13.0.
 */
final class CuAnswers {
  private CuAnswers() {}

  static Answer of(int code) {
    return switch (code) {
      case 0 -> Answer.DONE; // CUDA_SUCCESS
      case 600 -> Answer.NOT_READY; // CUDA_ERROR_NOT_READY: "not actually an error"
      case 4 -> Answer.GONE; // CUDA_ERROR_DEINITIALIZED: "the CUDA driver is in the process of shutting down"

      // The call was refused, and that says nothing of the work.
      case 2 -> Answer.CANNOT_TELL; // CUDA_ERROR_OUT_OF_MEMORY: the host's, for what the call itself needs
      case 800 -> Answer.CANNOT_TELL; // CUDA_ERROR_NOT_PERMITTED: in a host function
      // CUDA_ERROR_STREAM_CAPTURE_…: somebody captures a graph
      case 900, 901, 902, 903, 904, 905, 906, 908 -> Answer.CANNOT_TELL;
      case 907 -> Answer.CAPTURED; // CUDA_ERROR_CAPTURED_EVENT: recorded in a graph, which may run at any time
      case 909 -> Answer.CANNOT_TELL; // CUDA_ERROR_TIMEOUT: "the timeout specified for the wait operation has lapsed"

      // "This leaves the process in an inconsistent state and any further CUDA work will return the same error", or
      // words to that effect.
      case 214, 220, 226 -> Answer.FAILED; // ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, CONTAINED
      // a kernel went wrong: ILLEGAL_ADDRESS to TENSOR_MEMORY_LEAK
      case 700, 702, 710, 714, 715, 716, 717, 718, 719, 721 -> Answer.FAILED;
      case 806, 810, 911 -> Answer.FAILED; // MPS_RPC_FAILURE, MPS_CLIENT_TERMINATED, EXTERNAL_DEVICE

      // There is nothing of the kind, and will not be.
      // INVALID_VALUE, NOT_INITIALIZED, …DEVICE, …CONTEXT, …HANDLE, CONTEXT_IS_DESTROYED
      case 1, 3, 101, 201, 400, 709 -> Answer.FAILED;
      case 801 -> Answer.FAILED; // CUDA_ERROR_NOT_SUPPORTED

      default -> Answer.UNKNOWN;
    };
  }
}
