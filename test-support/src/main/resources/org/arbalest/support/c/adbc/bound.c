// SPDX-License-Identifier: Apache-2.0
/* The data that a caller has bound, read before DuckDB receives it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

void binding_drop(struct binding* binding) {
  if (binding->array.release != NULL) binding->array.release(&binding->array);
  if (binding->schema.release != NULL) binding->schema.release(&binding->schema);
  if (binding->stream.release != NULL) binding->stream.release(&binding->stream);
  memset(binding, 0, sizeof *binding);
}

void bound_free(struct bound* bound) {
  if (bound == NULL) return;
  for (int64_t i = 0; i < bound->n; i++) {
    if (bound->batches[i].release != NULL) bound->batches[i].release(&bound->batches[i]);
  }
  if (bound->stream.release != NULL) bound->stream.release(&bound->stream);
  if (bound->schema.release != NULL) bound->schema.release(&bound->schema);
  free(bound->batches);
  tracker_free(bound->wrapped);
  tracker_free(bound);
}

static void wrap_dates(struct bound* bound, struct ArrowArray* days) {
  size_t n = (size_t)(days->offset + days->length);
  const int32_t* from = days->buffers[1];
  int32_t* to = tracker_alloc(n * sizeof *to + sizeof(void*));
  for (size_t i = 0; i < n; i++) {
    int64_t seconds = (int32_t)((uint32_t)from[i] * 86400u);
    to[i] = (int32_t)(seconds >= 0 ? seconds / 86400 : -((-seconds + 86399) / 86400));
  }
  ((const void**)days->buffers)[1] = to;
  bound->wrapped = to; /* freed with the bound data; the tests bind one column of dates */
}

/* Changes values as the drivers do: see foibles.c. */
static void change_values(struct bound* bound, struct ArrowArray* batch) {
  for (int64_t i = 0; i < batch->n_children; i++) {
    struct ArrowArray* column = batch->children[i];
    const char* format = bound->schema.children[i]->format;
    if (setting(SQLITE_BOUND) && strcmp(format, "tdD") == 0 && bound->wrapped == NULL) wrap_dates(bound, column);
    if (!setting(PG_BOUND) || strcmp(format, "+l") != 0) continue;
    column->children[0]->null_count = 0;
    ((const void**)column->children[0]->buffers)[0] = NULL;
  }
}

static void add(struct bound* bound, struct ArrowArray* moved) {
  bound->batches = realloc(bound->batches, (size_t)(bound->n + 1) * sizeof *moved);
  if (bound->batches == NULL) abort();
  change_values(bound, moved);
  bound->batches[bound->n++] = *moved;
  bound->rows += moved->length;
}

static AdbcStatusCode broken(struct call* call, struct ArrowArrayStream* stream, int code) {
  const char* text = stream->get_last_error(stream);
  return call_fail(call, ADBC_STATUS_IO, "58030", "the bound stream failed with %d (%s): %s", code, strerror(code),
                   text == NULL ? "no text" : text);
}

AdbcStatusCode bound_more(struct call* call, struct bound* bound) {
  struct ArrowArrayStream* stream = &bound->stream;
  struct ArrowArray array = {.release = NULL};
  if (call_cancelled(call)) {
    return call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled after %lld rows", (long long)bound->rows);
  }
  int code = stream->get_next(stream, &array);
  if (code != 0 && !setting(BINDINGS_END)) return broken(call, stream, code);
  if (code == 0 && array.release != NULL) add(bound, &array);
  else stream->release(stream);
  return ADBC_STATUS_OK;
}

struct reading {
  struct call* call;
  struct binding* binding;
  struct bound* bound;
  int is_first; /* only the first batch is read */
  AdbcStatusCode status;
};

static AdbcStatusCode read_stream(struct reading* reading) {
  struct bound* bound = reading->bound;
  bound->stream = reading->binding->stream;
  reading->binding->stream.release = NULL;
  int code = bound->stream.get_schema(&bound->stream, &bound->schema);
  if (code != 0) return broken(reading->call, &bound->stream, code);
  AdbcStatusCode status = ADBC_STATUS_OK;
  while (status == ADBC_STATUS_OK && bound->stream.release != NULL && !(reading->is_first && bound->n > 0)) {
    status = bound_more(reading->call, bound);
  }
  return status;
}

