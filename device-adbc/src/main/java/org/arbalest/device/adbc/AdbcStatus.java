// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.arbalest.device.Errno;
import org.arbalest.device.adbc.internal.DriverErrno;

/** What an ADBC function answers, but for OK: an {@code ADBC_STATUS_…} of {@code adbc.h}, in its order. */
public enum AdbcStatus {
  /** An error of no other kind, or one with a number that {@code adbc.h} does not have. */
  UNKNOWN(Errno.EIO),
  /** The driver, or the database, does not do this. */
  NOT_IMPLEMENTED(DriverErrno.ENOTSUP),
  /** There is no such thing. */
  NOT_FOUND(DriverErrno.ENOENT),
  /** There is such a thing. */
  ALREADY_EXISTS(DriverErrno.EEXIST),
  /** An argument is wrong, such as SQL that cannot be parsed. */
  INVALID_ARGUMENT(Errno.EINVAL),
  /** Not now, or not in this order. */
  INVALID_STATE(Errno.EINVAL),
  /** Data was wrong, as in a division by zero. */
  INVALID_DATA(Errno.EIO),
  /** A constraint of the database was violated. */
  INTEGRITY(Errno.EIO),
  /** An error within the driver or the database. */
  INTERNAL(Errno.EIO),
  /** Input or output failed, as with a server that went away. */
  IO(Errno.EIO),
  /** Somebody cancelled it. */
  CANCELLED(Errno.ECANCELED),
  /** It took too long. */
  TIMEOUT(DriverErrno.ETIMEDOUT),
  /** Who it is was not believed. */
  UNAUTHENTICATED(DriverErrno.EACCES),
  /** Who it is may not do this. */
  UNAUTHORIZED(DriverErrno.EACCES);

  private static final AdbcStatus[] ALL = values();

  private final int errno;

  AdbcStatus(int errno) {
    this.errno = errno;
  }

  /** The number in {@code adbc.h}; never 0, which is OK. */
  @SuppressWarnings("EnumOrdinal") // the order is the header's
  public int code() {
    return ordinal() + 1;
  }

  /** What C is told where the error goes on by a stream, as arrow-adbc's own drivers tell it. */
  public int errno() {
    return errno;
  }

  /** The status with a number; {@link #UNKNOWN} for one that {@code adbc.h} does not have. */
  public static AdbcStatus of(int code) {
    return code >= 1 && code <= ALL.length ? ALL[code - 1] : UNKNOWN;
  }
}
