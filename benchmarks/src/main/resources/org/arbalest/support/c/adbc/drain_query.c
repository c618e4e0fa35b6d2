// SPDX-License-Identifier: Apache-2.0
/* Queries by ADBC from C and discards the results, to measure the cost of the driver itself. */
#include <dlfcn.h>
#include <stdlib.h>

#include "adbc/adbc.h"

struct session {
  struct AdbcDriver driver;
  struct AdbcDatabase database;
  struct AdbcConnection connection;
  struct AdbcStatement prepared; /* by session_prepare */
};

/* A connection to a database with one option, for the life of the process; NULL after a failure. */
struct session* session_open(const char* library, const char* init_function, const char* key, const char* value) {
  struct session* session = calloc(1, sizeof *session);
  struct AdbcDriver* driver = &session->driver;
  struct AdbcError error = {0};
  void* loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  AdbcDriverInitFunc* init = loaded ? (AdbcDriverInitFunc*)dlsym(loaded, init_function) : NULL;
  if (init && init(ADBC_VERSION_1_1_0, driver, &error) == ADBC_STATUS_OK &&
      driver->DatabaseNew(&session->database, &error) == ADBC_STATUS_OK &&
      driver->DatabaseSetOption(&session->database, key, value, &error) == ADBC_STATUS_OK &&
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

/* How many rows an execution has; -1 if it fails. */
static int64_t executed(struct AdbcDriver* driver, struct AdbcStatement* statement, struct AdbcError* error) {
  struct ArrowArrayStream stream = {0};
  int64_t affected;
  if (driver->StatementExecuteQuery(statement, &stream, &affected, error) != ADBC_STATUS_OK) return -1;
  int64_t rows = drain(&stream);
  stream.release(&stream);
  return rows;
}

/* How many rows a query has; -1 if it fails. */
int64_t session_query(struct session* session, const char* sql) {
  struct AdbcDriver* driver = &session->driver;
  struct AdbcStatement statement = {0};
  struct AdbcError error = {0};
  int64_t rows = -1;
  if (driver->StatementNew(&session->connection, &statement, &error) != ADBC_STATUS_OK) goto failed;
  if (driver->StatementSetSqlQuery(&statement, sql, &error) == ADBC_STATUS_OK)
    rows = executed(driver, &statement, &error);
  driver->StatementRelease(&statement, &error);
failed:
  if (error.release) error.release(&error);
  return rows;
}

/* Prepares a query of one parameter; 0 if that fails. */
int64_t session_prepare(struct session* session, const char* sql) {
  struct AdbcDriver* driver = &session->driver;
  struct AdbcError error = {0};
  int is_prepared = driver->StatementNew(&session->connection, &session->prepared, &error) == ADBC_STATUS_OK &&
                    driver->StatementSetSqlQuery(&session->prepared, sql, &error) == ADBC_STATUS_OK &&
                    driver->StatementPrepare(&session->prepared, &error) == ADBC_STATUS_OK;
  if (error.release) error.release(&error);
  return is_prepared;
}

static void schema_released(struct ArrowSchema* schema) { schema->release = NULL; }
static void array_released(struct ArrowArray* array) { array->release = NULL; }

/* How many rows the prepared query has for a parameter; -1 if it fails. */
int64_t session_prepared(struct session* session, int64_t parameter) {
  const void* values[] = {NULL, &parameter};
  struct ArrowSchema field = {.format = "l", .name = "1", .flags = ARROW_FLAG_NULLABLE, .release = schema_released};
  struct ArrowArray column = {.length = 1, .n_buffers = 2, .buffers = values, .release = array_released};
  struct ArrowSchema* fields[] = {&field};
  struct ArrowArray* columns[] = {&column};
  const void* none[] = {NULL};
  struct ArrowSchema schema = {.format = "+s", .name = "", .n_children = 1, .children = fields, .release = schema_released};
  struct ArrowArray batch = {.length = 1, .n_buffers = 1, .n_children = 1, .buffers = none, .children = columns,
                             .release = array_released};
  struct AdbcError error = {0};
  int64_t rows = -1;
  if (session->driver.StatementBind(&session->prepared, &batch, &schema, &error) == ADBC_STATUS_OK)
    rows = executed(&session->driver, &session->prepared, &error);
  if (error.release) error.release(&error);
  return rows;
}
