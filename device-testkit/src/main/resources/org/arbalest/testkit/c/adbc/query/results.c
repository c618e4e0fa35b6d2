// SPDX-License-Identifier: Apache-2.0
/* Results as C streams. */
#include "results.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "peer/ledger.h"

struct result {
  struct record head;
  struct guard guard;
  struct source* source;
  struct connection* connection;
  struct statement* statement; /* NULL once it has forgotten this; under state_lock, as what follows */
  const char* invalid;         /* why there is no more */
  int cancelled, ended;
  AdbcStatusCode status; /* of the failure that stays */
  int code;
  char* message;
  struct AdbcError error;
};

/* ---- sources of one batch ---- */

struct once {
  struct source source;
  struct column* column;
};

static int once_next(struct source* source, struct ArrowArray* out, const int* cancelled, struct problem* problem) {
  struct once* once = (struct once*)source;
  (void)cancelled, (void)problem;
  if (once->column == NULL) return 0;
  column_finish(once->column, out);
  once->column = NULL;
  return 1;
}

static void once_drop(struct source* source) {
  struct once* once = (struct once*)source;
  if (once->column != NULL) column_free(once->column);
  ledger_free(once);
}

struct source* source_once(const struct shape* shape, struct column* column) {
  struct once* once = ledger_alloc(sizeof *once);
  once->source = (struct source){shape, once_next, once_drop};
  once->column = column;
  return &once->source;
}

/* ---- a call of a stream's function ---- */

/* The failure stays: later calls give the same. */
static int fails(struct result* own, const char* function, const struct problem* problem) {
  error_drop_owned(&own->error);
  ledger_free(own->message);
  own->message = ledger_alloc(strlen(problem->message) + 1);
  strcpy(own->message, problem->message);
  error_set_owned(&own->error, function, problem->sqlstate, problem->message);
  state_lock();
  own->status = problem->status;
  own->code = problem->code;
  state_unlock();
  return problem->code;
}

static int fails_with(struct result* own, const char* function, AdbcStatusCode status, int code, const char* sqlstate, const char* why) {
  struct problem problem = {.status = status, .code = code, .sqlstate = sqlstate};
  snprintf(problem.message, sizeof problem.message, "%s: %s", function, why);
  return fails(own, function, &problem);
}

static void enter(struct result* own, const char* function) {
  guard_enter(&own->guard, 0, function);
  if (knob_threads() == THREADS_CONNECTION) guard_enter(&own->connection->handle.guard, 0, function);
}

static int leave(struct result* own, int code) {
  guard_leave(&own->guard, 0);
  if (knob_threads() == THREADS_CONNECTION) guard_leave(&own->connection->handle.guard, 0);
  return code;
}

/* What a test, a cancel or a later execution has done to the result: 0, or an errno. */
static int troubles(struct result* own, const char* function) {
  struct knob knob = knob_call(function, &own->cancelled, 0);
  state_lock();
  const char* invalid = own->invalid;
  int cancelled = own->cancelled && !own->ended;
  state_unlock();
  if (own->code != 0) return own->code;
  if (knob.code != 0) return fails_with(own, function, ADBC_STATUS_INTERNAL, knob.code, "58000", "fails, as was asked for");
  if (knob.gone) return fails_with(own, function, ADBC_STATUS_IO, EIO, "08006", "the server is gone");
  if (cancelled) return fails_with(own, function, ADBC_STATUS_CANCELLED, ECANCELED, "57014", "was cancelled");
  if (invalid != NULL) return fails_with(own, function, ADBC_STATUS_INVALID_STATE, EINVAL, "24000", invalid);
  return 0;
}

/* ---- the stream's functions ---- */

static int gone(struct result* own, const char* function) {
  if (!own->head.released) return 0;
  ledger_violation("%s was called on a stream that was released", function);
  return 1;
}

static int get_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  struct result* own = self->private_data;
  if (gone(own, "get_schema")) return EINVAL;
  enter(own, "get_schema");
  int code = troubles(own, "get_schema");
  if (code == 0) shape_schema(own->source->shape, out);
  return leave(own, code);
}

static int get_next(struct ArrowArrayStream* self, struct ArrowArray* out) {
  struct result* own = self->private_data;
  struct problem problem = {0};
  if (gone(own, "get_next")) return EINVAL;
  enter(own, "get_next");
  memset(out, 0, sizeof *out);
  int code = troubles(own, "get_next");
  if (code != 0 || own->ended) return leave(own, code);
  int got = own->source->next(own->source, out, &own->cancelled, &problem);
  if (got < 0) return leave(own, fails(own, "get_next", &problem));
  state_lock();
  if (got == 0) own->ended = 1;
  if (got > 0 && own->statement != NULL) own->statement->progress++;
  state_unlock();
  return leave(own, 0);
}

static const char* get_last_error(struct ArrowArrayStream* self) {
  struct result* own = self->private_data;
  knob_call("get_last_error", NULL, 1);
  if (gone(own, "get_last_error")) return NULL;
  return knob_style() & STYLE_NO_LAST_ERROR ? NULL : own->message;
}

/* "Releasing the returned ArrowArrayStream without consuming it fully is equivalent to calling AdbcStatementCancel" (AdbcStatementExecuteQuery). */
static void release(struct ArrowArrayStream* self) {
  struct result* own = self->private_data;
  self->release = NULL;
  if (own->head.released) {
    ledger_close(&own->head);
    return;
  }
  enter(own, "stream.release");
  knob_call("stream.release", NULL, 1);
  if (!own->ended) knob_call("stream.unfinished", NULL, 1);
  if (guard_inside(&own->guard) > 1) ledger_violation("a stream was released while another call was in it");
  leave(own, 0);
  state_lock();
  if (own->statement != NULL && own->statement->result == own) own->statement->result = NULL;
  if (own->connection->metadata == own) own->connection->metadata = NULL;
  own->connection->streams--;
  state_unlock();
  own->source->drop(own->source);
  error_drop_owned(&own->error);
  ledger_free(own->message);
  ledger_close(&own->head);
}

void result_start(struct source* source, struct connection* connection, struct statement* statement, struct ArrowArrayStream* out) {
  struct result* own = ledger_open(sizeof *own, PEER_STREAM);
  own->source = source;
  own->connection = connection;
  own->statement = statement;
  state_lock();
  connection->streams++;
  own->cancelled = statement != NULL ? statement->activity.cancelled : connection->activity.cancelled; /* just now */
  if (statement != NULL) statement->result = own;
  else connection->metadata = own;
  state_unlock();
  *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, own};
}

void result_invalidate(struct statement* statement, const char* why) {
  state_lock();
  struct result* open = statement->result;
  if (open != NULL) {
    open->invalid = why;
    open->statement = NULL;
  }
  statement->result = NULL;
  state_unlock();
}

const struct AdbcError* result_error(struct ArrowArrayStream* stream, AdbcStatusCode* status) {
  knob_call("ErrorFromArrayStream", NULL, 1);
  if (stream->release != release || stream->private_data == NULL) return NULL;
  struct result* own = stream->private_data;
  if (knob_style() & STYLE_NO_STREAM_ERROR || gone(own, "ErrorFromArrayStream")) return NULL;
  if (status != NULL) *status = own->status;
  return &own->error;
}

int result_cancel(struct activity* activity, struct result* const* open) {
  int any = 0;
  state_lock();
  if (activity->running > 0) any = activity->cancelled = 1;
  if (*open != NULL && !(*open)->ended && (*open)->code == 0) any = (*open)->cancelled = 1;
  if (any) state_moved();
  state_unlock();
  return any;
}
