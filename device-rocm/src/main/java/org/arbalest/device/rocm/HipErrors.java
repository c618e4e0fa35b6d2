// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** HIP's codes, and what becomes of them (DEV-14). */
final class HipErrors {
  private static final System.Logger LOGGER = System.getLogger("org.arbalest.device.rocm");

  /** Of memory whose pages are pinned; AMD's numbers for these are CUDA's. */
  private static final int ALREADY_REGISTERED = 712;

  private HipErrors() {}

  /** Such as {@code hipErrorOutOfMemory (2)}. */
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
   * What a call failed with. Whoever gets it knows; {@code hipGetLastError} has forgotten it.
   *
   * @param call the function, the device and what else there is to say, such as {@code hipMalloc on ROCM:0}
   * @param asked what for, or an empty text
   */
  static DeviceException exception(String call, int code, String asked) {
    forget();
    return new DeviceException(errno(code),
        call + " failed: " + describe(code) + (asked.isEmpty() ? "" : ", asked for " + asked));
  }

  /**
   * After a call of ours that failed as it may: HIP would show its code to whoever asks next on this thread, whose it
   * is not.
   */
  static void forget() {
    int _ = Hip.GET_LAST_ERROR.call();
  }

  /** Says what nobody can be told by an exception; never throws. */
  static void report(String what, Throwable failure) {
    try {
      LOGGER.log(System.Logger.Level.ERROR, what + " failed", failure);
    } catch (Throwable _) {
      // there is nobody left to tell
    }
  }
}
