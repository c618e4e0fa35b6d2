// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import java.lang.foreign.MemoryLayout.PathElement;

/** The functions of a driver's table that this package calls. */
enum AdbcFunction {
  DATABASE_NEW("DatabaseNew", true),
  DATABASE_SET_OPTION("DatabaseSetOption", false),
  DATABASE_INIT("DatabaseInit", true),
  DATABASE_RELEASE("DatabaseRelease", true),
  CONNECTION_NEW("ConnectionNew", true),
  CONNECTION_SET_OPTION("ConnectionSetOption", false),
  CONNECTION_INIT("ConnectionInit", true),
  CONNECTION_RELEASE("ConnectionRelease", true),
  STATEMENT_NEW("StatementNew", true),
  STATEMENT_SET_OPTION("StatementSetOption", false),
  STATEMENT_SET_SQL_QUERY("StatementSetSqlQuery", true),
  STATEMENT_BIND_STREAM("StatementBindStream", false),
  STATEMENT_EXECUTE_QUERY("StatementExecuteQuery", true),
  STATEMENT_RELEASE("StatementRelease", true);

  final String symbol;

  /** Whether a driver without it is of no use; calling an absent other one is NOT_IMPLEMENTED. */
  final boolean required;

  final long offset;

  AdbcFunction(String symbol, boolean required) {
    this.symbol = symbol;
    this.required = required;
    this.offset = AdbcAbi.DRIVER.byteOffset(PathElement.groupElement(symbol));
  }
}
