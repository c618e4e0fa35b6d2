// SPDX-License-Identifier: Apache-2.0
/* DuckDB: its library, its databases, its connections, and the translation of its errors to ADBC. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

#ifndef DUCKDB
#define DUCKDB "" /* the path of its library */
#endif

struct AdbcDriver duck;

/*
 * A database of DuckDB, which takes about 20 ms to open and is therefore reused. The catalogs of a driver's database
 * are attached to it, and detached when that database is released. A hub that may have other settings is closed.
 */
struct hub {
  struct hub* next;
  struct AdbcDatabase database;
  struct AdbcConnection keeper;
  int attached; /* the catalogs are attached and unchanged */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct hub* idle;

static const char attach[] =
    "ATTACH ':memory:' AS memory; ATTACH ':memory:' AS attic; USE memory; CREATE SCHEMA aux;"
    "CREATE TABLE t (id BIGINT NOT NULL, name TEXT DEFAULT 'alice', price DOUBLE, flag BOOLEAN, day DATE, \"at\""
    " TIMESTAMPTZ, raw BLOB,"
    "  PRIMARY KEY (id));"
    "CREATE TABLE child (id BIGINT NOT NULL, t_id BIGINT DEFAULT 0, label TEXT, PRIMARY KEY (id),"
    "  FOREIGN KEY (t_id) REFERENCES t (id), UNIQUE (label, t_id), CHECK (id > 0));"
    "INSERT INTO t SELECT i, CASE WHEN i % 7 = 6 THEN NULL ELSE 'row-' || i END, i / 2, i % 2 = 0, DATE '2024-10-04' +"
    " i::INT,"
    "  make_timestamptz(i * 1000000), repeat('x', (i % 4)::INT)::BLOB FROM range(10) r(i);"
    "CREATE MACRO batches(n, size) AS TABLE SELECT i AS id, CASE WHEN i % 7 = 6 THEN NULL ELSE 'row-' || i END AS name"
    "  FROM range((n * size)::BIGINT) r(i)";
/* The database that DuckDB opens is also named memory: the hub replaces it. */
static const char leave[] = "ATTACH ':memory:' AS hub; USE hub; DETACH memory";
static const char detach[] = "USE hub; DETACH memory; DETACH attic";

static void load(void) {
  void* library = dlopen(DUCKDB, RTLD_LAZY | RTLD_LOCAL);
  AdbcDriverInitFunc* init = library == NULL ? NULL : (AdbcDriverInitFunc*)dlsym(library, "duckdb_adbc_init");
  if (init == NULL || init(ADBC_VERSION_1_1_0, &duck, NULL) != ADBC_STATUS_OK) memset(&duck, 0, sizeof duck);
}

static AdbcStatusCode run(struct AdbcConnection* connection, const char* sql, struct AdbcError* theirs) {
  struct AdbcStatement statement = {NULL, NULL};
  struct AdbcError other = {.vendor_code = 0};
  AdbcStatusCode status = duck.StatementNew(connection, &statement, theirs);
  if (status == ADBC_STATUS_OK) status = duck.StatementSetSqlQuery(&statement, sql, theirs);
  if (status == ADBC_STATUS_OK) status = duck.StatementExecuteQuery(&statement, NULL, NULL, theirs);
  if (statement.private_data != NULL) duck.StatementRelease(&statement, &other);
  return status;
}

static void drop(struct hub* hub) {
  struct AdbcError theirs = {.vendor_code = 0};
  if (hub->keeper.private_data != NULL) duck.ConnectionRelease(&hub->keeper, &theirs);
  if (hub->database.private_data != NULL) duck.DatabaseRelease(&hub->database, &theirs);
  tracker_free(hub);
}

static AdbcStatusCode open(struct hub* hub, struct AdbcError* theirs) {
  AdbcStatusCode status = duck.DatabaseNew(&hub->database, theirs);
  if (status == ADBC_STATUS_OK) status = duck.DatabaseSetOption(&hub->database, "path", ":memory:", theirs);
  if (status == ADBC_STATUS_OK) status = duck.DatabaseSetOption(&hub->database, "threads", "1", theirs);
  if (status == ADBC_STATUS_OK) status = duck.DatabaseInit(&hub->database, theirs);
  if (status == ADBC_STATUS_OK) status = duck.ConnectionNew(&hub->keeper, theirs);
  if (status == ADBC_STATUS_OK) status = duck.ConnectionInit(&hub->keeper, &hub->database, theirs);
  if (status == ADBC_STATUS_OK) status = run(&hub->keeper, leave, theirs);
  return status;
}

static AdbcStatusCode take(struct call* call, struct hub** out) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
  AdbcStatusCode status = ADBC_STATUS_OK;
  pthread_once(&once, load);
  if (duck.DatabaseNew == NULL) return call_fail(call, ADBC_STATUS_IO, "08001", "there is no DuckDB at '%s'", DUCKDB);
  pthread_mutex_lock(&lock);
  struct hub* hub = idle;
  if (hub != NULL) idle = hub->next;
  pthread_mutex_unlock(&lock);
  if (hub == NULL) {
    hub = tracker_alloc(sizeof *hub);
    status = open(hub, &theirs);
  }
  if (status == ADBC_STATUS_OK && !hub->attached) status = run(&hub->keeper, attach, &theirs);
  if (status == ADBC_STATUS_OK) *out = hub;
  else drop(hub);
  return status == ADBC_STATUS_OK ? status : duck_failed(call, status, &theirs);
}

