// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.Errno;

/**
 * Error codes that ADBC drivers return from streams, in addition to core's {@link Errno}, with the numbers of the
 * platform's C library.
 */
public final class DriverErrno {
  private static final String OS = Platform.os(System.getProperty("os.name", ""));

  /** No such object. */
  public static final int ENOENT = 2;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** The object exists. */
  public static final int EEXIST = 17;

  /** Not supported. */
  public static final int ENOTSUP = pick(95, 45, 129);

  /** Timed out. */
  public static final int ETIMEDOUT = pick(110, 60, 138);

  private DriverErrno() {}

  private static int pick(int linux, int mac, int windows) {
    return OS.equals("windows") ? windows : OS.equals("macos") ? mac : linux;
  }
}
