// SPDX-License-Identifier: Apache-2.0
/* Statements and their execution, by DuckDB or with fixed results. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "driver.h"

#define SUBSTRAIT "substrait" /* the beginning of a plan, with its zero; SQL follows */

static void set_sql(struct statement* statement, const char* sql, size_t size) {
  tracker_free(statement->sql);
  statement->sql = sql == NULL ? NULL : memcpy(tracker_alloc(size + 1), sql, size);
  statement->prepared = statement->next_partition = 0;
  statement->ingests = 0;
}

AdbcStatusCode faultyStatementNew(struct AdbcConnection* connection, struct AdbcStatement* handle,
                                  struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "StatementNew", handle->private_data, error)) return call.status;
  if (!call_also(&call, connection->private_data)) return call.status;
  struct statement* statement = tracker_open(sizeof *statement, STATEMENT);
  option_put(&statement->handle, ADBC_STATEMENT_OPTION_PROGRESS, (struct option){.kind = NUMBER});
  option_put(&statement->handle, ADBC_STATEMENT_OPTION_MAX_PROGRESS, (struct option){.kind = NUMBER, .number = -1});
  statement->handle.ready = 1;
  statement->connection = connection->private_data;
  state_lock();
  statement->connection->statements++;
  state_unlock();
  handle->private_data = statement;
  return call_end(&call, ADBC_STATUS_OK);
}

/* "This AdbcStatement must outlive the returned ArrowArrayStream" (AdbcStatementExecuteQuery). */
AdbcStatusCode faultyStatementRelease(struct AdbcStatement* handle, struct AdbcError* error) {
  BEGIN("StatementRelease", RELEASE, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  struct connection* connection = statement->connection;
  if (statement->result != NULL) tracker_violation("a statement was released before its result");
  if (statement->multis > 0) tracker_violation("a statement was released before its result set");
  if (statement->asyncs > 0) tracker_violation("a statement was released before its async handler");
  result_invalidate(statement, "the statement was released");
  set_sql(statement, NULL, 0);
  tracker_free(statement->requested);
  binding_drop(&statement->binding);
  handle->private_data = NULL;
  AdbcStatusCode status = call_close(&call, &statement->handle);
  state_lock();
  connection->statements--; /* from here on the connection may be released */
  state_unlock();
  return status;
}

/* "This must always be thread-safe" and "ADBC_STATUS_INVALID_STATE if there is no query to cancel"
   (AdbcStatementCancel). */
AdbcStatusCode faultyStatementCancel(struct AdbcStatement* handle, struct AdbcError* error) {
  BEGIN("StatementCancel", SHARED, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  int any = result_cancel(statement->connection, &statement->activity, &statement->result);
  return call_end(&call, any ? ADBC_STATUS_OK : call_state(&call, "there is nothing to cancel"));
}

/* ---- the statement's input ---- */

AdbcStatusCode faultyStatementSetSqlQuery(struct AdbcStatement* handle, const char* sql, struct AdbcError* error) {
  BEGIN("StatementSetSqlQuery", 0, handle, STATEMENT);
  set_sql(handle->private_data, sql, strlen(sql));
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode faultyStatementSetSubstraitPlan(struct AdbcStatement* handle, const uint8_t* plan, size_t size,
                                               struct AdbcError* error) {
  BEGIN("StatementSetSubstraitPlan", 0, handle, STATEMENT);
  if (size <= sizeof SUBSTRAIT || memcmp(plan, SUBSTRAIT, sizeof SUBSTRAIT) != 0) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "%zu bytes that are no plan", size));
  }
  set_sql(handle->private_data, (const char*)plan + sizeof SUBSTRAIT, size - sizeof SUBSTRAIT);
  return call_end(&call, ADBC_STATUS_OK);
}

