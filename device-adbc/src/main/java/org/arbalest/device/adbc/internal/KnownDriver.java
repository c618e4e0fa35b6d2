// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;

/**
 * The drivers of Apache Arrow that store or return other values than {@code adbc.h} has, or keep state on the session.
 * Each is recognized by an option of its statements that no other driver has. The guides list the differences.
 */
enum KnownDriver {
  POSTGRESQL,
  SQLITE,
  OTHER;

  /** An option of statements of PostgreSQL's driver. */
  static final String USE_COPY = "adbc.postgresql.use_copy";

  private static final String BATCH_ROWS = "adbc.sqlite.query.batch_rows";

  /** Returns the driver of a statement. The first call for a connection asks the driver, without its server. */
  static KnownDriver of(NativeHandle statement) {
    KnownDriver known = statement.lock.known;
    if (known == null) {
      known = has(() -> OptionFunctions.STATEMENT.get(statement, USE_COPY)) ? POSTGRESQL
          : has(() -> OptionFunctions.STATEMENT.getLong(statement, BATCH_ROWS)) ? SQLITE : OTHER;
      statement.lock.known = known;
    }
    return known;
  }

  private static boolean has(Runnable option) {
    try {
      option.run();
      return true;
    } catch (AdbcException e) {
      if (isUnknownOption(e)) return false;
      throw e; // otherwise a passing failure would hide the driver for good
    }
  }

  /** Returns whether a driver has answered that it does not have an option. */
  static boolean isUnknownOption(AdbcException e) {
    return e.status() == AdbcStatus.NOT_FOUND || e.status() == AdbcStatus.NOT_IMPLEMENTED
        || e.status() == AdbcStatus.INVALID_ARGUMENT;
  }
}
