// SPDX-License-Identifier: Apache-2.0
/* Statements, but for their execution: adbc.h, "Managing Statements". */
#include <stdlib.h>
#include <string.h>

#include "adbc/core/accessors.h"
#include "functions.h"
#include "adbc/query/ingest.h"
#include "adbc/query/queries.h"
#include "adbc/query/select.h"

#define SUBSTRAIT "substrait" /* and its zero: what a plan of ours begins with; SQL comes behind */

AdbcStatusCode statement_new(struct AdbcConnection* connection, struct AdbcStatement* handle, struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "StatementNew", handle->private_data, error)) return call.status;
  if (!call_also(&call, connection->private_data)) return call.status;
  struct statement* statement = ledger_open(sizeof *statement, LEDGER_STATEMENT);
  struct options* options = &statement->handle.options;
  options_init(options);
  options_put(options, OPTION_BATCH_ROWS, (struct option){OPTION_INT, NULL, 0, 1024, 0});
  options_put(options, OPTION_PARTITIONS, (struct option){OPTION_INT, NULL, 0, 3, 0});
  options_put(options, ADBC_STATEMENT_OPTION_INCREMENTAL, option_text(ADBC_OPTION_VALUE_DISABLED));
  options_put(options, ADBC_STATEMENT_OPTION_MAX_PROGRESS, (struct option){OPTION_DOUBLE, NULL, 0, 0, -1});
  statement->handle.ready = 1;
  statement->connection = connection->private_data;
  state_lock();
  statement->connection->statements++;
  state_unlock();
  handle->private_data = statement;
  return call_end(&call, ADBC_STATUS_OK);
}

/* "This AdbcStatement must outlive the returned ArrowArrayStream" (AdbcStatementExecuteQuery). */
AdbcStatusCode statement_release(struct AdbcStatement* handle, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementRelease", CALL_RELEASE, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (statement->result != NULL) ledger_violation("a statement was released before its result");
  result_invalidate(statement, "the statement was released");
  query_set(statement, NULL, 0);
  binding_drop(&statement->binding);
  handle->private_data = NULL;
  struct connection* connection = statement->connection;
  AdbcStatusCode status = call_close(&call, &statement->handle);
  state_lock();
  connection->statements--; /* from here on the connection may be released */
  state_unlock();
  return status;
}

/* "This must always be thread-safe" and "ADBC_STATUS_INVALID_STATE if there is no query to cancel" (AdbcStatementCancel). */
AdbcStatusCode statement_cancel(struct AdbcStatement* handle, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementCancel", CALL_SHARED, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (result_cancel(&statement->activity, &statement->result)) return call_end(&call, ADBC_STATUS_OK);
  return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "there is nothing to cancel"));
}

/* ---- queries ---- */

AdbcStatusCode statement_set_sql_query(struct AdbcStatement* handle, const char* sql, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementSetSqlQuery", 0, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  statement->ingests = 0;
  query_set(statement, sql, strlen(sql));
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode statement_set_substrait_plan(struct AdbcStatement* handle, const uint8_t* plan, size_t size, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementSetSubstraitPlan", 0, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (size <= sizeof SUBSTRAIT || memcmp(plan, SUBSTRAIT, sizeof SUBSTRAIT) != 0) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "%zu bytes that are no plan", size));
  }
  statement->ingests = 0;
  query_set(statement, (const char*)plan + sizeof SUBSTRAIT, size - sizeof SUBSTRAIT);
  return call_end(&call, ADBC_STATUS_OK);
}

static AdbcStatusCode prepare(struct call* call, struct statement* statement) {
  struct ArrowSchema schema;
  AdbcStatusCode status;
  const struct query* query = query_of(call, statement, &status);
  if (query == NULL) return status;
  if (query->kind == QUERY_SELECT) {
    status = select_schema(call, statement->connection, query, NULL, &schema);
    if (status == ADBC_STATUS_OK) schema.release(&schema);
  }
  statement->prepared = status == ADBC_STATUS_OK;
  return status;
}

