// SPDX-License-Identifier: Apache-2.0
/* Results: streams of DuckDB and fixed ones. They can fail, wait and be cancelled, and their batches are counted. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

struct result {
  struct record head;
  struct guard guard;
  struct source* sources;
  struct source* source; /* the source of the next batches */
  struct bound* bound;
  char* sql;   /* executed for each bound row when it is pulled; NULL: all were executed before */
  int64_t row; /* the next one */
  next_row next;
  struct connection* connection;
  struct statement* statement; /* NULL: it belongs to the connection, or is invalid */
  int64_t index, at;           /* of the next batch; of the one that waits or fails */
  int is_failing, is_copy, writes;
  int cancelled, ended, code; /* these and the next are guarded by the state's lock */
  const char* invalid;        /* the reason why the statement has no result any more */
  AdbcStatusCode status;      /* of the failure, which is permanent */
  char* message;
  struct AdbcError error;
};

/* ---- returned objects are counted until their release ---- */

struct box {
  struct record head;
  void* private_data;
  void (*release_array)(struct ArrowArray*);
  void (*release_schema)(struct ArrowSchema*);
};

static void release_array(struct ArrowArray* self) {
  struct box* own = self->private_data;
  self->release = NULL;
  if (!tracker_close(&own->head)) return;
  self->private_data = own->private_data;
  self->release = own->release_array;
  self->release(self);
}

static void count_array(struct ArrowArray* array) {
  struct box* own = tracker_open(sizeof *own, PEER_ARRAY);
  own->private_data = array->private_data;
  own->release_array = array->release;
  array->private_data = own;
  array->release = release_array;
}

static void release_schema(struct ArrowSchema* self) {
  struct box* own = self->private_data;
  self->release = NULL;
  if (!tracker_close(&own->head)) return;
  self->private_data = own->private_data;
  self->release = own->release_schema;
  self->release(self);
}

void count_schema(struct ArrowSchema* schema) {
  struct box* own = tracker_open(sizeof *own, PEER_SCHEMA);
  own->private_data = schema->private_data;
  own->release_schema = schema->release;
  schema->private_data = own;
  schema->release = release_schema;
}

void count_result_schema(struct ArrowSchema* schema) {
  for (int64_t i = 0; i < schema->n_children; i++) schema->children[i]->flags |= ARROW_FLAG_NULLABLE;
  count_schema(schema);
}

/* ---- a call of a stream's function ---- */

/* The failure is permanent: later calls return the same. */
static int fails(struct result* own, const char* function, AdbcStatusCode status, int code, const char* sqlstate,
                 const char* why) {
  char message[1024];
  snprintf(message, sizeof message, "%s: %s", function, why);
  error_drop_owned(&own->error);
  tracker_free(own->message);
  own->message = strcpy(tracker_alloc(strlen(message) + 1), message);
  error_set_owned(&own->error, function, sqlstate, message);
  state_lock();
  own->status = status;
  own->code = code;
  state_unlock();
  return code;
}

static int source_fails(struct result* own, const char* function, int code) {
  const char* words = own->source->stream.get_last_error(&own->source->stream);
  if (words == NULL) words = "DuckDB says no more";
  if (strstr(words, "INTERRUPT") != NULL) return fails(own, function, ADBC_STATUS_CANCELLED, ECANCELED, "57014", words);
  return fails(own, function, ADBC_STATUS_INVALID_DATA, code == 1 ? EIO : code, "HY000", words);
}

static void enter(struct result* own, const char* function) {
  int threads = setting(THREADS);
  guard_enter(&own->guard, 0, threads != THREADS_ANY, 0, function);
  guard_enter(&own->connection->handle.guard, 0, threads == THREADS_CONNECTION, 1, function);
}

static int leave(struct result* own, int code) {
  guard_leave(&own->connection->handle.guard, 0);
  guard_leave(&own->guard, 0);
  return code;
}

/* The effect of a test, a cancel or a later execution on the result: 0, or an errno. */
static int troubles(struct result* own, const char* function) {
  struct fault fault = fault_of(function, &own->cancelled, 0);
  state_lock();
  const char* invalid = own->invalid;
  int cancelled = own->cancelled && !own->ended, code = own->code;
  state_unlock();
  if (code != 0) return code;
  if (fault.code != 0) {
    return fails(own, function, ADBC_STATUS_INTERNAL, fault.code, "58000", "fails, as the test requested");
  }
  if (fault.gone) return fails(own, function, ADBC_STATUS_IO, EIO, "08006", "the server is gone");
  if (cancelled) return fails(own, function, ADBC_STATUS_CANCELLED, ECANCELED, "57014", "was cancelled");
  if (invalid != NULL) return fails(own, function, ADBC_STATUS_INVALID_STATE, EINVAL, "24000", invalid);
  return 0;
}

