// SPDX-License-Identifier: Apache-2.0
/*
 * The behaviour of real drivers beside adbc.h with bound data, as of 1.13 of apache/arrow-adbc.
 *
 * PG_BOUND, PostgreSQL's: for times with a zone (bind_stream.h, result_reader.cc) it begins a transaction if autocommit
 * is on, and sets the session's zone to UTC. A row with a result is executed when that is pulled. After the last bound
 * row it restores the zone, and commits what it began. After a failure, or an early release, all stays unchanged. After
 * a result by COPY, the state of the transaction is "active" until the next execution, which begins no transaction
 * though autocommit is off (connection.cc, issue 4695). Null items of lists are written as the value below them
 * (copy/writer.h). After an ingestion whose batches fail, its COPY stays open until the next command (bind_stream.h,
 * ExecuteCopy). A failed statement aborts its transaction, whose commit rolls back, and succeeds (connection.cc). A
 * column of nulls has the type of its parameter in the query; DuckDB reports none, so $1::TIMESTAMPTZ is recognized.
 *
 * SQLITE_BOUND, SQLite's: the seconds of a date32 are computed in 32 bits (statement_reader.c). For an ingestion with
 * autocommit on, it begins a transaction, unless SQL has. It stays open if the driver cannot prepare its INSERT, such
 * as for a column that the table lacks (sqlite.cc, ExecuteIngestImpl). While a result of INSERT … RETURNING has rows
 * left, SQLite refuses each COMMIT and SAVEPOINT, but not BEGIN (vdbe.c, OP_AutoCommit and OP_Savepoint).
 */
#include <stdio.h>
#include <string.h>

#include "driver.h"

/* As PostgreSQL; DuckDB has a statement for it. */
static const char set_path[] = "SELECT set_config('search_path', ", is_local[] = ", false)";

int foibles_nulls(const struct bound* bound) {
  if (bound == NULL || !setting(PG_BOUND)) return 0;
  for (int64_t i = 0; i < bound->schema.n_children; i++) {
    if (strcmp(bound->schema.children[i]->format, "n") == 0) return 1;
  }
  return 0;
}

void foibles_parameters(const char* sql, struct ArrowSchema* parameters) {
  char words[32];
  for (int i = 0; setting(PG_BOUND) && i < parameters->n_children; i++) {
    snprintf(words, sizeof words, "$%d::TIMESTAMPTZ", i + 1);
    if (strstr(sql, words) != NULL) parameters->children[i]->format = "tsu:UTC";
  }
}

static int is_zoned(const struct ArrowSchema* field) { /* such as "tsu:UTC" */
  return strncmp(field->format, "ts", 2) == 0 && strlen(field->format) > 4;
}

int foibles_zone(const struct bound* bound, const struct ArrowSchema* parameters) {
  if (bound == NULL || !setting(PG_BOUND)) return 0;
  for (int64_t i = 0; i < bound->schema.n_children; i++) {
    const struct ArrowSchema* field = bound->schema.children[i];
    if (strcmp(field->format, "n") == 0 && i < parameters->n_children) field = parameters->children[i];
    if (is_zoned(field)) return 1;
  }
  return 0;
}

AdbcStatusCode foibles_begin(struct call* call, struct connection* connection) {
  if (!connection->manual && !connection->own) { /* a second BEGIN is only a warning */
    AdbcStatusCode status = duck_run(call, connection, "BEGIN TRANSACTION");
    if (status != ADBC_STATUS_OK) return status;
    connection->own = 1;
  }
  connection->utc_before = connection->utc;
  connection->utc = 1;
  return ADBC_STATUS_OK;
}

/* The answer of SQLite to a COMMIT or SAVEPOINT while a statement writes. */
static AdbcStatusCode sqlite_end(struct call* call, struct connection* connection, const char* what) {
  state_lock();
  int writers = connection->writers;
  state_unlock();
  if (!setting(SQLITE_BOUND) || writers == 0) return ADBC_STATUS_OK;
  return call_fail(call, ADBC_STATUS_INTERNAL, "HY000", "cannot %s - SQL statements in progress", what);
}

AdbcStatusCode foibles_sql(struct call* call, struct connection* connection, const char* sql, int* is_done) {
  *is_done = 1;
  if (setting(SQLITE_BOUND) && strncmp(sql, "RELEASE", 7) == 0) return ADBC_STATUS_OK;
  if (setting(SQLITE_BOUND) && strncmp(sql, "SAVEPOINT", 9) == 0) return sqlite_end(call, connection, "open savepoint");
  if (strcmp(sql, "COMMIT") == 0) {
    AdbcStatusCode status = sqlite_end(call, connection, "commit transaction");
    if (status != ADBC_STATUS_OK) return status;
  }
  if (strncmp(sql, "BEGIN", 5) == 0) connection->is_begun = 1;
  if (strcmp(sql, "COMMIT") == 0 || strcmp(sql, "ROLLBACK") == 0) connection->is_begun = 0;
  *is_done = setting(PG_BOUND);
  if (*is_done && strncmp(sql, "SET TIME ZONE", 13) == 0) {
    connection->utc = 0;
    return ADBC_STATUS_OK;
  }
  if (*is_done && strncmp(sql, set_path, sizeof set_path - 1) == 0) {
    char text[256];
    const char* value = sql + sizeof set_path - 1;
    snprintf(text, sizeof text, "SET search_path = %.*s", (int)(strlen(value) - (sizeof is_local - 1)), value);
    return duck_run(call, connection, text);
  }
  if (*is_done && strcmp(sql, "BEGIN") == 0) {
    connection->own = 1;
    return duck_run(call, connection, "BEGIN TRANSACTION");
  }
  if (*is_done && call_ends_transaction(sql)) {
    int own = connection->own;
    connection->own = connection->aborted = 0;
    if (*sql == 'R') connection->utc = connection->utc_before;
    return own ? duck_run(call, connection, sql) : ADBC_STATUS_OK;
  }
  *is_done = 0;
  return ADBC_STATUS_OK;
}

void foibles_failed(struct connection* connection) {
  if (setting(PG_BOUND) && (connection->manual || connection->own)) connection->aborted = 1;
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

AdbcStatusCode foibles_ingest(struct call* call, struct connection* connection, int* begins) {
  *begins = setting(SQLITE_BOUND) && !connection->manual && !connection->is_begun;
  if (!*begins) return ADBC_STATUS_OK;
  connection->is_begun = 1;
  return duck_run(call, connection, "BEGIN TRANSACTION");
}

AdbcStatusCode foibles_ingested(struct call* call, struct connection* connection) {
  AdbcStatusCode status = sqlite_end(call, connection, "commit transaction");
  if (status != ADBC_STATUS_OK) return status;
  connection->is_begun = 0;
  return duck_run(call, connection, "COMMIT");
}
