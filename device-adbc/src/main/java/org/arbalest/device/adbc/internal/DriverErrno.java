// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.Errno;

/**
 * Error codes that ADBC drivers say by streams, beside those of core's {@link Errno}, with the numbers of the
 * platform's C library.
 */
public final class DriverErrno {
  private static final String OS = Platform.os(System.getProperty("os.name", ""));

  /** There is no such thing. */
  public static final int ENOENT = 2;

  /** One may not. */
  public static final int EACCES = 13;

  /** There is such a thing. */
  public static final int EEXIST = 17;

  /** It is not supported. */
  public static final int ENOTSUP = pick(95, 45, 129);

  /** It took too long. */
  public static final int ETIMEDOUT = pick(110, 60, 138);

  private DriverErrno() {}

  private static int pick(int linux, int mac, int windows) {
    return OS.equals("windows") ? windows : OS.equals("macos") ? mac : linux;
  }
}
