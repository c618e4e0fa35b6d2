// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Locale;

/** The error codes that Arrow's stream interfaces return, with the numbers of the platform's C library. */
public final class Errno {
  private static final int FAMILY = family(System.getProperty("os.name", ""));

  /** Input/output error. */
  public static final int EIO = 5;

  /** Try again: the answer is not known yet. */
  public static final int EAGAIN = pick(11, 35, 11);

  /** Out of memory. */
  public static final int ENOMEM = 12;

  /** Invalid argument or data. */
  public static final int EINVAL = 22;

  /** Not implemented. */
  public static final int ENOSYS = pick(38, 78, 40);

  /** Cancelled. */
  public static final int ECANCELED = pick(125, 89, 105);

  private Errno() {}

  /** Returns the code's name, such as {@code EINVAL}, or {@code errno 74} for a code without a name in this class. */
  public static String name(int code) {
    if (code == EIO) return "EIO";
    if (code == EAGAIN) return "EAGAIN";
    if (code == ENOMEM) return "ENOMEM";
    if (code == EINVAL) return "EINVAL";
    if (code == ENOSYS) return "ENOSYS";
    if (code == ECANCELED) return "ECANCELED";
    return "errno " + code;
  }

  private static int pick(int linux, int mac, int windows) {
    return FAMILY == 0 ? linux : FAMILY == 1 ? mac : windows;
  }

  private static int family(String os) {
    String name = os.toLowerCase(Locale.ROOT);
    return name.startsWith("mac") ? 1 : name.startsWith("windows") ? 2 : 0;
  }
}
