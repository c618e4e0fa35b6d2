// SPDX-License-Identifier: Apache-2.0
/* The beginning and the end of each call of a driver's function. */
#include "driver.h"

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
    call->activity = NULL;
  }
  if (call->is_new) calls_count(-1);
  call->is_new = 0;
  for (int i = 0; i < 2; i++) {
    if (call->in[i] != NULL) guard_leave(&call->in[i]->guard, call->shared);
    call->in[i] = NULL;
  }
  return status;
}

static int refuse(struct call* call, AdbcStatusCode status) {
  call->status = call_end(call, status);
  return 0;
}

int call_cancelled(struct call* call) {
  state_lock();
  int cancelled = call->activity != NULL && call->activity->cancelled;
  state_unlock();
  return cancelled;
}

/* Applies the faults that a test has planned. */
static int troubles(struct call* call, int flags) {
  struct fault fault = fault_of(call->name, call->activity == NULL ? NULL : &call->activity->cancelled,
                                flags & RELEASE);
  if (fault.code != 0) {
    return refuse(call, call_fail(call, (AdbcStatusCode)fault.code, "58000", "fails, as the test requested"));
  }
  if (fault.gone) return refuse(call, call_fail(call, ADBC_STATUS_IO, "08006", "the server is gone"));
  if (call_cancelled(call)) return refuse(call, call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled"));
  return 1;
}

/* Returns whether another thread is in the object. */
static int enter(struct call* call, int i, struct handle* handle) {
  int threads = setting(THREADS), is_rule = threads == THREADS_CONNECTION || (i == 0 && threads == THREADS_OBJECT);
  call->in[i] = handle;
  return guard_enter(&handle->guard, call->shared, is_rule, handle->head.kind == CONNECTION, call->name);
}

/* The server drops the rest of a COPY when the next command comes. */
static void copy_end(struct connection* connection) {
  if (connection == NULL) return;
  state_lock();
  connection->copy = NULL;
  state_unlock();
}

int call_ends_transaction(const char* sql) {
  return sql != NULL && setting(PG_BOUND) && (strcmp(sql, "ROLLBACK") == 0 || strcmp(sql, "COMMIT") == 0);
}

static int refuse_aborted(struct call* call, const struct connection* connection) {
  if (setting(PG_BOUND) && connection->manual) { /* its driver refuses, before the server (EnsureTransaction) */
    return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "\0\0\0\0\0",
                                  "the connection is in an error state; first rollback"));
  }
  return refuse(call, call_fail(call, ADBC_STATUS_INVALID_STATE, "25P02",
                                "current transaction is aborted, commands ignored until end of transaction block"));
}

/* "This field is NULLPTR iff the connection is uninitialized/freed" (adbc.h, private_data of each handle). */
int call_begin(struct call* call, const char* name, int flags, void* private_data, int kind, struct AdbcError* error) {
  struct handle* handle = private_data;
  int queries = flags & SHARED && setting(OPTIONS_QUERY) && kind == CONNECTION && strstr(name, "GetOption") != NULL;
  *call = (struct call){.name = name, .error = error, .shared = flags & SHARED && !queries};
  if (handle == NULL) {
    fault_of(name, NULL, 1);
    return refuse(call, call_state(call, "there is nothing behind the handle; its New comes first"));
  }
  if (handle->head.released || handle->head.kind != kind) {
    tracker_violation("%s was called with %s", name,
                     handle->head.released ? "a released handle" : "another kind of handle");
    return refuse(call, call_state(call, "the handle is not a live one of this kind"));
  }
  struct connection* connection = kind == STATEMENT ? ((struct statement*)handle)->connection : kind == CONNECTION
      ? private_data : NULL;
  int overlaps = enter(call, 0, handle);
  if (kind == STATEMENT) overlaps = enter(call, 1, &connection->handle);
  if (flags & RUNS) {
    call->activity = kind == STATEMENT ? &((struct statement*)handle)->activity : &connection->activity;
    state_lock();
    if (call->activity->running++ == 0) call->activity->cancelled = 0;
    state_unlock();
  }
  if (!troubles(call, flags)) return 0;
  if (!handle->ready && !(flags & (EARLY | RELEASE))) return refuse(call, call_state(call, "its Init comes first"));
  if (queries || flags & RUNS) copy_end(connection);
  if (flags & RUNS && connection != NULL) {
    connection->was_active = connection->active;
    connection->active = 0;
  }
  int ends = flags & ENDS || (kind == STATEMENT && call_ends_transaction(((struct statement*)handle)->sql));
  if (queries && overlaps) return refuse(call, call_state(call, "another command is already in progress"));
  if ((queries || flags & RUNS) && !ends && connection != NULL && connection->aborted) {
    return refuse_aborted(call, connection);
  }
  return 1;
}

int call_new(struct call* call, const char* name, void* private_data, struct AdbcError* error) {
  *call = (struct call){.name = name, .error = error, .is_new = 1};
  calls_count(1);
  if (!troubles(call, 0)) return 0;
  if (private_data == NULL) return 1;
  tracker_violation("%s was given a handle that is not zeroed", name);
  return refuse(call, call_state(call, "the handle is not zeroed"));
}

int call_also(struct call* call, struct handle* handle) {
  if (handle != NULL && handle->head.released) {
    tracker_violation("%s was called after its parent was released", call->name);
  }
  if (handle == NULL || handle->head.released || !handle->ready) {
    return refuse(call, call_state(call, "its parent is not initialized"));
  }
  enter(call, call->in[0] == NULL ? 0 : 1, handle);
  return 1;
}

AdbcStatusCode call_close(struct call* call, struct handle* handle) {
  options_free(handle);
  int inside = guard_leave(&handle->guard, call->shared); /* once it is closed, a reset may free it */
  call->in[0] = NULL;
  call_end(call, ADBC_STATUS_OK);
  if (inside > 0) tracker_violation("%s came while another call was in the handle", call->name);
  tracker_close(&handle->head);
  return ADBC_STATUS_OK;
}
