// SPDX-License-Identifier: Apache-2.0
/* How each call of a driver's functions begins and ends. */
#include "handles.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

AdbcStatusCode call_fail(struct call* call, AdbcStatusCode status, const char* sqlstate, const char* format, ...) {
  char message[1024];
  int at = snprintf(message, sizeof message, "%s: ", call->name);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message + at, sizeof message - (size_t)at, format, arguments);
  va_end(arguments);
  error_set(call->error, call->name, sqlstate, message);
  return status;
}

AdbcStatusCode call_end(struct call* call, AdbcStatusCode status) {
  if (call->activity != NULL) {
    state_lock();
    call->activity->running--;
    state_unlock();
  }
  for (int i = 0; i < 2; i++) {
    if (call->in[i] != NULL) guard_leave(&call->in[i]->guard, call->shared);
  }
  return status;
}

static int refuse(struct call* call, AdbcStatusCode status) {
  call->status = call_end(call, status);
  return 0;
}

int call_cancelled(struct call* call) {
  if (call->activity == NULL) return 0;
  state_lock();
  int cancelled = call->activity->cancelled;
  state_unlock();
  return cancelled;
}

/* What a test has asked for. */
static int troubles(struct call* call, int flags) {
  struct knob knob = knob_call(call->name, call->activity == NULL ? NULL : &call->activity->cancelled, flags & CALL_RELEASE);
  if (knob.code != 0) return refuse(call, call_fail(call, (AdbcStatusCode)knob.code, "58000", "fails, as was asked for"));
  if (knob.gone) return refuse(call, call_fail(call, ADBC_STATUS_IO, "08006", "the server is gone"));
  if (call_cancelled(call)) return refuse(call, call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled"));
  return 1;
}

static void enter(struct call* call, int i, struct handle* handle) {
  call->in[i] = handle;
  guard_enter(&handle->guard, call->shared, call->name);
}

/* "This field is NULLPTR iff the connection is uninitialized/freed" (adbc.h, private_data of each handle). */
static int begin(struct call* call, const char* name, int flags, void* private_data, int kind, struct AdbcError* error, struct activity* activity,
                 struct handle* above) {
  struct handle* handle = private_data;
  *call = (struct call){.name = name, .error = error, .shared = (flags & CALL_SHARED) != 0};
  if (handle == NULL) {
    knob_call(name, NULL, 1);
    return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "there is nothing behind the handle; its New comes first"));
  }
  if (handle->head.released || handle->head.kind != kind) {
    ledger_violation("%s was called with %s", name, handle->head.released ? "what was released" : "another kind of handle");
    return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "the handle is not a live one of this kind"));
  }
  enter(call, 0, handle);
  if (above != NULL && knob_threads() == THREADS_CONNECTION) enter(call, 1, above);
  if (flags & CALL_RUNS) {
    call->activity = activity;
    state_lock();
    if (activity->running++ == 0) activity->cancelled = 0;
    state_unlock();
  }
  if (!troubles(call, flags)) return 0;
  if (handle->ready || flags & (CALL_EARLY | CALL_RELEASE)) return 1;
  return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "its Init comes first"));
}

int call_database(struct call* call, const char* name, int flags, struct AdbcDatabase* database, struct AdbcError* error) {
  return begin(call, name, flags, database->private_data, LEDGER_DATABASE, error, NULL, NULL);
}

int call_connection(struct call* call, const char* name, int flags, struct AdbcConnection* handle, struct AdbcError* error) {
  struct connection* connection = handle->private_data;
  return begin(call, name, flags, connection, LEDGER_CONNECTION, error, connection == NULL ? NULL : &connection->activity, NULL);
}

int call_statement(struct call* call, const char* name, int flags, struct AdbcStatement* handle, struct AdbcError* error) {
  struct statement* statement = handle->private_data;
  int is_live = statement != NULL && !statement->handle.head.released && statement->handle.head.kind == LEDGER_STATEMENT;
  struct handle* above = is_live ? &statement->connection->handle : NULL;
  return begin(call, name, flags, statement, LEDGER_STATEMENT, error, statement == NULL ? NULL : &statement->activity, above);
}

int call_new(struct call* call, const char* name, void* private_data, struct AdbcError* error) {
  *call = (struct call){.name = name, .error = error};
  if (!troubles(call, 0)) return 0;
  if (private_data == NULL) return 1;
  ledger_violation("%s was given a handle that is not zeroed", name);
  return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "the handle is not zeroed"));
}

int call_also(struct call* call, struct handle* handle) {
  if (handle != NULL && handle->head.released) ledger_violation("%s was called with what it is made of released", call->name);
  if (handle == NULL || handle->head.released || !handle->ready) {
    return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "what it is made of is not initialized"));
  }
  enter(call, call->in[0] == NULL ? 0 : 1, handle);
  return 1;
}

AdbcStatusCode call_close(struct call* call, struct handle* handle) {
  options_free(&handle->options);
  call_end(call, ADBC_STATUS_OK); /* once it is closed, a reset may free it */
  if (guard_inside(&handle->guard) > 0) ledger_violation("%s came while another call was in the handle", call->name);
  ledger_close(&handle->head);
  return ADBC_STATUS_OK;
}

void binding_drop(struct binding* binding) {
  if (binding->array.release != NULL) binding->array.release(&binding->array);
  if (binding->schema.release != NULL) binding->schema.release(&binding->schema);
  if (binding->stream.release != NULL) binding->stream.release(&binding->stream);
  memset(binding, 0, sizeof *binding);
}
