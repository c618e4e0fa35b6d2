// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import org.arbalest.device.spi.Answer;

/**
 * The meaning of the driver's return codes for a query, a wait or a release (DEV-24). The source is the comments on
 * {@code CUresult} in {@code cuda.h} of CUDA 13.0.
 */
final class CuAnswers {
  private CuAnswers() {}

  static Answer of(int code) {
    return switch (code) {
      case 0 -> Answer.DONE; // CUDA_SUCCESS
      case 600 -> Answer.NOT_READY; // CUDA_ERROR_NOT_READY: "not actually an error"
      case 4 -> Answer.GONE; // CUDA_ERROR_DEINITIALIZED: "the CUDA driver is in the process of shutting down"

      // The driver refused the call, which says nothing about the work.
      case 2 -> Answer.CANNOT_TELL; // CUDA_ERROR_OUT_OF_MEMORY: host memory that the call itself needs
      case 800 -> Answer.CANNOT_TELL; // CUDA_ERROR_NOT_PERMITTED: in a host function
      // CUDA_ERROR_STREAM_CAPTURE_…: a graph is being captured
      case 900, 901, 902, 903, 904, 905, 906, 908 -> Answer.CANNOT_TELL;
      case 907 -> Answer.CAPTURED; // CUDA_ERROR_CAPTURED_EVENT: recorded in a graph, which may run at any time
      case 909 -> Answer.CANNOT_TELL; // CUDA_ERROR_TIMEOUT: "the timeout specified for the wait operation has lapsed"

      // "This leaves the process in an inconsistent state and any further CUDA work will return the same error", or
      // similar words.
      case 214, 220, 226 -> Answer.FAILED; // ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE, CONTAINED
      // a kernel failed: ILLEGAL_ADDRESS to TENSOR_MEMORY_LEAK
      case 700, 702, 710, 714, 715, 716, 717, 718, 719, 721 -> Answer.FAILED;
      case 806, 810, 911 -> Answer.FAILED; // MPS_RPC_FAILURE, MPS_CLIENT_TERMINATED, EXTERNAL_DEVICE

      // The object does not exist, and never will.
      case 1, 3, 101, 201, 400, 709 -> Answer.FAILED;
      case 801 -> Answer.FAILED; // CUDA_ERROR_NOT_SUPPORTED

      default -> Answer.UNKNOWN;
    };
  }
}
