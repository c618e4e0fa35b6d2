// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.EnumSet;
import java.util.Set;
import org.arbalest.device.adbc.AdbcVersion;

/** The functions of {@code struct AdbcDriver}, in its order, after its own {@code release}. */
enum AdbcFunction {
  DATABASE_INIT("DatabaseInit"),
  DATABASE_NEW("DatabaseNew"),
  DATABASE_SET_OPTION("DatabaseSetOption"),
  DATABASE_RELEASE("DatabaseRelease"),
  CONNECTION_COMMIT("ConnectionCommit"),
  CONNECTION_GET_INFO("ConnectionGetInfo"),
  CONNECTION_GET_OBJECTS("ConnectionGetObjects"),
  CONNECTION_GET_TABLE_SCHEMA("ConnectionGetTableSchema"),
  CONNECTION_GET_TABLE_TYPES("ConnectionGetTableTypes"),
  CONNECTION_INIT("ConnectionInit"),
  CONNECTION_NEW("ConnectionNew"),
  CONNECTION_SET_OPTION("ConnectionSetOption"),
  CONNECTION_READ_PARTITION("ConnectionReadPartition"),
  CONNECTION_RELEASE("ConnectionRelease"),
  CONNECTION_ROLLBACK("ConnectionRollback"),
  STATEMENT_BIND("StatementBind"),
  STATEMENT_BIND_STREAM("StatementBindStream"),
  STATEMENT_EXECUTE_QUERY("StatementExecuteQuery"),
  STATEMENT_EXECUTE_PARTITIONS("StatementExecutePartitions"),
  STATEMENT_GET_PARAMETER_SCHEMA("StatementGetParameterSchema"),
  STATEMENT_NEW("StatementNew"),
  STATEMENT_PREPARE("StatementPrepare"),
  STATEMENT_RELEASE("StatementRelease"),
  STATEMENT_SET_OPTION("StatementSetOption"),
  STATEMENT_SET_SQL_QUERY("StatementSetSqlQuery"),
  STATEMENT_SET_SUBSTRAIT_PLAN("StatementSetSubstraitPlan"),

  // The functions of ADBC 1.1.0 start here.
  ERROR_GET_DETAIL_COUNT("ErrorGetDetailCount"),
  ERROR_GET_DETAIL("ErrorGetDetail"),
  ERROR_FROM_ARRAY_STREAM("ErrorFromArrayStream"),
  DATABASE_GET_OPTION("DatabaseGetOption"),
  DATABASE_GET_OPTION_BYTES("DatabaseGetOptionBytes"),
  DATABASE_GET_OPTION_DOUBLE("DatabaseGetOptionDouble"),
  DATABASE_GET_OPTION_INT("DatabaseGetOptionInt"),
  DATABASE_SET_OPTION_BYTES("DatabaseSetOptionBytes"),
  DATABASE_SET_OPTION_DOUBLE("DatabaseSetOptionDouble"),
  DATABASE_SET_OPTION_INT("DatabaseSetOptionInt"),
  CONNECTION_CANCEL("ConnectionCancel"),
  CONNECTION_GET_OPTION("ConnectionGetOption"),
  CONNECTION_GET_OPTION_BYTES("ConnectionGetOptionBytes"),
  CONNECTION_GET_OPTION_DOUBLE("ConnectionGetOptionDouble"),
  CONNECTION_GET_OPTION_INT("ConnectionGetOptionInt"),
  CONNECTION_GET_STATISTICS("ConnectionGetStatistics"),
  CONNECTION_GET_STATISTIC_NAMES("ConnectionGetStatisticNames"),
  CONNECTION_SET_OPTION_BYTES("ConnectionSetOptionBytes"),
  CONNECTION_SET_OPTION_DOUBLE("ConnectionSetOptionDouble"),
  CONNECTION_SET_OPTION_INT("ConnectionSetOptionInt"),
  STATEMENT_CANCEL("StatementCancel"),
  STATEMENT_EXECUTE_SCHEMA("StatementExecuteSchema"),
  STATEMENT_GET_OPTION("StatementGetOption"),
  STATEMENT_GET_OPTION_BYTES("StatementGetOptionBytes"),
  STATEMENT_GET_OPTION_DOUBLE("StatementGetOptionDouble"),
  STATEMENT_GET_OPTION_INT("StatementGetOptionInt"),
  STATEMENT_SET_OPTION_BYTES("StatementSetOptionBytes"),
  STATEMENT_SET_OPTION_DOUBLE("StatementSetOptionDouble"),
  STATEMENT_SET_OPTION_INT("StatementSetOptionInt"),

  // The functions of ADBC 1.2.0's draft start here.
  ERROR_GET_VENDOR_CODE("ErrorGetVendorCode"),
  MULTI_RESULT_SET_NEXT("MultiResultSetNext"),
  MULTI_RESULT_SET_NEXT_PARTITIONS("MultiResultSetNextPartitions"),
  MULTI_RESULT_SET_RELEASE("MultiResultSetRelease"),
  CONNECTION_SET_WARNING_HANDLER("ConnectionSetWarningHandler"),
  STATEMENT_EXECUTE_SCHEMA_MULTI("StatementExecuteSchemaMulti"),
  STATEMENT_EXECUTE_MULTI("StatementExecuteMulti"),
  STATEMENT_REQUEST_SCHEMA("StatementRequestSchema");

  /** {@code private_data}, {@code private_manager} and {@code release} come first. */
  private static final int BEFORE = 3;

  /** The functions that every usable driver has. */
  static final Set<AdbcFunction> REQUIRED =
      EnumSet.of(
          DATABASE_NEW,
          DATABASE_INIT,
          DATABASE_RELEASE,
          CONNECTION_NEW,
          CONNECTION_INIT,
          CONNECTION_RELEASE,
          STATEMENT_NEW,
          STATEMENT_EXECUTE_QUERY,
          STATEMENT_RELEASE);

  private final String member;

  AdbcFunction(String member) {
    this.member = member;
  }

  /** Returns the function's name in {@code adbc.h}. */
  String symbol() {
    return "Adbc" + member;
  }

  /** Returns the name of the function's pointer in {@code struct AdbcDriver}. */
  String member() {
    return member;
  }

  /** Returns the offset of the function's pointer, in bytes. */
  @SuppressWarnings("EnumOrdinal") // the order is that of the struct
  long offset() {
    return (BEFORE + (long) ordinal()) * Long.BYTES;
  }

  /** Returns the first revision that has the function. */
  AdbcVersion since() {
    if (compareTo(ERROR_GET_DETAIL_COUNT) < 0) return AdbcVersion.V1_0_0;
    return compareTo(ERROR_GET_VENDOR_CODE) < 0 ? AdbcVersion.V1_1_0 : AdbcVersion.V1_2_0;
  }

  /** Returns the size of {@code struct AdbcDriver} in a revision, in bytes. */
  static long sizeOfTable(AdbcVersion version) {
    return switch (version) {
      case V1_0_0 -> ERROR_GET_DETAIL_COUNT.offset();
      case V1_1_0 -> ERROR_GET_VENDOR_CODE.offset();
      case V1_2_0 -> (BEFORE + values().length) * (long) Long.BYTES;
    };
  }
}
