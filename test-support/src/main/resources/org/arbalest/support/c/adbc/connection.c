// SPDX-License-Identifier: Apache-2.0
/* Databases and connections, their options and transactions. */
#include <string.h>

#include "driver.h"

AdbcStatusCode faultyDatabaseNew(struct AdbcDatabase* handle, struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "DatabaseNew", handle->private_data, error)) return call.status;
  struct database* database = tracker_open(sizeof *database, DATABASE);
  pthread_mutex_init(&database->lock, NULL);
  handle->private_data = database;
  return call_end(&call, ADBC_STATUS_OK);
}

static AdbcStatusCode init(struct call* call, struct database* database) {
  struct handle* handle = &database->handle;
  if (handle->ready) return call_state(call, "the database is initialized already");
  if (option_is(handle, ADBC_OPTION_URI, "fake://refused")) {
    return call_fail(call, ADBC_STATUS_IO, "08001", "there is no server at fake://refused");
  }
  if (option_is(handle, ADBC_OPTION_PASSWORD, "wrong")) {
    return call_fail(call, ADBC_STATUS_UNAUTHENTICATED, "28000", "that is not the password");
  }
  handle->ready = 1;
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyDatabaseInit(struct AdbcDatabase* handle, struct AdbcError* error) {
  BEGIN("DatabaseInit", EARLY, handle, DATABASE);
  return call_end(&call, init(&call, handle->private_data));
}

/* "Destroy this database. No connections may exist." */
AdbcStatusCode faultyDatabaseRelease(struct AdbcDatabase* handle, struct AdbcError* error) {
  BEGIN("DatabaseRelease", RELEASE, handle, DATABASE);
  struct database* database = handle->private_data;
  state_lock();
  int connections = database->connections;
  state_unlock();
  if (connections > 0) return call_end(&call, call_state(&call, "the database has %d open connections", connections));
  duck_close(database->hub, database->changed);
  handle->private_data = NULL;
  return call_close(&call, &database->handle);
}

AdbcStatusCode faultyConnectionNew(struct AdbcConnection* handle, struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "ConnectionNew", handle->private_data, error)) return call.status;
  struct connection* connection = tracker_open(sizeof *connection, CONNECTION);
  option_put_text(&connection->handle, ADBC_CONNECTION_OPTION_AUTOCOMMIT, ADBC_OPTION_VALUE_ENABLED);
  option_put_text(&connection->handle, ADBC_CONNECTION_OPTION_CURRENT_CATALOG, "memory");
  option_put_text(&connection->handle, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA, "main");
  handle->private_data = connection;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode faultyConnectionInit(struct AdbcConnection* handle, struct AdbcDatabase* database,
                                    struct AdbcError* error) {
  BEGIN("ConnectionInit", EARLY | RUNS, handle, CONNECTION);
  struct connection* connection = handle->private_data;
  if (connection->handle.ready) return call_end(&call, call_state(&call, "the connection is initialized already"));
  if (!call_also(&call, database->private_data)) return call.status;
  connection->database = database->private_data;
  state_lock();
  connection->database->connections++;
  state_unlock();
  connection->handle.ready = 1;
  return call_end(&call, ADBC_STATUS_OK);
}

AdbcStatusCode faultyConnectionRelease(struct AdbcConnection* handle, struct AdbcError* error) {
  BEGIN("ConnectionRelease", RELEASE, handle, CONNECTION);
  struct connection* connection = handle->private_data;
  state_lock();
  int statements = connection->statements, streams = connection->streams;
  state_unlock();
  if (statements + streams > 0) {
    return call_end(&call,
                    call_state(&call, "the connection has %d open statements and %d open streams", statements,
                               streams));
  }
  /* PostgreSQL's driver counts its connections in the database, with a plain integer. */
  if (connection->database != NULL && !call_also(&call, &connection->database->handle)) return call.status;
  duck_release(connection);
  state_lock();
  if (connection->database != NULL) connection->database->connections--;
  state_unlock();
  handle->private_data = NULL;
  return call_close(&call, &connection->handle);
}

/* "return ADBC_STATUS_INVALID_STATE if there is no operation to cancel"; from any thread. */
AdbcStatusCode faultyConnectionCancel(struct AdbcConnection* handle, struct AdbcError* error) {
  BEGIN("ConnectionCancel", SHARED, handle, CONNECTION);
  struct connection* connection = handle->private_data;
  int any = result_cancel(connection, &connection->activity, &connection->metadata);
  return call_end(&call, any ? ADBC_STATUS_OK : call_state(&call, "there is nothing to cancel"));
}

/* ---- transactions ---- */

