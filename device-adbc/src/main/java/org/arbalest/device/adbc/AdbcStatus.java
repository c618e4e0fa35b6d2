// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.arbalest.device.Errno;
import org.arbalest.device.adbc.internal.DriverErrno;

/** The result of an ADBC function, except OK: an {@code ADBC_STATUS_…} of {@code adbc.h}, in its order. */
public enum AdbcStatus {
  /** An error of no other kind, or one with a number that {@code adbc.h} does not define. */
  UNKNOWN(Errno.EIO),
  /** The driver or the database does not support the operation. */
  NOT_IMPLEMENTED(DriverErrno.ENOTSUP),
  /** The object does not exist. */
  NOT_FOUND(DriverErrno.ENOENT),
  /** The object already exists. */
  ALREADY_EXISTS(DriverErrno.EEXIST),
  /** An argument is invalid, such as SQL that cannot be parsed. */
  INVALID_ARGUMENT(Errno.EINVAL),
  /** The operation is not possible now, or not in this order. */
  INVALID_STATE(Errno.EINVAL),
  /** The data is invalid, for example a division by zero. */
  INVALID_DATA(Errno.EIO),
  /** A constraint of the database was violated. */
  INTEGRITY(Errno.EIO),
  /** An error within the driver or the database. */
  INTERNAL(Errno.EIO),
  /** Input or output failed, for example because a server has gone. */
  IO(Errno.EIO),
  /** The operation was cancelled. */
  CANCELLED(Errno.ECANCELED),
  /** The operation timed out. */
  TIMEOUT(DriverErrno.ETIMEDOUT),
  /** The authentication failed. */
  UNAUTHENTICATED(DriverErrno.EACCES),
  /** The user is not authorized for the operation. */
  UNAUTHORIZED(DriverErrno.EACCES);

  private static final AdbcStatus[] ALL = values();

  private final int errno;

  AdbcStatus(int errno) {
    this.errno = errno;
  }

  /** Returns the number in {@code adbc.h}; never 0, which is OK. */
  @SuppressWarnings("EnumOrdinal") // the order is that of the header
  public int code() {
    return ordinal() + 1;
  }

  /**
   * Returns the errno that native code receives if a stream passes the error on; the same as in arrow-adbc's own
   * drivers.
   */
  public int errno() {
    return errno;
  }

  /** Returns the status with a number; {@link #UNKNOWN} for a number that {@code adbc.h} does not define. */
  public static AdbcStatus of(int code) {
    return code >= 1 && code <= ALL.length ? ALL[code - 1] : UNKNOWN;
  }
}
