// SPDX-License-Identifier: Apache-2.0
/* Requested schemas, the list of options, and the execution into an async handler. */
#include <stdio.h>
#include <string.h>

#include "async/async.h"
#include "driver.h"

/* ---- requested schemas ---- */

static const char* type_of(const char* format) {
  switch (format[0]) {
    case 'i': return "INTEGER";
    case 'l': return "BIGINT";
    case 'g': return "DOUBLE";
    default: return "VARCHAR";
  }
}

AdbcStatusCode faultyStatementRequestSchema(struct AdbcStatement* handle, struct ArrowSchema* schema,
                                            struct AdbcError* error) {
  char types[1024] = "";
  BEGIN("StatementRequestSchema", 0, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  for (int64_t i = 0; i < schema->n_children; i++) {
    const struct ArrowSchema* child = schema->children[i];
    size_t at = strlen(types);
    snprintf(types + at, sizeof types - at, "%s\"%s\"::%s AS \"%s\"", i == 0 ? "" : ", ", child->name,
             type_of(child->format), child->name);
  }
  tracker_free(statement->requested);
  statement->requested = strcpy(tracker_alloc(strlen(types) + 1), types);
  return call_end(&call, ADBC_STATUS_OK);
}

/* ---- the list of options ---- */

static const char options[] =
    "SELECT option_name, option_level::TINYINT AS option_level, option_type::TINYINT AS option_type, option_values,"
    " default_value, required, can_set_before, can_set_after, option_documentation FROM (VALUES"
    " ('uri', 1, 1, NULL, NULL, true, true, false, 'the address of the server'),"
    " ('adbc.statement.exec.incremental', 4, 1, [{'value': 'true', 'documentation': 'some partitions'},"
    "  {'value': 'false', 'documentation': NULL}], 'false', false, true, true, NULL),"
    " ('fake.user.x', 7, 15, [], NULL, false, true, true, NULL)) o(option_name, option_level, option_type,"
    " option_values, default_value, required, can_set_before, can_set_after, option_documentation)"
    " WHERE option_level & %u <> 0";

/* The result of a query, with the handles that the query needs. */
struct listing {
  struct AdbcDatabase database;
  struct AdbcConnection connection;
  struct AdbcStatement statement;
  struct ArrowArrayStream stream;
};

static int listing_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  struct listing* own = self->private_data;
  return own->stream.get_schema(&own->stream, out);
}

static int listing_next(struct ArrowArrayStream* self, struct ArrowArray* out) {
  struct listing* own = self->private_data;
  return own->stream.get_next(&own->stream, out);
}

static const char* listing_error(struct ArrowArrayStream* self) {
  struct listing* own = self->private_data;
  return own->stream.get_last_error(&own->stream);
}

static void listing_free(struct listing* own) {
  if (own->stream.release != NULL) own->stream.release(&own->stream);
  if (own->statement.private_data != NULL) faultyStatementRelease(&own->statement, NULL);
  if (own->connection.private_data != NULL) faultyConnectionRelease(&own->connection, NULL);
  if (own->database.private_data != NULL) faultyDatabaseRelease(&own->database, NULL);
  tracker_free(own);
}

static void listing_release(struct ArrowArrayStream* self) {
  self->release = NULL;
  listing_free(self->private_data);
}

EXPORT AdbcStatusCode AdbcDriverGetOptionsList(uint32_t level, struct ArrowArrayStream* out, struct AdbcError* error);
AdbcStatusCode AdbcDriverGetOptionsList(uint32_t level, struct ArrowArrayStream* out, struct AdbcError* error) {
  char sql[sizeof options + 16];
  snprintf(sql, sizeof sql, options, level);
  struct listing* own = tracker_alloc(sizeof *own);
  AdbcStatusCode status = faultyDatabaseNew(&own->database, error);
  if (status == ADBC_STATUS_OK) status = faultyDatabaseInit(&own->database, error);
  if (status == ADBC_STATUS_OK) status = faultyConnectionNew(&own->connection, error);
  if (status == ADBC_STATUS_OK) status = faultyConnectionInit(&own->connection, &own->database, error);
  if (status == ADBC_STATUS_OK) status = faultyStatementNew(&own->connection, &own->statement, error);
  if (status == ADBC_STATUS_OK) status = faultyStatementSetSqlQuery(&own->statement, sql, error);
  if (status == ADBC_STATUS_OK) status = faultyStatementExecuteQuery(&own->statement, &own->stream, NULL, error);
  if (status != ADBC_STATUS_OK) listing_free(own);
  else *out = (struct ArrowArrayStream){listing_schema, listing_next, listing_error, listing_release, own};
  return status;
}

/* ---- execution into an async handler, of the queries with fixed results ---- */

struct running {
  void* producer;
  struct ArrowAsyncDeviceStreamHandler* handler;
  void (*release)(struct ArrowAsyncDeviceStreamHandler*);
  struct statement* statement;
};

static _Thread_local struct running* here;

/* "This AdbcStatement must outlive the returned ArrowAsyncDeviceStreamHandler": from here on it may be released. */
static void release_handler(struct ArrowAsyncDeviceStreamHandler* handler) {
  state_lock();
  here->statement->asyncs--;
  state_unlock();
  handler->release = here->release;
  handler->release(handler);
}

/* Drives the handler to its release. */
static void* run(void* argument) {
  struct running* running = here = argument;
  running->release = running->handler->release;
  running->handler->release = release_handler;
  peer_async_produce(running->producer, running->handler);
  peer_async_close(running->producer, -1);
  calls_count(-1);
  tracker_free(running);
  return NULL;
}

EXPORT AdbcStatusCode AdbcStatementExecuteQueryAsync(struct AdbcStatement* handle,
                                                     struct ArrowAsyncDeviceStreamHandler* handler,
                                                     struct AdbcError* error);
AdbcStatusCode AdbcStatementExecuteQueryAsync(struct AdbcStatement* handle,
                                              struct ArrowAsyncDeviceStreamHandler* handler,
                                              struct AdbcError* error) {
  long long batches, rows, at = -1;
  BEGIN("StatementExecuteQueryAsync", RUNS, handle, STATEMENT);
  struct statement* statement = handle->private_data;
  const char* sql = statement->sql == NULL ? "" : statement->sql;
  int is_failing = sscanf(sql, "SELECT * FROM fails(%lld, %lld, %lld)", &batches, &rows, &at) == 3;
  if (!is_failing && sscanf(sql, "SELECT * FROM batches(%lld, %lld)", &batches, &rows) != 2) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "async only for fixed results"));
  }
  struct peer_async_options options = {.batches = batches, .rows = rows, .at = at, .code = 5, .device_type = 1,
                                       .device_id = -1, .flags = PEER_ASYNC_ON_CALLER | (is_failing ? PEER_ASYNC_ERROR : 0)};
  struct running* running = tracker_alloc(sizeof *running);
  pthread_t thread;
  *running = (struct running){peer_async_producer(&options), handler, NULL, statement};
  state_lock();
  statement->asyncs++;
  state_unlock();
  calls_count(1);
  if (pthread_create(&thread, NULL, run, running) == 0) pthread_detach(thread);
  return call_end(&call, ADBC_STATUS_OK);
}
