// SPDX-License-Identifier: Apache-2.0
/* What a client has bound, read to its end. */
#include "bind.h"

#include <string.h>

#include "adbc/data/cells.h"

int binding_is(const struct statement* statement) { return statement->binding.array.release != NULL || statement->binding.stream.release != NULL; }

void bound_free(struct bound* bound) {
  rows_drop(bound->rows);
  arena_free(&bound->arena);
}

static AdbcStatusCode fields(struct call* call, const struct ArrowSchema* schema, struct bound* bound) {
  if (schema->format == NULL || strcmp(schema->format, "+s") != 0) {
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "07000", "what is bound is a %s and not a struct", schema->format == NULL ? "NULL" : schema->format);
  }
  bound->n = (int)schema->n_children;
  bound->fields = arena_take(&bound->arena, (size_t)bound->n * sizeof *bound->fields);
  for (int i = 0; i < bound->n; i++) {
    const struct ArrowSchema* child = schema->children[i];
    const char* format = child->format;
    if (child->dictionary != NULL || !(format_is_stored(format) || strcmp(format, "n") == 0)) {
      return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "column %s is %s%s, which tables have no type for", child->name, format,
                       child->dictionary != NULL ? " with a dictionary" : "");
    }
    bound->fields[i] = (struct field){.name = arena_text(&bound->arena, child->name == NULL ? "" : child->name),
                                      .format = arena_text(&bound->arena, format),
                                      .sql_type = type_of_format(format),
                                      .nullable = (child->flags & ARROW_FLAG_NULLABLE) != 0};
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode broken(struct call* call, struct ArrowArrayStream* stream, int code) {
  const char* text = stream->get_last_error(stream);
  return call_fail(call, ADBC_STATUS_IO, "58030", "the bound stream failed with %d (%s): %s", code, strerror(code), text == NULL ? "no text" : text);
}

/* Rows of a struct array, which is checked as far as reading it goes. */
static AdbcStatusCode batch(struct call* call, const struct ArrowArray* array, struct bound* bound) {
  if (array->n_children != bound->n) {
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "07000", "a batch has %lld columns, the schema %d", (long long)array->n_children, bound->n);
  }
  for (int64_t row = 0; row < array->length; row++) {
    struct cell* cells = rows_add(bound->rows);
    for (int i = 0; i < bound->n; i++) cells[i] = cell_read(array->children[i], bound->fields[i].format, array->offset + row, &bound->rows->arena);
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode batches(struct call* call, struct ArrowArrayStream* stream, struct bound* bound) {
  AdbcStatusCode status = ADBC_STATUS_OK;
  while (status == ADBC_STATUS_OK) {
    struct ArrowArray array = {.length = 0};
    if (call_cancelled(call)) return call_fail(call, ADBC_STATUS_CANCELLED, "57014", "was cancelled after %lld rows", (long long)bound->rows->count);
    int code = stream->get_next(stream, &array);
    if (code != 0 && knob_binding_ends_failed()) break;
    if (code != 0) return broken(call, stream, code);
    if (array.release == NULL) break;
    status = batch(call, &array, bound);
    array.release(&array);
  }
  return status;
}

AdbcStatusCode binding_fields(struct call* call, struct statement* statement, struct bound* bound) {
  struct ArrowArrayStream* stream = &statement->binding.stream;
  struct ArrowSchema schema = {.format = NULL};
  if (statement->binding.array.release != NULL) return fields(call, &statement->binding.schema, bound);
  if (stream->release == NULL) return ADBC_STATUS_OK;
  int code = stream->get_schema(stream, &schema);
  if (code != 0) return broken(call, stream, code);
  AdbcStatusCode status = fields(call, &schema, bound);
  if (schema.release != NULL) schema.release(&schema);
  return status;
}

static AdbcStatusCode read_all(struct call* call, struct statement* statement, struct bound* bound) {
  struct binding* binding = &statement->binding;
  AdbcStatusCode status = binding_fields(call, statement, bound);
  bound->rows = rows_new(bound->n);
  if (status == ADBC_STATUS_OK) {
    if (binding->array.release != NULL) status = batch(call, &binding->array, bound);
    else if (binding->stream.release != NULL) status = batches(call, &binding->stream, bound);
  }
  binding_drop(binding);
  return status;
}

struct reading {
  struct call* call;
  struct statement* statement;
  struct bound* bound;
  AdbcStatusCode status;
};

static void* reading_run(void* data) {
  struct reading* reading = data;
  reading->status = read_all(reading->call, reading->statement, reading->bound);
  return NULL;
}

AdbcStatusCode binding_read(struct call* call, struct statement* statement, struct bound* bound) {
  struct reading reading = {call, statement, bound, ADBC_STATUS_OK};
  pthread_t thread;
  if (!knob_binds_on_thread()) return read_all(call, statement, bound);
  if (pthread_create(&thread, NULL, reading_run, &reading) != 0) return call_fail(call, ADBC_STATUS_INTERNAL, "58000", "there is no thread to be had");
  pthread_join(thread, NULL);
  return reading.status;
}
