// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;

/** SQL that the library itself executes on a session. All methods require the connection lock. */
final class SessionSql {
  private SessionSql() {}

  /** Returns the driver of a connection. */
  static KnownDriver driver(NativeHandle connection) {
    KnownDriver known = connection.lock.known;
    if (known != null) return known;
    NativeHandle statement = statement(connection, "SELECT 1"); // not executed
    try {
      return KnownDriver.of(statement);
    } finally {
      statement.leave();
    }
  }

  /** Executes SQL for its effect. */
  static void execute(NativeHandle connection, String sql) {
    NativeHandle statement = statement(connection, sql);
    try {
      statement.execute(AdbcFunction.STATEMENT_EXECUTE_QUERY, null, sql,
          (f, error) -> Signatures.pppp(f, statement.struct, MemorySegment.NULL, MemorySegment.NULL, error));
    } finally {
      statement.leave();
    }
  }

  /** Returns the only value of a query, a text. */
  static String text(NativeHandle connection, String sql) {
    NativeHandle statement = statement(connection, sql);
    try {
      var opening = new ResultSource.Opening(statement, statement, AdbcFunction.STATEMENT_CANCEL, sql, false, true,
          null, Validation.STRUCTURAL);
      ResultSource result = ResultSource.open(opening, block -> statement.execute(AdbcFunction.STATEMENT_EXECUTE_QUERY,
          null, sql, (f, error) -> Signatures.pppp(f, statement.struct, block.stream, block.number, error)));
      String[] text = {""};
      try (RecordBatchReader rows = Objects.requireNonNull(result, sql).reader()) {
        rows.forEach(row -> text[0] = row.column(0).getString(0));
      }
      return text[0];
    } finally {
      statement.leave();
    }
  }

  private static NativeHandle statement(NativeHandle connection, String sql) {
    return NativeHandle.open(NativeHandle.Kind.STATEMENT, connection.driver, connection.lock, connection,
        new NativeHandle.Opening() {
          @Override
          public void make(NativeHandle made) {
            connection.driver.call(AdbcFunction.STATEMENT_NEW,
                (f, error) -> Signatures.ppp(f, connection.struct, made.struct, error));
          }

          @Override
          public void finish(NativeHandle made) {
            try (Arena arena = Arena.ofConfined()) {
              MemorySegment text = CText.write(arena, "sql", sql);
              connection.driver.call(AdbcFunction.STATEMENT_SET_SQL_QUERY, null, sql,
                  (f, error) -> Signatures.ppp(f, made.struct, text, error));
            }
          }
        });
  }
}
