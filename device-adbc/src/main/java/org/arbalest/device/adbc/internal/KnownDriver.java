// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

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

  /**
   * Returns the driver of a statement. The first call for a connection queries the driver, without its server. Another
   * driver may answer in any way; one that does not say that it lacks the options is queried again.
   */
  static KnownDriver of(NativeHandle statement) {
    KnownDriver known = statement.lock.known;
    if (known == null) {
      AdbcException first = failure(() -> OptionFunctions.STATEMENT.get(statement, USE_COPY));
      AdbcException second =
          first == null ? null : failure(() -> OptionFunctions.STATEMENT.getLong(statement, BATCH_ROWS));
      known = first == null ? POSTGRESQL : second == null ? SQLITE : OTHER;
      if (first == null || second == null || (isUnknownOption(first) && isUnknownOption(second)))
        statement.lock.known = known;
    }
    return known;
  }

  private static @Nullable AdbcException failure(Runnable option) {
    try {
      option.run();
      return null;
    } catch (AdbcException e) {
      return e;
    }
  }

  /** Returns whether a driver has answered that it does not have an option. */
  static boolean isUnknownOption(AdbcException e) {
    return e.status() == AdbcStatus.NOT_FOUND || e.status() == AdbcStatus.NOT_IMPLEMENTED
        || e.status() == AdbcStatus.INVALID_ARGUMENT;
  }
}