void duck_close(struct hub* hub, int changed) {
  struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
  if (hub == NULL) return;
  hub->attached = !changed;
  if (changed > 1 || (changed && run(&hub->keeper, detach, &theirs) != ADBC_STATUS_OK)) {
    if (theirs.release != NULL) theirs.release(&theirs);
    drop(hub);
    return;
  }
  pthread_mutex_lock(&lock);
  hub->next = idle;
  idle = hub;
  pthread_mutex_unlock(&lock);
}

void duck_release(struct connection* connection) {
  struct AdbcError theirs = {.vendor_code = 0};
  if (connection->duck.private_data != NULL) duck.ConnectionRelease(&connection->duck, &theirs);
}

static AdbcStatusCode connect(struct call* call, struct connection* connection) {
  static const char* const keys[] = {ADBC_CONNECTION_OPTION_CURRENT_CATALOG, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA};
  AdbcStatusCode status = ADBC_STATUS_OK;
  pthread_mutex_lock(&connection->database->lock);
  if (connection->database->hub == NULL) status = take(call, &connection->database->hub);
  pthread_mutex_unlock(&connection->database->lock);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionNew(&connection->duck, &theirs));
  DUCK(duck.ConnectionInit(&connection->duck, &connection->database->hub->database, &theirs));
  for (int i = 0; i < 2; i++) {
    struct option value = option_get(&connection->handle, keys[i], TEXT);
    struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};
    status = duck.ConnectionSetOption(&connection->duck, keys[i], value.bytes, &theirs);
    tracker_free(value.bytes);
    if (status != ADBC_STATUS_OK) return duck_failed(call, status, &theirs);
  }
  if (connection->manual) {
    DUCK(duck.ConnectionSetOption(&connection->duck, ADBC_CONNECTION_OPTION_AUTOCOMMIT, ADBC_OPTION_VALUE_DISABLED,
                                  &theirs));
    connection->duck_manual = 1;
  }
  return ADBC_STATUS_OK;
}

AdbcStatusCode duck_connection(struct call* call, struct connection* connection) {
  if (connection->duck.private_data != NULL) return ADBC_STATUS_OK;
  AdbcStatusCode status = connect(call, connection);
  if (status != ADBC_STATUS_OK) duck_release(connection);
  return status;
}

AdbcStatusCode duck_run(struct call* call, struct connection* connection, const char* sql) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(run(&connection->duck, sql, &theirs));
  return ADBC_STATUS_OK;
}

AdbcStatusCode duck_statement(struct call* call, struct connection* connection, const char* sql,
                              struct AdbcStatement* out) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.StatementNew(&connection->duck, out, &theirs));
  if (sql != NULL) DUCK(duck.StatementSetSqlQuery(out, sql, &theirs));
  return ADBC_STATUS_OK;
}

/* The errors that DuckDB reports only as text; the first match applies. */
static const struct { const char* words; AdbcStatusCode status; const char* sqlstate; } meanings[] = {
  {"INTERRUPT", ADBC_STATUS_CANCELLED, "57014"},
  {"Conflict on", ADBC_STATUS_INTEGRITY, "40001"},
  {"Constraint Error", ADBC_STATUS_INTEGRITY, "23505"},
  {"already exists", ADBC_STATUS_ALREADY_EXISTS, "42P07"},
  {"does not exist", ADBC_STATUS_NOT_FOUND, "42P01"},
  {"No catalog + schema named", ADBC_STATUS_NOT_FOUND, "3F000"},
  {"Values were not provided", ADBC_STATUS_INVALID_ARGUMENT, "07001"},
  {"Unsupported Internal Arrow Type", ADBC_STATUS_NOT_IMPLEMENTED, "0A000"},
  {"Not implemented", ADBC_STATUS_NOT_IMPLEMENTED, "0A000"},
  {"Parser Error", ADBC_STATUS_INVALID_ARGUMENT, "42601"},
  {"No statements found", ADBC_STATUS_INVALID_ARGUMENT, "42601"},
};

AdbcStatusCode duck_failed(struct call* call, AdbcStatusCode status, struct AdbcError* theirs) {
  const char *message = theirs->message == NULL ? "DuckDB says no more" : theirs->message, *sqlstate = "HY000";
  for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++) {
    if (strstr(message, meanings[i].words) == NULL) continue;
    status = meanings[i].status;
    sqlstate = meanings[i].sqlstate;
    break;
  }
  call_fail(call, status, sqlstate, "%s", message);
  if (theirs->release != NULL) theirs->release(theirs);
  return status;
}
