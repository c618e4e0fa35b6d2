// SPDX-License-Identifier: Apache-2.0
/* Queries by ADBC from C and discards the results, to measure the cost of the driver itself. */
#include <dlfcn.h>
#include <stdlib.h>

#include "adbc/adbc.h"

struct session {
  struct AdbcDriver driver;
  struct AdbcDatabase database;
  struct AdbcConnection connection;
};

/* A connection to a database in memory, for the life of the process; NULL after a failure. */
struct session* session_open(const char* library, const char* init_function) {
  struct session* session = calloc(1, sizeof *session);
  struct AdbcDriver* driver = &session->driver;
  struct AdbcError error = {0};
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  AdbcDriverInitFunc* init = loaded ? (AdbcDriverInitFunc*)dlsym(loaded, init_function) : NULL;
  if (init && init(ADBC_VERSION_1_1_0, driver, &error) == ADBC_STATUS_OK &&
      driver->DatabaseNew(&session->database, &error) == ADBC_STATUS_OK &&
      driver->DatabaseSetOption(&session->database, "path", ":memory:", &error) == ADBC_STATUS_OK &&
      driver->DatabaseInit(&session->database, &error) == ADBC_STATUS_OK &&
      driver->ConnectionNew(&session->connection, &error) == ADBC_STATUS_OK &&
      driver->ConnectionInit(&session->connection, &session->database, &error) == ADBC_STATUS_OK)
    return session;
  if (error.release) error.release(&error);
  free(session);
  return NULL;
}

/* How many rows a stream has, all of which it is drained of; -1 if it fails. */
static int64_t drain(struct ArrowArrayStream* stream) {
  struct ArrowSchema schema = {0};
  if (stream->get_schema(stream, &schema) != 0) return -1;
  schema.release(&schema);
  int64_t rows = 0;
  while (1) {
    struct ArrowArray array = {0};
    if (stream->get_next(stream, &array) != 0) return -1;
    if (!array.release) return rows;
    rows += array.length;
    array.release(&array);
  }
}

/* How many rows a query has; -1 if it fails. */
int64_t session_query(struct session* session, const char* sql) {
  struct AdbcDriver* driver = &session->driver;
  struct AdbcStatement statement = {0};
  struct ArrowArrayStream stream = {0};
  struct AdbcError error = {0};
  int64_t affected, rows = -1;
  if (driver->StatementNew(&session->connection, &statement, &error) != ADBC_STATUS_OK) goto failed;
  if (driver->StatementSetSqlQuery(&statement, sql, &error) == ADBC_STATUS_OK &&
      driver->StatementExecuteQuery(&statement, &stream, &affected, &error) == ADBC_STATUS_OK) {
    rows = drain(&stream);
    stream.release(&stream);
  }
  driver->StatementRelease(&statement, &error);
failed:
  if (error.release) error.release(&error);
  return rows;
}