/* "This invalidates any prior result sets." */
AdbcStatusCode statement_prepare(struct AdbcStatement* handle, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementPrepare", CALL_RUNS, handle, error)) return call.status;
  result_invalidate(handle->private_data, "the statement was prepared again");
  return call_end(&call, prepare(&call, handle->private_data));
}

/* "This should be called after AdbcStatementPrepare." */
AdbcStatusCode statement_get_parameter_schema(struct AdbcStatement* handle, struct ArrowSchema* out, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementGetParameterSchema", 0, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (!statement->prepared) return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "the statement is not prepared"));
  return call_end(&call, parameter_schema(&call, statement->connection, statement->query, out));
}

/* ---- what is bound: the driver's from here on, if this succeeds ---- */

AdbcStatusCode statement_bind(struct AdbcStatement* handle, struct ArrowArray* values, struct ArrowSchema* schema, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementBind", 0, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (values->release == NULL || schema->release == NULL) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "07000", "what is to be bound was released"));
  }
  binding_drop(&statement->binding);
  statement->binding.array = *values;
  statement->binding.schema = *schema;
  values->release = NULL;
  schema->release = NULL;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode statement_bind_stream(struct AdbcStatement* handle, struct ArrowArrayStream* values, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementBindStream", 0, handle, error)) return call.status;
  struct statement* statement = handle->private_data;
  if (values->release == NULL) return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "07000", "what is to be bound was released"));
  binding_drop(&statement->binding);
  statement->binding.stream = *values;
  values->release = NULL;
  return call_end(&call, ADBC_STATUS_OK);
}

/* ---- options ---- */

static AdbcStatusCode set_text(struct call* call, struct statement* statement, const char* key, struct option value) {
  static const char* const names[] = {ADBC_INGEST_OPTION_TARGET_TABLE, ADBC_INGEST_OPTION_TARGET_CATALOG, ADBC_INGEST_OPTION_TARGET_DB_SCHEMA};
  int known = strcmp(key, ADBC_INGEST_OPTION_MODE) == 0;
  if (known && !ingest_mode_is(value.text)) return option_odd(call, key, value);
  for (int i = 0; i < 3; i++) known |= strcmp(key, names[i]) == 0;
  if (strcmp(key, ADBC_INGEST_OPTION_TEMPORARY) == 0 || strcmp(key, ADBC_STATEMENT_OPTION_INCREMENTAL) == 0) {
    if (option_flag(value) < 0) return option_odd(call, key, value);
    known = 1;
  }
  if (!known) return option_unknown(call, key);
  if (strcmp(key, ADBC_INGEST_OPTION_TARGET_TABLE) == 0) { /* "Instead of setting a SQL query or Substrait plan" */
    query_set(statement, NULL, 0);
    statement->ingests = 1;
  }
  options_put(&statement->handle.options, key, value);
  return ADBC_STATUS_OK;
}

static AdbcStatusCode set(struct call* call, struct statement* statement, const char* key, struct option value) {
  if (option_store(&statement->handle, key, value)) return ADBC_STATUS_OK;
  if (strcmp(key, OPTION_BATCH_ROWS) == 0 || strcmp(key, OPTION_PARTITIONS) == 0) {
    if (value.kind == OPTION_TEXT) value = (struct option){OPTION_INT, NULL, 0, strtoll(value.text, NULL, 10), 0};
    if (value.kind != OPTION_INT || value.integer < 1) return option_odd(call, key, value);
    options_put(&statement->handle.options, key, value);
    return ADBC_STATUS_OK;
  }
  if (strncmp(key, "adbc.", 5) != 0) return option_unknown(call, key);
  return value.kind == OPTION_TEXT ? set_text(call, statement, key, value) : option_unknown(call, key);
}

static struct option get(struct statement* statement, const char* key, enum option_kind kind, struct arena* arena) {
  if (strcmp(key, ADBC_STATEMENT_OPTION_PROGRESS) != 0) return options_get(&statement->handle.options, key, kind, arena);
  state_lock();
  struct option progress = {OPTION_DOUBLE, NULL, 0, 0, (double)statement->progress};
  state_unlock();
  return option_as(progress, kind, arena);
}

ACCESSORS("Statement", AdbcStatement, statement)
