// SPDX-License-Identifier: Apache-2.0
/* Execution: AdbcStatementExecuteQuery, AdbcStatementExecuteSchema. */
#include <string.h>

#include "adbc/query/change.h"
#include "functions.h"
#include "adbc/query/ingest.h"
#include "adbc/query/queries.h"
#include "adbc/query/select.h"

/* The result of what has none: no columns, no batches. */
static void nothing(struct statement* statement, struct ArrowArrayStream* out) {
  static const struct shape empty = {"+s", "", 0, 0, NULL};
  if (out != NULL) result_start(source_once(&empty, NULL), statement->connection, statement, out);
}

/* To the end, for who wants no result. */
static AdbcStatusCode discard(struct call* call, struct source* source) {
  struct problem problem = {0};
  int got = 1;
  while (got > 0) {
    struct ArrowArray array;
    got = source->next(source, &array, &call->activity->cancelled, &problem);
    if (got > 0) array.release(&array);
  }
  source->drop(source);
  return got == 0 ? ADBC_STATUS_OK : call_fail(call, problem.status, problem.sqlstate, "%s", problem.message);
}

static AdbcStatusCode select(struct call* call, struct statement* statement, const struct query* query, const struct bound* bound, struct ArrowArrayStream* out,
                             int64_t* rows) {
  struct source* source;
  int64_t batch_rows = statement_number(statement, OPTION_BATCH_ROWS);
  struct query once = *query;
  if (query->function != NULL && strcmp(query->function, "stuck") == 0) {
    if (gate_hold(&call->activity->cancelled)) return call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled while it waited");
    once.function = "batches";
    once.n_arguments = 2;
    once.arguments[0] = once.arguments[1] = 1;
  }
  AdbcStatusCode status = select_open(call, statement->connection, &once, bound, batch_rows, &source, rows);
  if (status != ADBC_STATUS_OK) return status;
  double batches = *rows < 0 ? -1 : (double)((*rows + batch_rows - 1) / batch_rows);
  options_put(&statement->handle.options, ADBC_STATEMENT_OPTION_MAX_PROGRESS, (struct option){OPTION_DOUBLE, NULL, 0, 0, batches});
  if (out == NULL) return discard(call, source);
  result_start(source, statement->connection, statement, out);
  return ADBC_STATUS_OK;
}

static AdbcStatusCode execute(struct call* call, struct statement* statement, struct ArrowArrayStream* out, int64_t* rows) {
  AdbcStatusCode status;
  struct bound bound = {.n = 0};
  state_lock();
  statement->progress = 0;
  state_unlock();
  if (statement->ingests) {
    status = ingest_run(call, statement, rows);
    if (status == ADBC_STATUS_OK) nothing(statement, out);
    return status;
  }
  const struct query* query = query_of(call, statement, &status);
  if (query == NULL) return status;
  status = query_bind(call, statement, query, &bound);
  if (status == ADBC_STATUS_OK && query->kind == QUERY_SELECT) {
    status = select(call, statement, query, &bound, out, rows);
  } else if (status == ADBC_STATUS_OK) {
    status = change_run(call, statement->connection, query, &bound, rows);
    if (status == ADBC_STATUS_OK) nothing(statement, out);
  }
  bound_free(&bound);
  return status;
}

/* "This invalidates any prior result sets." */
AdbcStatusCode statement_execute_query(struct AdbcStatement* handle, struct ArrowArrayStream* out, int64_t* rows_affected, struct AdbcError* error) {
  struct call call;
  int64_t rows = -1;
  if (!call_statement(&call, "StatementExecuteQuery", CALL_RUNS, handle, error)) return call.status;
  result_invalidate(handle->private_data, "the statement was executed again");
  AdbcStatusCode status = execute(&call, handle->private_data, out, &rows);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = rows;
  return call_end(&call, status);
}

static AdbcStatusCode schema_of(struct call* call, struct statement* statement, struct ArrowSchema* out) {
  struct bound bound = {.n = 0};
  AdbcStatusCode status;
  if (statement->ingests) return call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "an ingestion has no result");
  const struct query* query = query_of(call, statement, &status);
  if (query == NULL) return status;
  if (query->kind != QUERY_SELECT) {
    shape_schema(&(struct shape){"+s", "", 0, 0, NULL}, out);
    return ADBC_STATUS_OK;
  }
  status = binding_fields(call, statement, &bound);
  if (status == ADBC_STATUS_OK) status = select_schema(call, statement->connection, query, &bound, out);
  bound_free(&bound);
  return status;
}

AdbcStatusCode statement_execute_schema(struct AdbcStatement* handle, struct ArrowSchema* out, struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementExecuteSchema", CALL_RUNS, handle, error)) return call.status;
  result_invalidate(handle->private_data, "the statement was executed again");
  return call_end(&call, schema_of(&call, handle->private_data, out));
}
