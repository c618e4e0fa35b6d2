// SPDX-License-Identifier: Apache-2.0
/* Databases: adbc.h, "Database Initialization". */
#include <stdlib.h>
#include <string.h>

#include "adbc/core/accessors.h"
#include "functions.h"
#include "adbc/query/sample.h"

#define ROWS "double.rows"

AdbcStatusCode database_new(struct AdbcDatabase* handle, struct AdbcError* error) {
  struct call call;
  if (!call_new(&call, "DatabaseNew", handle->private_data, error)) return call.status;
  struct database* database = ledger_open(sizeof *database, LEDGER_DATABASE);
  options_init(&database->handle.options);
  pthread_mutex_init(&database->lock, NULL);
  options_put(&database->handle.options, ROWS, (struct option){OPTION_INT, NULL, 0, 10, 0});
  handle->private_data = database;
  return call_end(&call, ADBC_STATUS_OK);
}

static int is_word(const struct options* options, const char* key, const char* word) {
  struct arena arena = {NULL};
  struct option value = options_get((struct options*)options, key, OPTION_TEXT, &arena);
  int is = value.kind == OPTION_TEXT && strcmp(value.text, word) == 0;
  arena_free(&arena);
  return is;
}

static AdbcStatusCode init(struct call* call, struct database* database) {
  struct options* options = &database->handle.options;
  if (database->handle.ready) return call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "the database is initialized already");
  if (is_word(options, ADBC_OPTION_URI, "double://refused")) return call_fail(call, ADBC_STATUS_IO, "08001", "there is no server at double://refused");
  if (is_word(options, ADBC_OPTION_PASSWORD, "wrong")) return call_fail(call, ADBC_STATUS_UNAUTHENTICATED, "28000", "that is not the password");
  struct arena arena = {NULL};
  database->catalog = sample_catalog(call, options_get(options, ROWS, OPTION_INT, &arena).integer);
  arena_free(&arena);
  database->handle.ready = 1;
  return ADBC_STATUS_OK;
}

AdbcStatusCode database_init(struct AdbcDatabase* handle, struct AdbcError* error) {
  struct call call;
  if (!call_database(&call, "DatabaseInit", CALL_EARLY, handle, error)) return call.status;
  return call_end(&call, init(&call, handle->private_data));
}

/* "Destroy this database. No connections may exist." */
AdbcStatusCode database_release(struct AdbcDatabase* handle, struct AdbcError* error) {
  struct call call;
  if (!call_database(&call, "DatabaseRelease", CALL_RELEASE, handle, error)) return call.status;
  struct database* database = handle->private_data;
  state_lock();
  int connections = database->connections;
  state_unlock();
  if (connections > 0) return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_STATE, "HY010", "the database has %d open connections", connections));
  catalog_drop(database->catalog);
  pthread_mutex_destroy(&database->lock);
  handle->private_data = NULL;
  return call_close(&call, &database->handle);
}

static AdbcStatusCode set(struct call* call, struct database* database, const char* key, struct option value) {
  static const char* const texts[] = {ADBC_OPTION_URI, ADBC_OPTION_USERNAME, ADBC_OPTION_PASSWORD};
  struct options* options = &database->handle.options;
  if (option_store(&database->handle, key, value)) return ADBC_STATUS_OK;
  for (int i = 0; i < 3; i++) {
    if (strcmp(key, texts[i]) != 0) continue;
    if (value.kind != OPTION_TEXT) return option_odd(call, key, value);
    options_put(options, key, value);
    return ADBC_STATUS_OK;
  }
  if (strcmp(key, ROWS) != 0) return option_unknown(call, key);
  if (database->handle.ready) return call_fail(call, ADBC_STATUS_INVALID_STATE, "HY011", "option %s is for a database that is not initialized", key);
  if (value.kind == OPTION_TEXT) value = (struct option){OPTION_INT, NULL, 0, strtoll(value.text, NULL, 10), 0};
  if (value.kind != OPTION_INT || value.integer < 0) return option_odd(call, key, value);
  options_put(options, key, value);
  return ADBC_STATUS_OK;
}

static struct option get(struct database* database, const char* key, enum option_kind kind, struct arena* arena) {
  return options_get(&database->handle.options, key, kind, arena);
}

ACCESSORS("Database", AdbcDatabase, database)