/* ---- the stream's functions ---- */

static int is_gone(struct result* own, const char* function) {
  if (!own->head.released) return 0;
  tracker_violation("%s was called on a stream that was released", function);
  return 1;
}

static int get_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  struct result* own = self->private_data;
  if (is_gone(own, "get_schema")) return EINVAL;
  enter(own, "get_schema");
  int code = troubles(own, "get_schema");
  if (code != 0) return leave(own, code);
  struct ArrowArrayStream* stream = &own->sources->stream;
  if (stream->release == NULL) peer_schema_init(out, "+s", "", NULL, 0, 0, 0);
  else code = stream->get_schema(stream, out);
  if (code != 0) return leave(own, source_fails(own, "get_schema", code));
  count_result_schema(out);
  return leave(own, 0);
}

/* The result whose rows a pull of this one reads: PostgreSQL's driver reads what its server sends, for any result,
   except those of bound queries and without COPY. */
static struct result* sent(struct result* own) {
  if (!setting(ONE_COPY) || own->statement == NULL || !own->is_copy) return own;
  state_lock();
  struct result* copy = own->connection->copy;
  state_unlock();
  return copy;
}

/* Executes for the next bound row, whose source follows the others; 0 or an errno. */
static int pull_row(struct result* own) {
  struct AdbcError theirs = {.vendor_code = 0};
  struct call call = {.name = "get_next", .error = &theirs, .activity = &own->statement->activity};
  struct source** last = &own->sources;
  char sqlstate[6] = "";
  int64_t rows = 0;
  int code = 0;
  while (*last != NULL) last = &(*last)->next;
  AdbcStatusCode status = own->next(&call, own->connection, own->sql, own->bound, own->row++, last, &rows);
  if (status != ADBC_STATUS_OK) {
    memcpy(sqlstate, theirs.sqlstate, 5);
    code = fails(own, "get_next", status, EIO, sqlstate, theirs.message == NULL ? "no text" : theirs.message);
  }
  if (theirs.release != NULL) theirs.release(&theirs);
  own->source = *last;
  if (*last == NULL) {
    tracker_free(own->sql);
    own->sql = NULL;
  }
  return code;
}

/* Pulls the next batch; a released array is the end. */
static int pull(struct result* own, struct ArrowArray* out) {
  char words[64];
  if (own->index == own->at && own->is_failing) {
    snprintf(words, sizeof words, "division by zero in row %lld", (long long)(own->index * own->is_failing));
    return fails(own, "get_next", ADBC_STATUS_INVALID_DATA, EIO, "22012", words);
  }
  if (own->index == own->at && gate_wait_cancelled(&own->cancelled)) {
    return fails(own, "get_next", ADBC_STATUS_CANCELLED, ECANCELED, "57014", "was cancelled while it waited");
  }
  struct result* from = sent(own);
  if (from == NULL) return fails(own, "get_next", ADBC_STATUS_IO, EIO, "HY000", "no COPY in progress");
  while (1) {
    for (; from->source != NULL; from->source = from->source->next) {
      struct ArrowArrayStream* stream = &from->source->stream;
      int code = stream->release == NULL ? 0 : stream->get_next(stream, out);
      if (code != 0) return source_fails(from, "get_next", code);
      if (out->release != NULL) return 0;
    }
    if (from->sql == NULL) return 0;
    int code = pull_row(from);
    if (code != 0) return code;
  }
}

/* Requires the state's lock. */
static void stop_writing(struct result* own) {
  own->connection->writers -= own->writes;
  own->writes = 0;
}

static int get_next(struct ArrowArrayStream* self, struct ArrowArray* out) {
  struct result* own = self->private_data;
  if (is_gone(own, "get_next")) return EINVAL;
  enter(own, "get_next");
  memset(out, 0, sizeof *out);
  int code = troubles(own, "get_next");
  if (code == 0 && !own->ended) code = pull(own, out);
  if (code != 0) return leave(own, code);
  if (out->release != NULL) {
    count_array(out);
    own->index++;
    struct option progress = {.kind = NUMBER, .number = (double)own->index};
    if (own->statement != NULL) option_put(&own->statement->handle, ADBC_STATEMENT_OPTION_PROGRESS, progress);
  } else {
    state_lock();
    own->ended = 1;
    stop_writing(own);
    state_unlock();
  }
  return leave(own, 0);
}