/* As in PostgreSQL, the commit of an aborted transaction rolls it back and succeeds. */
static AdbcStatusCode finish(struct call* call, struct connection* connection, int commits) {
  if (!connection->manual) return call_fail(call, ADBC_STATUS_INVALID_STATE, "25000", "autocommit is on");
  commits &= !connection->aborted;
  connection->aborted = connection->begun = 0;
  if (!commits) connection->utc = connection->utc_before;
  if (connection->own) {
    connection->own = 0;
    return duck_run(call, connection, commits ? "COMMIT" : "ROLLBACK");
  }
  if (!connection->duck_manual) return ADBC_STATUS_OK; /* nothing to commit or to roll back */
  DUCK(commits ? duck.ConnectionCommit(&connection->duck, &theirs)
       : duck.ConnectionRollback(&connection->duck, &theirs));
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyConnectionCommit(struct AdbcConnection* handle, struct AdbcError* error) {
  BEGIN("ConnectionCommit", RUNS | ENDS, handle, CONNECTION);
  return call_end(&call, finish(&call, handle->private_data, 1));
}

AdbcStatusCode faultyConnectionRollback(struct AdbcConnection* handle, struct AdbcError* error) {
  BEGIN("ConnectionRollback", RUNS | ENDS, handle, CONNECTION);
  return call_end(&call, finish(&call, handle->private_data, 0));
}

/* Switching autocommit on commits an open transaction, as in JDBC; adbc.h does not specify it. */
static AdbcStatusCode autocommit(struct call* call, struct connection* connection, int on) {
  AdbcStatusCode status = on && connection->manual ? finish(call, connection, 1) : ADBC_STATUS_OK;
  if (status != ADBC_STATUS_OK || connection->manual == !on) return status;
  const char* value = on ? ADBC_OPTION_VALUE_ENABLED : ADBC_OPTION_VALUE_DISABLED;
  if (connection->duck.private_data != NULL && !connection->own && connection->duck_manual == on) {
    DUCK(duck.ConnectionSetOption(&connection->duck, ADBC_CONNECTION_OPTION_AUTOCOMMIT, value, &theirs));
    connection->duck_manual = !on;
  }
  connection->manual = !on;
  return ADBC_STATUS_OK;
}

/* ---- options ---- */

static int is_place(const char* key) {
  return strcmp(key, ADBC_CONNECTION_OPTION_CURRENT_CATALOG) == 0
      || strcmp(key, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA) == 0;
}

static AdbcStatusCode place(struct call* call, struct connection* connection, const char* key, const char* value) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionSetOption(&connection->duck, key, value, &theirs));
  return ADBC_STATUS_OK;
}

AdbcStatusCode connection_set(struct call* call, struct connection* connection, const char* key, struct option value) {
  AdbcStatusCode status = ADBC_STATUS_OK;
  if (value.kind != TEXT || strncmp(key, "adbc.connection.", 16) != 0) {
    return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no option %s", key);
  }
  int flag = strcmp(value.bytes, ADBC_OPTION_VALUE_ENABLED) == 0 ? 1
      : strcmp(value.bytes, ADBC_OPTION_VALUE_DISABLED) == 0 ? 0 : -1;
  int is_autocommit = strcmp(key, ADBC_CONNECTION_OPTION_AUTOCOMMIT) == 0;
  if (is_autocommit || strcmp(key, ADBC_CONNECTION_OPTION_READ_ONLY) == 0) {
    if (flag < 0) {
      return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "option %s cannot be %s", key, value.bytes);
    }
    if (is_autocommit) status = autocommit(call, connection, flag);
    else connection->read_only = flag;
  } else if (strcmp(key, ADBC_CONNECTION_OPTION_ISOLATION_LEVEL) == 0) {
    if (strstr(value.bytes, "izable") != NULL) { /* serializable, linearizable */
      return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no isolation level %s", value.bytes);
    }
  } else if (is_place(key)) {
    status = place(call, connection, key, value.bytes);
  } else {
    return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no option %s", key);
  }
  if (status == ADBC_STATUS_OK) option_put(&connection->handle, key, value);
  return status;
}

/* Like DuckDB and PostgreSQL. */
AdbcStatusCode connection_ask(struct call* call, struct connection* connection, const char* key) {
  char value[256];
  size_t size = sizeof value;
  if (strncmp(key, "adbc.connection.", 16) != 0) return ADBC_STATUS_OK;
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionGetOption(&connection->duck, key, value, &size, &theirs));
  if (is_place(key)) option_put_text(&connection->handle, key, value); /* a catalog has a schema of its own */
  return ADBC_STATUS_OK;
}
