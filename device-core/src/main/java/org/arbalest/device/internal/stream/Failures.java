// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.CancellationException;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;

/** The native description of a failure: a code and a text. */
public final class Failures {
  private static final int MOST_CAUSES = 8;

  private Failures() {}

  /** Returns the error number for an exception. */
  public static int errno(Throwable t) {
    return switch (t) {
      case DeviceException e -> e.errno();
      case OutOfMemoryError _ -> Errno.ENOMEM;
      case CancellationException _ -> Errno.ECANCELED;
      case InterruptedException _ -> Errno.ECANCELED;
      case UnsupportedOperationException _ -> Errno.ENOSYS;
      case IllegalArgumentException _ -> Errno.EINVAL;
      default -> Errno.EIO;
    };
  }

  /** Returns the text in UTF-8, without U+0000, which ends a string in C. */
  public static byte[] utf8(String text) {
    return text.replace('\0', '\uFFFD').getBytes(UTF_8);
  }

  static String message(Throwable t) {
    String message = t.getMessage();
    return t instanceof DeviceException && message != null ? message : t.toString();
  }

  /** Returns the message, with the messages of the causes that it does not repeat. */
  public static String messageWithCauses(Throwable t) {
    StringBuilder text = new StringBuilder(message(t));
    Throwable cause = t.getCause();
    for (int i = 0; cause != null && i < MOST_CAUSES; i++, cause = cause.getCause()) {
      String said = cause.getMessage() == null ? cause.toString() : cause.getMessage();
      if (text.indexOf(said) < 0) text.append("; caused by ").append(cause);
    }
    return text.toString();
  }
}
