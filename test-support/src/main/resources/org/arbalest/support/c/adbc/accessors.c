// SPDX-License-Identifier: Apache-2.0
/* The eight functions for options of each kind of handle. Options whose names begin with fake.user. accept any
   value. */
#include <string.h>

#include "driver.h"

#define USERS "fake.user."

static AdbcStatusCode database_set(struct call* call, struct database* database, const char* key, struct option value) {
  if (strcmp(key, ADBC_OPTION_URI) != 0 && strcmp(key, "username") != 0 && strcmp(key, ADBC_OPTION_PASSWORD) != 0) {
    return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "there is no option %s", key);
  }
  option_put(&database->handle, key, value);
  return ADBC_STATUS_OK;
}

static AdbcStatusCode set(const char* name, void* handle, int kind, const char* key, struct option value,
                          struct AdbcError* error) {
  struct call call;
  AdbcStatusCode status = ADBC_STATUS_OK;
  if (!call_begin(&call, name, EARLY, handle, kind, error)) return call.status;
  if (strncmp(key, USERS, strlen(USERS)) == 0) option_put(handle, key, value);
  else if (kind == DATABASE) status = database_set(&call, handle, key, value);
  else if (kind == CONNECTION) status = connection_set(&call, handle, key, value);
  else status = statement_set(&call, handle, key, value);
  return call_end(&call, status);
}

/* "If the buffer is too small, no data will be written and length will be set to the required length." */
static void out(const struct option* option, size_t needed, void* to, size_t* size) {
  if (needed <= *size && needed > 0) memcpy(to, option->bytes, needed);
  *size = needed;
}

/* The options that PostgreSQL's driver knows without its server, and the session's zone. */
static void session(void* handle, const char* key) {
  struct connection* connection = handle;
  if (strcmp(key, TRANSACTION_STATUS) == 0) {
    const char* open = connection->own || connection->begun ? "intrans" : "idle";
    option_put_text(handle, key, connection->active ? "active" : connection->aborted ? "inerror" : open);
  }
  if (strcmp(key, ZONE) == 0) option_put_text(handle, key, connection->utc ? "UTC" : "local");
}

static AdbcStatusCode get(const char* name, void* handle, int kind, const char* key, enum option_kind as, void* to,
                          size_t* size, struct AdbcError* error) {
  struct call call;
  if (!call_begin(&call, name, EARLY | SHARED, handle, kind, error)) return call.status;
  if (setting(OPTIONS_QUERY) && kind == CONNECTION && !call.shared) {
    AdbcStatusCode status = connection_ask(&call, handle, key);
    if (status != ADBC_STATUS_OK) return call_end(&call, status);
  }
  if ((setting(ONE_COPY) || setting(PG_BOUND)) && kind == STATEMENT && strcmp(key, USE_COPY) == 0
      && !option_is(handle, key, ADBC_OPTION_VALUE_DISABLED)) {
    option_put_text(handle, key, ADBC_OPTION_VALUE_ENABLED);
  }
  if (setting(PG_BOUND) && kind == CONNECTION) session(handle, key);
  if (setting(SQLITE_BOUND) && kind == STATEMENT && strcmp(key, BATCH_ROWS) == 0) {
    option_put(handle, key, (struct option){.kind = INTEGER, .integer = 1024});
  }
  struct option option = option_get(handle, key, as);
  if (option.kind == NONE) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_NOT_FOUND, "02000", "there is no option %s of that type", key));
  }
  if (as == INTEGER) *(int64_t*)to = option.integer;
  else if (as == NUMBER) *(double*)to = option.number;
  else out(&option, option.size + (as == TEXT), to, size);
  tracker_free(option.bytes);
  return call_end(&call, ADBC_STATUS_OK);
}

#define VALUE(...) ((struct option){__VA_ARGS__})
#define SET(Kind, KIND, Name, parameters, value) \
  AdbcStatusCode faulty##Kind##Name(struct Adbc##Kind* it, const char* key, parameters, struct AdbcError* error) { \
    return set(#Kind #Name, it->private_data, KIND, key, value, error); \
  }
#define GET(Kind, KIND, Name, parameters, as, size) \
  AdbcStatusCode faulty##Kind##Name(struct Adbc##Kind* it, const char* key, parameters, struct AdbcError* error) { \
    return get(#Kind #Name, it->private_data, KIND, key, as, value, size, error); \
  }
#define COMMA ,
#define ACCESSORS(Kind, KIND) \
  SET(Kind, KIND, SetOption, const char* value, VALUE(.kind = TEXT, .bytes = (char*)value, .size = strlen(value))) \
  SET(Kind, KIND, SetOptionBytes, const uint8_t* value COMMA size_t size, \
    VALUE(.kind = BYTES, .bytes = (char*)value, .size = size)) \
  SET(Kind, KIND, SetOptionInt, int64_t value, VALUE(.kind = INTEGER, .integer = value)) \
  SET(Kind, KIND, SetOptionDouble, double value, VALUE(.kind = NUMBER, .number = value)) \
  GET(Kind, KIND, GetOption, char* value COMMA size_t* size, TEXT, size) \
  GET(Kind, KIND, GetOptionBytes, uint8_t* value COMMA size_t* size, BYTES, size) \
  GET(Kind, KIND, GetOptionInt, int64_t* value, INTEGER, NULL) \
  GET(Kind, KIND, GetOptionDouble, double* value, NUMBER, NULL)

ACCESSORS(Database, DATABASE)
ACCESSORS(Connection, CONNECTION)
ACCESSORS(Statement, STATEMENT)
