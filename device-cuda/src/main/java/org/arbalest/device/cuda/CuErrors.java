// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** The conversion of the driver's codes to exceptions (DEV-14). */
final class CuErrors {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.cuda");

  private CuErrors() {}

  /** Returns the name and the number of a code, such as {@code CUDA_ERROR_OUT_OF_MEMORY (2)}. */
  static String describe(int code) {
    MemorySegment scratch = Cu.scratch();
    String name = "unknown code";
    if (Cu.GET_ERROR_NAME.call(code, scratch.address()) == Cu.SUCCESS && scratch.get(JAVA_LONG, 0) != 0) {
      name = MemorySegment.ofAddress(scratch.get(JAVA_LONG, 0)).reinterpret(256).getString(0);
    }
    return name + " (" + code + ")";
  }

  static int errno(int code) {
    return switch (code) {
      case Cu.OUT_OF_MEMORY -> Errno.ENOMEM;
      case Cu.INVALID_VALUE, Cu.INVALID_DEVICE, Cu.INVALID_CONTEXT, Cu.INVALID_HANDLE, CuRegister.ALREADY_REGISTERED ->
          Errno.EINVAL;
      case Cu.NOT_SUPPORTED -> Errno.ENOSYS;
      default -> CuAnswers.of(code).saysNothing() ? Errno.EAGAIN : Errno.EIO;
    };
  }

  /**
   * Creates the exception for a failed call.
   *
   * @param call the function, the device and further details, such as {@code cuMemAlloc on CUDA:0}
   * @param asked the request, or an empty text
   */
  static DeviceException exception(String call, int code, String asked) {
    return new DeviceException(errno(code),
        call + " failed: " + describe(code) + (asked.isEmpty() ? "" : ", asked for " + asked));
  }

  /** Logs a failure that no exception can carry to a caller. Never throws. */
  static void report(String what, Throwable failure) {
    try {
      LOGGER.log(System.Logger.Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // the failure cannot be reported anywhere
    }
  }
}