static void* read_all(void* data) {
  struct reading* reading = data;
  struct binding* binding = reading->binding;
  if (binding->stream.release != NULL) {
    reading->status = read_stream(reading);
  } else {
    reading->bound->schema = binding->schema;
    add(reading->bound, &binding->array);
    binding->array.release = NULL;
    binding->schema.release = NULL;
  }
  binding_drop(binding);
  return NULL;
}

static AdbcStatusCode read_bound(struct call* call, struct statement* statement, int is_first, struct bound** out) {
  struct binding* binding = &statement->binding;
  pthread_t thread;
  *out = NULL;
  if (binding->array.release == NULL && binding->stream.release == NULL) return ADBC_STATUS_OK;
  struct reading reading = {call, binding, tracker_alloc(sizeof(struct bound)), is_first, ADBC_STATUS_OK};
  if (!setting(BIND_ON_THREAD)) read_all(&reading);
  else if (pthread_create(&thread, NULL, read_all, &reading) != 0) abort();
  else pthread_join(thread, NULL);
  if (reading.status == ADBC_STATUS_OK) *out = reading.bound;
  else bound_free(reading.bound);
  return reading.status;
}

AdbcStatusCode bound_read(struct call* call, struct statement* statement, struct bound** out) {
  return read_bound(call, statement, 0, out);
}

AdbcStatusCode bound_open(struct call* call, struct statement* statement, struct bound** out) {
  return read_bound(call, statement, 1, out);
}

/* ---- input for DuckDB ---- */

static void forget_schema(struct ArrowSchema* schema) { schema->release = NULL; }

struct row {
  struct ArrowArray* pointers;
  struct ArrowArray* children[];
};

static void free_row(struct ArrowArray* array) {
  tracker_free(array->private_data);
  array->release = NULL;
}

static void forget_array(struct ArrowArray* array) { array->release = NULL; }

/* Returns a row as a batch of one: DuckDB binds only one row. Columns keep their buffers and differ by their offset. */
void bound_row(struct bound* bound, int64_t row, struct ArrowArray* array, struct ArrowSchema* schema) {
  struct ArrowArray* batch = bound->batches;
  for (; row >= batch->length; batch++) row -= batch->length;
  size_t n = (size_t)batch->n_children;
  struct row* own = tracker_alloc(sizeof *own + n * (sizeof(struct ArrowArray*) + sizeof(struct ArrowArray)));
  own->pointers = (struct ArrowArray*)&own->children[n];
  for (size_t i = 0; i < n; i++) {
    own->children[i] = &own->pointers[i];
    own->pointers[i] = *batch->children[i];
    own->pointers[i].offset += batch->offset + row;
    own->pointers[i].length = 1;
    own->pointers[i].null_count = -1;
    own->pointers[i].release = forget_array;
  }
  *array = *batch;
  array->offset = 0;
  array->length = 1;
  array->null_count = 0;
  array->children = own->children;
  array->private_data = own;
  array->release = free_row;
  *schema = bound->schema;
  schema->release = forget_schema;
}

static int get_schema(struct ArrowArrayStream* self, struct ArrowSchema* out) {
  *out = ((struct bound*)self->private_data)->schema;
  out->release = forget_schema;
  return 0;
}

static int get_next(struct ArrowArrayStream* self, struct ArrowArray* out) {
  struct bound* bound = self->private_data;
  memset(out, 0, sizeof *out);
  for (int64_t i = 0; i < bound->n; i++) {
    if (bound->batches[i].release == NULL) continue;
    *out = bound->batches[i];
    bound->batches[i].release = NULL;
    break;
  }
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* self) {
  (void)self;
  return NULL;
}

static void release(struct ArrowArrayStream* self) { self->release = NULL; }

void bound_stream(struct bound* bound, struct ArrowArrayStream* out) {
  *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release, bound};
}
