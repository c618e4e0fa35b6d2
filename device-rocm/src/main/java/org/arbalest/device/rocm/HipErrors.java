// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** The conversion of HIP's codes to exceptions (DEV-14). */
final class HipErrors {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.rocm");

  /** The code for memory whose pages are pinned already. AMD uses the numbers of CUDA for such codes. */
  private static final int ALREADY_REGISTERED = 712;

  private HipErrors() {}

  /** Returns the name and the number of a code, such as {@code hipErrorOutOfMemory (2)}. */
  static String describe(int code) {
    return Hip.GET_ERROR_NAME.call(code) + " (" + code + ")";
  }

  static int errno(int code) {
    return switch (code) {
      case Hip.OUT_OF_MEMORY -> Errno.ENOMEM;
      case Hip.INVALID_VALUE, Hip.INVALID_DEVICE, Hip.INVALID_CONTEXT, Hip.INVALID_HANDLE, ALREADY_REGISTERED ->
          Errno.EINVAL;
      case Hip.NOT_SUPPORTED -> Errno.ENOSYS;
      default -> HipAnswers.of(code).saysNothing() ? Errno.EAGAIN : Errno.EIO;
    };
  }

  /**
   * Creates the exception for a failed call. The code is cleared for {@code hipGetLastError}: the exception carries it
   * to the caller.
   *
   * @param call the function, the device and further details, such as {@code hipMalloc on ROCM:0}
   * @param asked the request, or an empty text
   */
  static DeviceException exception(String call, int code, String asked) {
    forget();
    return new DeviceException(errno(code),
        call + " failed: " + describe(code) + (asked.isEmpty() ? "" : ", asked for " + asked));
  }

  /**
   * Clears the code of an expected failure for {@code hipGetLastError}. Otherwise HIP would return it to the
   * application's next query on this thread.
   */
  static void forget() {
    int _ = Hip.GET_LAST_ERROR.call();
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
