// SPDX-License-Identifier: Apache-2.0
/*
 * The behaviour of real drivers beside adbc.h with bound data, as of 1.13 of apache/arrow-adbc.
 *
 * PG_BOUND, PostgreSQL's: for times with a zone (bind_stream.h, result_reader.cc) it begins a transaction if autocommit
 * is on, and sets the session's zone to UTC. A row with a result is executed when that is pulled. After the last bound
 * row it restores the zone, and commits what it began. After a failure, or an early release, all stays unchanged. After
 * a result by COPY, the state of the transaction is "active" until the next execution, which begins no transaction
 * though autocommit is off (connection.cc, issue 4695). Null items of lists are written as the value below them
 * (copy/writer.h).
 *
 * SQLITE_BOUND, SQLite's: the seconds of a date32 are computed in 32 bits (statement_reader.c).
 */
#include <string.h>

#include "driver.h"

int foibles_zone(const struct bound* bound) {
  if (bound == NULL || !setting(PG_BOUND)) return 0;
  for (int64_t i = 0; i < bound->schema.n_children; i++) {
    const char* format = bound->schema.children[i]->format; /* such as "tsu:UTC" */
    if (strncmp(format, "ts", 2) == 0 && strlen(format) > 4) return 1;
  }
  return 0;
}

AdbcStatusCode foibles_begin(struct call* call, struct connection* connection) {
  if (!connection->manual) {
    AdbcStatusCode status = duck_run(call, connection, "BEGIN TRANSACTION");
    if (status != ADBC_STATUS_OK) return status;
    connection->own = 1;
  }
  connection->utc_before = connection->utc;
  connection->utc = 1;
  return ADBC_STATUS_OK;
}

AdbcStatusCode foibles_sql(struct call* call, struct connection* connection, const char* sql, int* is_done) {
  *is_done = setting(PG_BOUND);
  if (*is_done && strncmp(sql, "SET TIME ZONE", 13) == 0) {
    connection->utc = 0;
    return ADBC_STATUS_OK;
  }
  if (*is_done && strcmp(sql, "BEGIN") == 0) {
    connection->own = 1;
    return duck_run(call, connection, "BEGIN TRANSACTION");
  }
  if (*is_done && foibles_ends(sql)) {
    int own = connection->own;
    connection->own = connection->aborted = 0;
    if (*sql == 'R') connection->utc = connection->utc_before;
    return own ? duck_run(call, connection, sql) : ADBC_STATUS_OK;
  }
  *is_done = 0;
  return ADBC_STATUS_OK;
}

int foibles_ends(const char* sql) {
  return sql != NULL && setting(PG_BOUND) && (strcmp(sql, "ROLLBACK") == 0 || strcmp(sql, "COMMIT") == 0);
}

AdbcStatusCode foibles_executed(struct call* call, struct connection* connection) {
  if (!setting(PG_BOUND) || !connection->manual) return ADBC_STATUS_OK;
  if (!connection->was_active) connection->begun = 1;
  if (connection->begun || !connection->duck_manual) return ADBC_STATUS_OK;
  DUCK(duck.ConnectionCommit(&connection->duck, &theirs)); /* there was no BEGIN */
  return ADBC_STATUS_OK;
}

AdbcStatusCode foibles_end(struct call* call, struct connection* connection) {
  connection->utc = connection->utc_before;
  if (!connection->own) return ADBC_STATUS_OK;
  connection->own = 0;
  return duck_run(call, connection, "COMMIT");
}

AdbcStatusCode foibles_next(struct call* call, struct connection* connection, const char* sql, struct bound* bound,
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

/* ---- values ---- */

static void wrap(struct bound* bound, struct ArrowArray* days) {
  size_t n = (size_t)(days->offset + days->length);
  const int32_t* from = days->buffers[1];
  int32_t* to = tracker_alloc(n * sizeof *to + sizeof(void*));
  for (size_t i = 0; i < n; i++) {
    int64_t seconds = (int32_t)((uint32_t)from[i] * 86400u);
    to[i] = (int32_t)(seconds >= 0 ? seconds / 86400 : -((-seconds + 86399) / 86400));
  }
  ((const void**)days->buffers)[1] = to;
  bound->wrapped = to; /* freed with the bound data; the tests bind one column of dates */
}

void foibles_values(struct bound* bound, struct ArrowArray* batch) {
  for (int64_t i = 0; i < batch->n_children; i++) {
    struct ArrowArray* column = batch->children[i];
    const char* format = bound->schema.children[i]->format;
    if (setting(SQLITE_BOUND) && strcmp(format, "tdD") == 0 && bound->wrapped == NULL) wrap(bound, column);
    if (!setting(PG_BOUND) || strcmp(format, "+l") != 0) continue;
    column->children[0]->null_count = 0;
    ((const void**)column->children[0]->buffers)[0] = NULL;
  }
}