/* If this succeeds, the driver owns the bound data from here on. */
AdbcStatusCode faultyStatementBind(struct AdbcStatement* handle, struct ArrowArray* values, struct ArrowSchema* schema,
                                   struct AdbcError* error) {
  BEGIN("StatementBind", 0, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  binding_drop(&statement->binding);
  statement->binding.array = *values;
  statement->binding.schema = *schema;
  values->release = NULL;
  schema->release = NULL;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode faultyStatementBindStream(struct AdbcStatement* handle, struct ArrowArrayStream* values,
                                         struct AdbcError* error) {
  BEGIN("StatementBindStream", 0, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  binding_drop(&statement->binding);
  statement->binding.stream = *values;
  values->release = NULL;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode statement_set(struct call* call, struct statement* statement, const char* key, struct option value) {
  static const char* const keys[] = {ADBC_INGEST_OPTION_TARGET_TABLE, ADBC_INGEST_OPTION_TARGET_CATALOG,
                                     ADBC_INGEST_OPTION_TARGET_DB_SCHEMA, ADBC_INGEST_OPTION_TEMPORARY,
                                     ADBC_INGEST_OPTION_MODE, ADBC_STATEMENT_OPTION_INCREMENTAL, PARTS};
  int known = setting(ONE_COPY) && strcmp(key, USE_COPY) == 0;
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) known |= strcmp(key, keys[i]) == 0;
  if (!known) return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no option %s", key);
  if (strcmp(key, ADBC_INGEST_OPTION_TARGET_TABLE) == 0) { /* "Instead of setting a SQL query or Substrait plan" */
    set_sql(statement, NULL, 0);
    statement->ingests = 1;
  }
  option_put(&statement->handle, key, value);
  return ADBC_STATUS_OK;
}

/* ---- queries with fixed results: SELECT * FROM batches(n, rows), fails(n, rows, at), waits(n, rows, at), stuck()
   ---- */

struct canned {
  char name[8];
  long long n, rows, at;
};

static int is_canned(const char* sql, struct canned* out) {
  int at = 0;
  *out = (struct canned){.at = -1};
  int values = sscanf(sql, "SELECT * FROM %7[a-z](%lld, %lld%n, %lld)", out->name, &out->n, &out->rows, &at, &out->at);
  if (strcmp(sql, "SELECT * FROM stuck()") == 0) return 1;
  if (values == 3) return strcmp(out->name, "batches") == 0 && strcmp(sql + at, ")") == 0;
  return values == 4 && (strcmp(out->name, "fails") == 0 || strcmp(out->name, "waits") == 0);
}

static AdbcStatusCode execute_canned(struct call* call, struct statement* statement, struct canned* canned,
                                     struct ArrowArrayStream* out) {
  if (canned->name[0] == 's') {
    canned->n = canned->rows = 1;
    if (gate_wait_cancelled(&call->activity->cancelled)) {
      return call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled while it waited");
    }
  }
  if (out == NULL) return ADBC_STATUS_OK;
  struct source* source = tracker_alloc(sizeof *source);
  peer_stream(&source->stream, canned->n, canned->rows, 0, 0, 0);
  result_start(source, NULL, statement->connection, statement, canned->at,
               canned->name[0] == 'f' ? (int)canned->rows : 0, out);
  return ADBC_STATUS_OK;
}

/* ---- DuckDB's ---- */

static int begins(const char* sql, const char* const words[]) {
  sql += strspn(sql, " \t\n(");
  for (int i = 0; words[i] != NULL; i++) {
    if (strncasecmp(sql, words[i], strlen(words[i])) == 0) return 1;
  }
  return 0;
}

/* WITH may begin a query or a change; DuckDB's ADBC does not report which. A word of a change makes it a change. */
static int is_query(const char* sql) {
  static const char* const words[] = {"SELECT", "WITH", "FROM", "VALUES", "SHOW", "EXPLAIN", NULL};
  static const char* const with[] = {"WITH", NULL};
  static const char* const changes[] = {"INSERT", "UPDATE", "DELETE", "MERGE", NULL};
  if (strstr(sql, " RETURNING ") != NULL) return 1;
  if (!begins(sql, words)) return 0;
  for (const char* at = sql; begins(sql, with) && *at != 0; at++) {
    if (begins(at, changes)) return 0;
  }
  return 1;
}

/* Lets DuckDB execute the source's statement; a cancel can stop it. */
static AdbcStatusCode run(struct call* call, struct source* source, int has_result, int64_t* rows) {
  struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
  state_lock();
  int cancelled = call->activity->cancelled;
  if (!cancelled) call->activity->inner = &source->statement;
  state_unlock();
  if (cancelled) return call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled");
  AdbcStatusCode status = duck.StatementExecuteQuery(&source->statement, has_result ? &source->stream : NULL, rows,
                                                     &theirs);
  state_lock();
  call->activity->inner = NULL;
  state_unlock();
  if (status != ADBC_STATUS_OK) return duck_failed(call, status, &theirs);
  return call_cancelled(call) ? call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled") : ADBC_STATUS_OK;
}

static AdbcStatusCode execute_row(struct call* call, struct connection* connection, const char* sql,
                                  struct bound* bound, int64_t row, struct source* source, int64_t* rows) {
  struct ArrowArray array;
  struct ArrowSchema schema;
  /* Other statements, such as SET and ATTACH, may outlive the catalogs. */
  static const char* const data[] = {"CREATE", "INSERT", "UPDATE", "DELETE", "DROP", "ALTER", "WITH", NULL};
  AdbcStatusCode status = duck_statement(call, connection, sql, &source->statement);
  if (status != ADBC_STATUS_OK) return status;
  if (!is_query(sql) || strchr(sql, ';') != NULL) {
    connection->database->changed |= begins(sql, data) && strchr(sql, ';') == NULL ? 1 : 2;
  }
  if (bound != NULL) {
    bound_row(bound, row, &array, &schema);
    DUCK(duck.StatementBind(&source->statement, &array, &schema, &theirs));
  }
  return run(call, source, is_query(sql), rows);
}

static AdbcStatusCode execute_rows(struct call* call, struct connection* connection, const char* sql,
                                   struct bound* bound, struct source** out, int64_t* rows) {
  struct source** last = out;
  int64_t n = bound == NULL ? 1 : bound->rows;
  *rows = is_query(sql) ? -1 : 0;
  for (int64_t row = 0; row < n; row++) {
    int64_t affected = -1;
    *last = tracker_alloc(sizeof **last);
    AdbcStatusCode status = execute_row(call, connection, sql, bound, row, *last, &affected);
    if (status != ADBC_STATUS_OK) return status;
    *rows = affected < 0 || *rows < 0 ? -1 : *rows + affected;
    last = &(*last)->next;
  }
  if (n == 0) *last = tracker_alloc(sizeof **last);
  return ADBC_STATUS_OK;
}

/* Executes for a bound row; *out is NULL, and the transaction has ended, if there is no such row. */
static AdbcStatusCode next_zoned(struct call* call, struct connection* connection, const char* sql, struct bound* bound,
                                 int64_t row, struct source** out, int64_t* rows) {
  int64_t affected = -1;
  AdbcStatusCode status = ADBC_STATUS_OK;
  *out = NULL;
  while (status == ADBC_STATUS_OK && row >= bound->rows && bound->stream.release != NULL) {
    status = bound_more(call, bound);
  }
  if (status != ADBC_STATUS_OK) return status; /* the server knows nothing of it */
  if (row >= bound->rows) return foibles_end(call, connection);
  struct source* source = tracker_alloc(sizeof *source);
  status = execute_row(call, connection, sql, bound, row, source, &affected);
  if (affected > 0) *rows += affected;
  if (status == ADBC_STATUS_OK) *out = source;
  else source_free(source);
  if (status != ADBC_STATUS_OK) connection->aborted = 1;
  return status;
}

/* Executes for bound times with a zone, as PostgreSQL's driver: see foibles.c. */
static AdbcStatusCode execute_zoned(struct call* call, struct statement* statement, struct bound* bound,
                                    struct ArrowArrayStream* out, int64_t* rows) {
  struct connection* connection = statement->connection;
  struct source *source = NULL, **last = &source;
  int64_t row = 0;
  *rows = out == NULL ? 0 : -1;
  AdbcStatusCode status = foibles_begin(call, connection);
  do {
    if (status == ADBC_STATUS_OK) status = next_zoned(call, connection, statement->sql, bound, row++, last, rows);
    if (*last == NULL) break;
    last = &(*last)->next;
  } while (status == ADBC_STATUS_OK && out == NULL);
  if (status == ADBC_STATUS_OK && out != NULL) {
    if (source == NULL) source = tracker_alloc(sizeof *source);
    result_start_rows(source, bound, row > bound->rows ? NULL : statement->sql, row, next_zoned, statement, out);
    return status;
  }
  source_free(source);
  bound_free(bound);
  return status;
}

/* PostgreSQL's driver executes COPY (query) TO STDOUT: the query is neither another statement, nor ends with a
   comment. */
static int copy_fails(struct statement* statement) {
  static const char* const words[] = {"SHOW", "EXPLAIN", NULL};
  const char* sql = statement->sql;
  const char* line = sql;
  for (const char* end = strchr(sql, '\n'); end != NULL; end = strchr(line, '\n')) line = end + 1;
  return setting(ONE_COPY) && !option_is(&statement->handle, USE_COPY, ADBC_OPTION_VALUE_DISABLED)
      && (begins(sql, words) || strstr(line, "--") != NULL);
}

static AdbcStatusCode parameters_of(struct call* call, struct statement* statement, struct ArrowSchema* out);

/* Whether the driver begins a transaction; see foibles.c. */
static AdbcStatusCode find_zone(struct call* call, struct statement* statement, const struct bound* bound, int* is) {
  struct ArrowSchema parameters = {.n_children = 0};
  AdbcStatusCode status = foibles_nulls(bound) ? parameters_of(call, statement, &parameters) : ADBC_STATUS_OK;
  *is = status == ADBC_STATUS_OK && foibles_zone(bound, &parameters);
  if (parameters.release != NULL) parameters.release(&parameters);
  return status;
}

static AdbcStatusCode execute_sql(struct call* call, struct statement* statement, struct ArrowArrayStream* out,
                                  int64_t* rows) {
  struct source* source = NULL;
  struct bound* bound;
  if (statement->connection->read_only && !is_query(statement->sql)) {
    return call_fail(call, ADBC_STATUS_INVALID_STATE, "25006", "the connection is read-only");
  }
  int is_done, is_zoned = 0;
  AdbcStatusCode status = foibles_sql(call, statement->connection, statement->sql, &is_done);
  if (is_done) return status;
  status = setting(PG_BOUND) ? bound_open(call, statement, &bound) : bound_read(call, statement, &bound);
  if (status == ADBC_STATUS_OK) status = find_zone(call, statement, bound, &is_zoned);
  if (is_zoned) return execute_zoned(call, statement, bound, out, rows);
  while (status == ADBC_STATUS_OK && bound != NULL && bound->stream.release != NULL) status = bound_more(call, bound);
  if (status == ADBC_STATUS_OK && out != NULL && bound == NULL && copy_fails(statement)) {
    statement->connection->aborted = statement->connection->manual;
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "could not begin COPY: syntax error");
  }
  if (status == ADBC_STATUS_OK) {
    status = execute_rows(call, statement->connection, statement->sql, bound, &source, rows);
    if (status != ADBC_STATUS_OK) foibles_failed(statement->connection);
  }
  if (status == ADBC_STATUS_OK) status = foibles_executed(call, statement->connection);
  statement->connection->active = status == ADBC_STATUS_OK && out != NULL && bound == NULL && setting(PG_BOUND);
  if (status == ADBC_STATUS_OK && out != NULL) {
    result_start(source, bound, statement->connection, statement, -1, 0, out);
    return status;
  }
  source_free(source);
  bound_free(bound);
  return status;
}

static AdbcStatusCode set_target(struct call* call, struct statement* statement, struct AdbcStatement* inner) {
  static const char* const keys[] = {ADBC_INGEST_OPTION_TARGET_TABLE, ADBC_INGEST_OPTION_MODE,
                                     ADBC_INGEST_OPTION_TARGET_CATALOG,
                                     ADBC_INGEST_OPTION_TARGET_DB_SCHEMA, ADBC_INGEST_OPTION_TEMPORARY};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
    struct option value = option_get(&statement->handle, keys[i], TEXT);
    AdbcStatusCode status = value.kind == NONE ? ADBC_STATUS_OK
        : duck.StatementSetOption(inner, keys[i], value.bytes, &theirs);
    tracker_free(value.bytes);
    if (status != ADBC_STATUS_OK) return duck_failed(call, status, &theirs);
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode ingest_bound(struct call* call, struct statement* statement, struct bound* bound,
                                   struct source* source, int64_t* rows) {
  struct ArrowArrayStream stream;
  AdbcStatusCode status = duck_statement(call, statement->connection, NULL, &source->statement);
  if (status == ADBC_STATUS_OK) status = set_target(call, statement, &source->statement);
  if (status != ADBC_STATUS_OK) return status;
  statement->connection->database->changed |= 1;
  bound_stream(bound, &stream);
  DUCK(duck.StatementBindStream(&source->statement, &stream, &theirs));
  status = run(call, source, 0, rows);
  if (status == ADBC_STATUS_OK) *rows = bound->rows;
  return status;
}

static AdbcStatusCode ingest(struct call* call, struct statement* statement, struct ArrowArrayStream* out,
                             int64_t* rows) {
  struct bound* bound;
  if (statement->connection->read_only) {
    return call_fail(call, ADBC_STATUS_INVALID_STATE, "25006", "the connection is read-only");
  }
  AdbcStatusCode status = bound_read(call, statement, &bound);
  if (status != ADBC_STATUS_OK) {
    statement->connection->active = setting(PG_BOUND);
    foibles_failed(statement->connection);
    return status;
  }
  if (bound == NULL) return call_state(call, "nothing is bound");
  struct source* source = tracker_alloc(sizeof *source);
  int begins;
  status = foibles_ingest(call, statement->connection, &begins);
  if (status == ADBC_STATUS_OK) status = ingest_bound(call, statement, bound, source, rows);
  if (status == ADBC_STATUS_OK && begins) status = foibles_ingested(call, statement->connection);
  source_free(source);
  bound_free(bound);
  if (status == ADBC_STATUS_OK && out != NULL) {
    result_start(tracker_alloc(sizeof *source), NULL, statement->connection, statement, -1, 0, out);
  }
  return status;
}

AdbcStatusCode statement_execute(struct call* call, struct statement* statement, char* sql, int only_schema,
                                 struct ArrowArrayStream* out, int64_t* rows) {
  struct canned canned;
  AdbcStatusCode status;
  char *whole = statement->sql, *limited = NULL;
  warn(statement->connection);
  if (is_canned(sql, &canned)) {
    if (only_schema) canned.n = 0;
    return execute_canned(call, statement, &canned, out);
  }
  if (only_schema) {
    size_t size = strlen(sql) + 32;
    limited = tracker_alloc(size);
    snprintf(limited, size, "SELECT * FROM (%s) LIMIT 0", sql);
  }
  statement->sql = limited == NULL ? sql : limited;
  status = execute_sql(call, statement, out, rows);
  statement->sql = whole;
  tracker_free(limited);
  return status;
}

/* Converts the columns of the query to the requested types, for one execution. */
static void apply_request(struct statement* statement) {
  char* columns = statement->requested;
  statement->requested = NULL;
  if (columns != NULL && statement->sql != NULL && is_query(statement->sql)) {
    size_t size = strlen(columns) + strlen(statement->sql) + 32;
    char* sql = tracker_alloc(size);
    snprintf(sql, size, "SELECT %s FROM (%s)", columns, statement->sql);
    tracker_free(statement->sql);
    statement->sql = sql;
  }
  tracker_free(columns);
}

/* "This invalidates any prior result sets." */
AdbcStatusCode faultyStatementExecuteQuery(struct AdbcStatement* handle, struct ArrowArrayStream* out,
                                           int64_t* rows_affected, struct AdbcError* error) {
  BEGIN("StatementExecuteQuery", RUNS, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  struct canned canned;
  int64_t rows = -1;
  AdbcStatusCode status;
  result_invalidate(statement, "the statement was executed again");
  option_put(&statement->handle, ADBC_STATEMENT_OPTION_PROGRESS, (struct option){.kind = NUMBER});
  warn(statement->connection);
  apply_request(statement);
  if (statement->ingests) status = ingest(&call, statement, out, &rows);
  else if (statement->sql == NULL) status = call_state(&call, "no query is set");
  else if (is_canned(statement->sql, &canned)) status = execute_canned(&call, statement, &canned, out);
  else status = execute_sql(&call, statement, out, &rows);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = rows;
  return call_end(&call, status);
}

AdbcStatusCode connection_query(struct call* call, struct connection* connection, const char* sql,
                                struct ArrowArrayStream* out) {
  struct source* source = NULL;
  int64_t rows;
  AdbcStatusCode status = execute_rows(call, connection, sql, NULL, &source, &rows);
  if (status == ADBC_STATUS_OK) result_start(source, NULL, connection, NULL, -1, 0, out);
  else source_free(source);
  return status;
}

/* ---- schemas ---- */

enum schema { RESULT_SCHEMA, PARAMETER_SCHEMA, NO_SCHEMA };

static AdbcStatusCode ask(struct call* call, struct AdbcStatement* inner, enum schema which, struct ArrowSchema* out) {
  if (which == RESULT_SCHEMA) DUCK(duck.StatementExecuteSchema(inner, out, &theirs));
  else DUCK(duck.StatementPrepare(inner, &theirs));
  if (which == PARAMETER_SCHEMA) DUCK(duck.StatementGetParameterSchema(inner, out, &theirs));
  return ADBC_STATUS_OK;
}

static AdbcStatusCode schema_of(struct call* call, struct statement* statement, enum schema which,
                                struct ArrowSchema* out) {
  struct canned canned;
  struct source* source = tracker_alloc(sizeof *source);
  AdbcStatusCode status = ADBC_STATUS_OK;
  if (statement->sql == NULL) {
    status = call_state(call, statement->ingests ? "an ingestion has no result" : "no query is set");
  } else if (which != PARAMETER_SCHEMA && is_canned(statement->sql, &canned)) {
    if (which == RESULT_SCHEMA) peer_batch_schema(out);
  } else {
    status = duck_statement(call, statement->connection, statement->sql, &source->statement);
    if (status == ADBC_STATUS_OK) status = ask(call, &source->statement, which, out);
  }
  if (status == ADBC_STATUS_OK && which == PARAMETER_SCHEMA) foibles_parameters(statement->sql, out);
  if (status == ADBC_STATUS_OK && which != NO_SCHEMA) count_result_schema(out);
  source_free(source);
  return status;
}

static AdbcStatusCode parameters_of(struct call* call, struct statement* statement, struct ArrowSchema* out) {
  return schema_of(call, statement, PARAMETER_SCHEMA, out);
}

AdbcStatusCode statement_schema(struct call* call, struct statement* statement, struct ArrowSchema* out) {
  return schema_of(call, statement, RESULT_SCHEMA, out);
}

AdbcStatusCode statement_schema_of(struct call* call, struct statement* statement, char* sql,
                                   struct ArrowSchema* out) {
  char* whole = statement->sql;
  statement->sql = sql;
  AdbcStatusCode status = statement_schema(call, statement, out);
  statement->sql = whole;
  return status;
}

AdbcStatusCode faultyStatementExecuteSchema(struct AdbcStatement* handle, struct ArrowSchema* out,
                                            struct AdbcError* error) {
  BEGIN("StatementExecuteSchema", RUNS, handle, STATEMENT);
  result_invalidate(handle->private_data, "the statement was executed again");
  return call_end(&call, schema_of(&call, handle->private_data, RESULT_SCHEMA, out));
}

/* "This invalidates any prior result sets." */
AdbcStatusCode faultyStatementPrepare(struct AdbcStatement* handle, struct AdbcError* error) {
  BEGIN("StatementPrepare", RUNS, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  result_invalidate(statement, "the statement was prepared again");
  AdbcStatusCode status = schema_of(&call, statement, NO_SCHEMA, NULL);
  statement->prepared = status == ADBC_STATUS_OK;
  return call_end(&call, status);
}

/* "This should be called after AdbcStatementPrepare." */
AdbcStatusCode faultyStatementGetParameterSchema(struct AdbcStatement* handle, struct ArrowSchema* out,
                                                 struct AdbcError* error) {
  BEGIN("StatementGetParameterSchema", 0, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  if (!statement->prepared) return call_end(&call, call_state(&call, "the statement is not prepared"));
  return call_end(&call, schema_of(&call, statement, PARAMETER_SCHEMA, out));
}
