// SPDX-License-Identifier: Apache-2.0
/* Several results of one execution: the statement's SQL is split at each semicolon, and executed piece by piece. */
#include <stdio.h>
#include <string.h>

#include "driver.h"

struct multi {
  struct record head;
  struct statement* statement;
  char* sql;
  size_t at;
  int only_schemas;
};

static AdbcStatusCode start(struct call* call, struct statement* statement, int only_schemas,
                            struct AdbcMultiResultSet* out) {
  if (out->private_data != NULL) tracker_violation("%s was given a result set that is not zeroed", call->name);
  result_invalidate(statement, "the statement was executed again");
  if (statement->sql == NULL) return call_state(call, "no query is set");
  if (statement->multis > 0) return call_state(call, "the previous result set is still active");
  struct multi* own = tracker_open(sizeof *own, MULTI);
  own->statement = statement;
  own->sql = strcpy(tracker_alloc(strlen(statement->sql) + 1), statement->sql);
  own->only_schemas = only_schemas;
  statement->multis++;
  out->private_data = own;
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyStatementExecuteMulti(struct AdbcStatement* handle, struct AdbcMultiResultSet* out,
                                           struct AdbcError* error) {
  BEGIN("StatementExecuteMulti", RUNS, handle, STATEMENT);
  return call_end(&call, start(&call, handle->private_data, 0, out));
}

AdbcStatusCode faultyStatementExecuteSchemaMulti(struct AdbcStatement* handle, struct AdbcMultiResultSet* out,
                                                 struct AdbcError* error) {
  BEGIN("StatementExecuteSchemaMulti", RUNS, handle, STATEMENT);
  return call_end(&call, start(&call, handle->private_data, 1, out));
}

/* Begins a call of a result set, which is one of its statement. */
static struct multi* begin(struct call* call, const char* name, int flags, struct AdbcMultiResultSet* handle,
                           struct AdbcError* error) {
  struct multi* own = handle->private_data;
  *call = (struct call){.name = name, .error = error, .status = ADBC_STATUS_INVALID_STATE};
  if (own == NULL || own->head.released) {
    tracker_violation("%s was called with a released result set", name);
    return NULL;
  }
  return call_begin(call, name, flags, own->statement, STATEMENT, error) ? own : NULL;
}

/* The next piece, which the caller frees; NULL after the last. */
static char* piece(struct multi* own) {
  const char* from = own->sql + own->at;
  from += strspn(from, "; \n");
  size_t size = strcspn(from, ";");
  own->at = (size_t)(from - own->sql) + size;
  return size == 0 ? NULL : memcpy(tracker_alloc(size + 1), from, size);
}

AdbcStatusCode faultyMultiResultSetNext(struct AdbcMultiResultSet* handle, struct ArrowArrayStream* out,
                                        int64_t* rows_affected, struct AdbcError* error) {
  struct call call;
  int64_t rows = -1;
  struct multi* own = begin(&call, "MultiResultSetNext", RUNS, handle, error);
  if (own == NULL) return call.status;
  if (own->statement->result != NULL) return call_end(&call, call_state(&call, "the previous result is still open"));
  char* sql = piece(own);
  out->release = NULL;
  if (sql == NULL) return call_end(&call, ADBC_STATUS_OK);
  AdbcStatusCode status = statement_execute(&call, own->statement, sql, own->only_schemas, out, &rows);
  tracker_free(sql);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = rows;
  return call_end(&call, status);
}

AdbcStatusCode faultyMultiResultSetNextPartitions(struct AdbcMultiResultSet* handle, struct ArrowSchema* schema,
                                                  struct AdbcPartitions* out, int64_t* rows_affected,
                                                  struct AdbcError* error) {
  struct call call;
  struct multi* own = begin(&call, "MultiResultSetNextPartitions", RUNS, handle, error);
  if (own == NULL) return call.status;
  char* sql = piece(own);
  out->release = NULL;
  if (sql == NULL) return call_end(&call, ADBC_STATUS_OK);
  AdbcStatusCode status = statement_schema_of(&call, own->statement, sql, schema);
  if (status == ADBC_STATUS_OK) partitions_fill(sql, 2, out);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = -1;
  tracker_free(sql);
  return call_end(&call, status);
}

AdbcStatusCode faultyMultiResultSetRelease(struct AdbcMultiResultSet* handle, struct AdbcError* error) {
  struct call call;
  struct multi* own = begin(&call, "MultiResultSetRelease", RELEASE, handle, error);
  if (own == NULL) return call.status;
  if (own->statement->result != NULL) tracker_violation("a result set was released before its result");
  own->statement->multis--;
  tracker_free(own->sql);
  handle->private_data = NULL;
  tracker_close(&own->head);
  return call_end(&call, ADBC_STATUS_OK);
}