static const char* get_last_error(struct ArrowArrayStream* self) {
  struct result* own = self->private_data;
  fault_of("get_last_error", NULL, 1);
  if (is_gone(own, "get_last_error")) return NULL;
  return setting(STYLE) & STYLE_NO_LAST_ERROR ? NULL : own->message;
}

void source_free(struct source* source) {
  while (source != NULL) {
    struct AdbcError theirs = {.vendor_code = 0};
    struct source* next = source->next;
    if (source->stream.release != NULL) source->stream.release(&source->stream);
    if (source->statement.private_data != NULL) duck.StatementRelease(&source->statement, &theirs);
    tracker_free(source);
    source = next;
  }
}

/* "Releasing the returned ArrowArrayStream without consuming it fully is equivalent to calling AdbcStatementCancel". */
static void release(struct ArrowArrayStream* self) {
  struct result* own = self->private_data;
  self->release = NULL;
  if (own->head.released) {
    tracker_close(&own->head);
    return;
  }
  enter(own, "stream.release");
  fault_of("stream.release", NULL, 1);
  if (!own->ended) fault_of("stream.unfinished", NULL, 1);
  source_free(own->sources);
  bound_free(own->bound);
  tracker_free(own->sql);
  state_lock();
  if (own->statement != NULL && own->statement->result == own) own->statement->result = NULL;
  if (own->connection->metadata == own) own->connection->metadata = NULL;
  if (own->connection->copy == own) own->connection->copy = NULL;
  stop_writing(own);
  state_unlock();
  guard_leave(&own->connection->handle.guard, 0);
  if (guard_leave(&own->guard, 0) > 0) tracker_violation("a stream was released while another call was in it");
  state_lock();
  own->connection->streams--; /* from here on the connection may be released */
  state_unlock();
  error_drop_owned(&own->error);
  tracker_free(own->message);
  tracker_close(&own->head);
}

static struct result* start(struct source* source, struct bound* bound, struct connection* connection,
                            struct statement* statement, int64_t at, int is_failing, struct ArrowArrayStream* out) {
  struct result* own = tracker_open(sizeof *own, RESULT);
  own->sources = own->source = source;
  own->bound = bound;
  own->connection = connection;
  own->statement = statement;
  own->at = at;
  own->is_failing = is_failing;
  own->is_copy = statement != NULL && bound == NULL
      && !option_is(&statement->handle, USE_COPY, ADBC_OPTION_VALUE_DISABLED);
  own->writes = setting(SQLITE_BOUND) && statement != NULL && strstr(statement->sql, "RETURNING") != NULL;
  state_lock();
  connection->streams++;
  connection->writers += own->writes;
  own->cancelled = statement != NULL ? statement->activity.cancelled : connection->activity.cancelled; /* just now */
  if (statement != NULL) statement->result = own;
  else connection->metadata = own;
  connection->copy = own->is_copy ? own : NULL;
  state_unlock();
  *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, own};
  return own;
}

void result_start(struct source* source, struct bound* bound, struct connection* connection,
                  struct statement* statement, int64_t at, int is_failing, struct ArrowArrayStream* out) {
  start(source, bound, connection, statement, at, is_failing, out);
}

void result_start_rows(struct source* source, struct bound* bound, const char* sql, int64_t row, next_row next,
                       struct statement* statement, struct ArrowArrayStream* out) {
  struct result* own = start(source, bound, statement->connection, statement, -1, 0, out);
  if (sql != NULL) own->sql = strcpy(tracker_alloc(strlen(sql) + 1), sql);
  own->row = row;
  own->next = next;
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

const struct AdbcError* faultyErrorFromArrayStream(struct ArrowArrayStream* stream, AdbcStatusCode* status) {
  fault_of("ErrorFromArrayStream", NULL, 1);
  if (stream->release != release || stream->private_data == NULL) return NULL;
  struct result* own = stream->private_data;
  if (setting(STYLE) & STYLE_NO_STREAM_ERROR || is_gone(own, "ErrorFromArrayStream")) return NULL;
  if (status != NULL) *status = own->status;
  return &own->error;
}

/* PostgreSQL aborts the transaction of a statement that it cancels. */
int result_cancel(struct connection* connection, struct activity* activity, struct result* const* open) {
  struct AdbcError theirs = {.vendor_code = 0};
  int any = 0;
  state_lock();
  if (activity->running > 0) any = activity->cancelled = 1;
  if (*open != NULL && !(*open)->ended && (*open)->code == 0) any = (*open)->cancelled = 1;
  if (any && activity->inner != NULL) duck.StatementCancel(activity->inner, &theirs);
  if (any && connection->manual && setting(CANCEL_ABORTS)) connection->aborted = 1;
  if (any) state_moved();
  state_unlock();
  return any;
}
