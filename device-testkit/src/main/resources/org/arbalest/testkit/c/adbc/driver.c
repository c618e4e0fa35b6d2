// SPDX-License-Identifier: Apache-2.0
/* The table of functions, and how entry points fill it: AdbcDriverInitFunc. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "adbc/core/errors.h"
#include "functions.h"
#include "adbc/core/knobs.h"
#include "peer/ledger.h"

static AdbcStatusCode release(struct AdbcDriver* driver, struct AdbcError* error) {
  struct knob knob = knob_call("driver.release", NULL, 1);
  struct record* own = driver->private_data;
  if (knob.code != 0) {
    error_set(error, "driver.release", "58000", "driver.release: fails, as was asked for");
    return (AdbcStatusCode)knob.code;
  }
  if (own == NULL) {
    ledger_violation("a driver was released twice");
    error_set(error, "driver.release", "HY010", "driver.release: the driver was released before");
    return ADBC_STATUS_INVALID_STATE;
  }
  if (ledger_live(LEDGER_DATABASE) > 0 && ledger_live(LEDGER_DRIVER) == 1) ledger_violation("the last driver was released before its databases");
  ledger_close(own);
  driver->private_data = NULL;
  driver->release = NULL;
  return ADBC_STATUS_OK;
}

#define MEMBER(member, function) driver->member = knob_is_missing(#member) ? NULL : function

static void fill(struct AdbcDriver* driver, int has_more) {
  driver->private_data = ledger_open(sizeof(struct record), LEDGER_DRIVER);
  MEMBER(release, release);

  MEMBER(DatabaseInit, database_init);
  MEMBER(DatabaseNew, database_new);
  MEMBER(DatabaseSetOption, database_set_option);
  MEMBER(DatabaseRelease, database_release);
  MEMBER(ConnectionCommit, connection_commit);
  MEMBER(ConnectionGetInfo, connection_get_info);
  MEMBER(ConnectionGetObjects, connection_get_objects);
  MEMBER(ConnectionGetTableSchema, connection_get_table_schema);
  MEMBER(ConnectionGetTableTypes, connection_get_table_types);
  MEMBER(ConnectionInit, connection_init);
  MEMBER(ConnectionNew, connection_new);
  MEMBER(ConnectionSetOption, connection_set_option);
  MEMBER(ConnectionReadPartition, connection_read_partition);
  MEMBER(ConnectionRelease, connection_release);
  MEMBER(ConnectionRollback, connection_rollback);
  MEMBER(StatementBind, statement_bind);
  MEMBER(StatementBindStream, statement_bind_stream);
  MEMBER(StatementExecuteQuery, statement_execute_query);
  MEMBER(StatementExecutePartitions, statement_execute_partitions);
  MEMBER(StatementGetParameterSchema, statement_get_parameter_schema);
  MEMBER(StatementNew, statement_new);
  MEMBER(StatementPrepare, statement_prepare);
  MEMBER(StatementRelease, statement_release);
  MEMBER(StatementSetOption, statement_set_option);
  MEMBER(StatementSetSqlQuery, statement_set_sql_query);
  MEMBER(StatementSetSubstraitPlan, statement_set_substrait_plan);

  /* "the driver must not access the new fields" of 1.1.0 where 1.0.0 was asked for (struct AdbcDriver) */
  if (!has_more) return;
  MEMBER(ErrorGetDetailCount, error_detail_count);
  MEMBER(ErrorGetDetail, error_detail);
  MEMBER(ErrorFromArrayStream, result_error);

  MEMBER(DatabaseGetOption, database_get_option);
  MEMBER(DatabaseGetOptionBytes, database_get_option_bytes);
  MEMBER(DatabaseGetOptionDouble, database_get_option_double);
  MEMBER(DatabaseGetOptionInt, database_get_option_int);
  MEMBER(DatabaseSetOptionBytes, database_set_option_bytes);
  MEMBER(DatabaseSetOptionDouble, database_set_option_double);
  MEMBER(DatabaseSetOptionInt, database_set_option_int);
  MEMBER(ConnectionCancel, connection_cancel);
  MEMBER(ConnectionGetOption, connection_get_option);
  MEMBER(ConnectionGetOptionBytes, connection_get_option_bytes);
  MEMBER(ConnectionGetOptionDouble, connection_get_option_double);
  MEMBER(ConnectionGetOptionInt, connection_get_option_int);
  MEMBER(ConnectionGetStatistics, connection_get_statistics);
  MEMBER(ConnectionGetStatisticNames, connection_get_statistic_names);
  MEMBER(ConnectionSetOptionBytes, connection_set_option_bytes);
  MEMBER(ConnectionSetOptionDouble, connection_set_option_double);
  MEMBER(ConnectionSetOptionInt, connection_set_option_int);
  MEMBER(StatementCancel, statement_cancel);
  MEMBER(StatementExecuteSchema, statement_execute_schema);
  MEMBER(StatementGetOption, statement_get_option);
  MEMBER(StatementGetOptionBytes, statement_get_option_bytes);
  MEMBER(StatementGetOptionDouble, statement_get_option_double);
  MEMBER(StatementGetOptionInt, statement_get_option_int);
  MEMBER(StatementSetOptionBytes, statement_set_option_bytes);
  MEMBER(StatementSetOptionDouble, statement_set_option_double);
  MEMBER(StatementSetOptionInt, statement_set_option_int);
}

static AdbcStatusCode fails(struct AdbcError* error, AdbcStatusCode status, const char* entry, const char* why) {
  char message[256];
  snprintf(message, sizeof message, "%s: %s", entry, why);
  error_set(error, entry, "58000", message);
  return status;
}

AdbcStatusCode driver_init(const char* entry, int mode, int version, void* raw, struct AdbcError* error) {
  struct AdbcDriver* driver = raw;
  knob_entered(entry, version);
  struct knob knob = knob_call("init", NULL, 1);
  if (mode == INIT_NORMAL) mode = knob_init();
  if (knob.code != 0) return fails(error, (AdbcStatusCode)knob.code, entry, "fails, as was asked for");
  int is_new = version == ADBC_VERSION_1_1_0, is_known = is_new || version == ADBC_VERSION_1_0_0;
  switch (mode) {
    case INIT_OLD: is_known = !is_new; break;
    case INIT_REFUSES: is_known = 0; break;
    case INIT_FAILS: return fails(error, ADBC_STATUS_IO, entry, "there is no licence");
    case INIT_SILENT: return ADBC_STATUS_INTERNAL;
    case INIT_ODD_STATUS: return fails(error, 200, entry, "a status that is none");
    case INIT_EMPTY: memset(driver, 0, is_new ? ADBC_DRIVER_1_1_0_SIZE : ADBC_DRIVER_1_0_0_SIZE); return ADBC_STATUS_OK;
    case INIT_IGNORES_VERSION: is_new = 0; break;
    default: break;
  }
  /* "ADBC_STATUS_NOT_IMPLEMENTED if the version is not supported. In that case, clients may retry with a different version." */
  if (!is_known) return fails(error, ADBC_STATUS_NOT_IMPLEMENTED, entry, "that version is not supported");
  fill(driver, is_new);
  return mode == INIT_FAILS_LATE ? fails(error, ADBC_STATUS_IO, entry, "the licence is over") : ADBC_STATUS_OK;
}
