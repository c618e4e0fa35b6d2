// SPDX-License-Identifier: Apache-2.0
/* Connections, their options and transactions: adbc.h, "Connection Establishment", "Transaction Semantics". */
#include <string.h>

#include "adbc/core/accessors.h"
#include "functions.h"
#include "adbc/query/views.h"

AdbcStatusCode connection_new(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "ConnectionNew", handle->private_data, error)) return call.status;
  struct connection* connection = ledger_open(sizeof *connection, LEDGER_CONNECTION);
  struct options* options = &connection->handle.options;
  options_init(options);
  options_put(options, ADBC_CONNECTION_OPTION_AUTOCOMMIT, option_text(ADBC_OPTION_VALUE_ENABLED));
  options_put(options, ADBC_CONNECTION_OPTION_READ_ONLY, option_text(ADBC_OPTION_VALUE_DISABLED));
  options_put(options, ADBC_CONNECTION_OPTION_ISOLATION_LEVEL, option_text(ADBC_OPTION_ISOLATION_LEVEL_DEFAULT));
  options_put(options, ADBC_CONNECTION_OPTION_CURRENT_CATALOG, option_text("memory"));
  options_put(options, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA, option_text("main"));
  connection->autocommit = 1;
  connection->temporary = catalog_new();
  handle->private_data = connection;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode connection_init(struct AdbcConnection* handle, struct AdbcDatabase* database, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionInit", CALL_EARLY | CALL_RUNS, handle, error)) return call.status;
  struct connection* connection = handle->private_data;
  if (connection->handle.ready) return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "the connection is initialized already"));
  if (!call_also(&call, database->private_data)) return call.status;
  connection->database = database->private_data;
  state_lock();
  connection->database->connections++;
  state_unlock();
  connection->handle.ready = 1;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode connection_release(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionRelease", CALL_RELEASE, handle, error)) return call.status;
  struct connection* connection = handle->private_data;
  state_lock();
  int statements = connection->statements, streams = connection->streams;
  state_unlock();
  if (statements + streams > 0) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "the connection has %d open statements and %d open streams", statements, streams));
  }
  transaction_end(connection);
  catalog_drop(connection->temporary);
  state_lock();
  if (connection->database != NULL) connection->database->connections--;
  state_unlock();
  handle->private_data = NULL;
  return call_close(&call, &connection->handle);
}

/* "return ADBC_STATUS_INVALID_STATE if there is no operation to cancel"; from any thread. */
AdbcStatusCode connection_cancel(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionCancel", CALL_SHARED, handle, error)) return call.status;
  struct connection* connection = handle->private_data;
  if (result_cancel(&connection->activity, &connection->metadata)) return call_end(&call, ADBC_STATUS_OK);
  return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "there is nothing to cancel"));
}

/* ---- transactions ---- */

static AdbcStatusCode finish(struct call* call, struct connection* connection, int commits) {
  if (connection->autocommit) return call_fail(call, ADBC_STATUS_INVALID_STATE, "25000", "autocommit is on");
  if (!commits) transaction_rollback(connection);
  else if (!transaction_commit(connection)) return call_fail(call, ADBC_STATUS_INTEGRITY, "40001", "another connection has changed the database meanwhile");
  return ADBC_STATUS_OK;
}

AdbcStatusCode connection_commit(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionCommit", CALL_RUNS, handle, error)) return call.status;
  return call_end(&call, finish(&call, handle->private_data, 1));
}

AdbcStatusCode connection_rollback(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionRollback", CALL_RUNS, handle, error)) return call.status;
  return call_end(&call, finish(&call, handle->private_data, 0));
}

/* Whatever is open is committed where autocommit goes on, as in JDBC; adbc.h does not say. */
static AdbcStatusCode autocommit(struct call* call, struct connection* connection, int on) {
  int is_open = on && !connection->autocommit && connection->handle.ready;
  AdbcStatusCode status = is_open ? finish(call, connection, 1) : ADBC_STATUS_OK;
  if (status == ADBC_STATUS_OK) connection->autocommit = on;
  return status;
}

/* ---- options ---- */

/* What a snapshot is enough for; the two above are not. */
static int is_level(const char* level) {
  static const char* const levels[] = {ADBC_OPTION_ISOLATION_LEVEL_DEFAULT, ADBC_OPTION_ISOLATION_LEVEL_READ_UNCOMMITTED,
                                       ADBC_OPTION_ISOLATION_LEVEL_READ_COMMITTED, ADBC_OPTION_ISOLATION_LEVEL_REPEATABLE_READ,
                                       ADBC_OPTION_ISOLATION_LEVEL_SNAPSHOT};
  for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
    if (strcmp(levels[i], level) == 0) return 1;
  }
  return 0;
}

static AdbcStatusCode set_text(struct call* call, struct connection* connection, const char* key, struct option value) {
  struct options* options = &connection->handle.options;
  struct arena arena = {NULL};
  AdbcStatusCode status = ADBC_STATUS_OK;
  int flag = option_flag(value);
  if (strcmp(key, ADBC_CONNECTION_OPTION_AUTOCOMMIT) == 0) {
    status = flag < 0 ? option_odd(call, key, value) : autocommit(call, connection, flag);
  } else if (strcmp(key, ADBC_CONNECTION_OPTION_READ_ONLY) == 0) {
    if (flag < 0) status = option_odd(call, key, value);
    else connection->read_only = flag;
  } else if (strcmp(key, ADBC_CONNECTION_OPTION_ISOLATION_LEVEL) == 0) {
    if (!is_level(value.text)) status = call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no isolation level %s", value.text);
  } else if (strcmp(key, ADBC_CONNECTION_OPTION_CURRENT_CATALOG) == 0) {
    if (!place_is(value.text, NULL)) status = call_fail(call, ADBC_STATUS_NOT_FOUND, "3D000", "there is no catalog %s", value.text);
  } else if (strcmp(key, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA) == 0) {
    const char* catalog = options_get(options, ADBC_CONNECTION_OPTION_CURRENT_CATALOG, OPTION_TEXT, &arena).text;
    if (!place_is(catalog, value.text)) status = call_fail(call, ADBC_STATUS_NOT_FOUND, "3F000", "there is no schema %s.%s", catalog, value.text);
  } else {
    status = option_unknown(call, key);
  }
  arena_free(&arena);
  if (status == ADBC_STATUS_OK) options_put(options, key, value);
  return status;
}

static AdbcStatusCode set(struct call* call, struct connection* connection, const char* key, struct option value) {
  if (option_store(&connection->handle, key, value)) return ADBC_STATUS_OK;
  if (strncmp(key, "adbc.connection.", 16) != 0) return option_unknown(call, key);
  return value.kind == OPTION_TEXT ? set_text(call, connection, key, value) : option_odd(call, key, value);
}

static struct option get(struct connection* connection, const char* key, enum option_kind kind, struct arena* arena) {
  return options_get(&connection->handle.options, key, kind, arena);
}

ACCESSORS("Connection", AdbcConnection, connection)
