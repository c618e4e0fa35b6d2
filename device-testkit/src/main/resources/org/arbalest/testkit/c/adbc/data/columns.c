// SPDX-License-Identifier: Apache-2.0
/* Arrow arrays out of values that come one after another. Layouts: Arrow's columnar format, "Physical memory layout". */
#include "columns.h"

#include <string.h>

#include "peer/ledger.h"

struct bytes {
  char* at;
  size_t size, room;
};

struct column {
  const struct shape* shape;
  int64_t length, nulls;
  struct bytes valid;  /* a byte for each element, packed at the end */
  struct bytes first;  /* offsets, or a union's types */
  struct bytes values; /* values, or a union's offsets; a byte for each bool */
  struct column** parts;
};

static void put(struct bytes* bytes, const void* more, size_t size) {
  if (bytes->size + size > bytes->room) {
    size_t room = bytes->room * 2 > bytes->size + size ? bytes->room * 2 : bytes->size + size + 64;
    char* grown = ledger_alloc(room);
    if (bytes->size > 0) memcpy(grown, bytes->at, bytes->size);
    ledger_free(bytes->at);
    bytes->at = grown;
    bytes->room = room;
  }
  if (size > 0) memcpy(bytes->at + bytes->size, more, size);
  bytes->size += size;
}

static int is_list(const char* format) { return strcmp(format, "+l") == 0 || strcmp(format, "+m") == 0; }
static int is_union(const char* format) { return strncmp(format, "+ud:", 4) == 0; }
static int is_bytes(const char* format) { return strchr("uzUZ", format[0]) != NULL && format[1] == 0; }

int format_is_wide(const char* format) { return format[0] == 'U' || format[0] == 'Z'; }

int format_width(const char* format) {
  if (is_bytes(format) || format[0] == '+' || format[0] == 'n') return -1;
  if (strncmp(format, "tdD", 3) == 0) return 4;
  if (strncmp(format, "ts", 2) == 0) return 8;
  if (format[1] != 0) return -2;
  switch (format[0]) {
    case 'b': return 0;
    case 'c': case 'C': return 1;
    case 's': case 'S': return 2;
    case 'i': case 'I': case 'f': return 4;
    case 'l': case 'L': case 'g': return 8;
    default: return -2;
  }
}

void shape_schema(const struct shape* shape, struct ArrowSchema* out) {
  peer_schema_init(out, shape->format, shape->name, NULL, 0, shape->nullable ? ARROW_FLAG_NULLABLE : 0, shape->n);
  for (int i = 0; i < shape->n; i++) shape_schema(&shape->parts[i], out->children[i]);
}

/* ---- elements ---- */

static void put_offset(struct column* column, int64_t offset) {
  int32_t narrow = (int32_t)offset;
  if (format_is_wide(column->shape->format)) put(&column->first, &offset, sizeof offset);
  else put(&column->first, &narrow, sizeof narrow);
}

struct column* column_new(const struct shape* shape) {
  struct column* column = ledger_alloc(sizeof *column);
  column->shape = shape;
  if (is_list(shape->format) || is_bytes(shape->format)) put_offset(column, 0);
  if (shape->n > 0) column->parts = ledger_alloc((size_t)shape->n * sizeof *column->parts);
  for (int i = 0; i < shape->n; i++) column->parts[i] = column_new(&shape->parts[i]);
  return column;
}

struct column* column_part(struct column* column, int i) { return column->parts[i]; }
int64_t column_length(const struct column* column) { return column->length; }

static void element(struct column* column, char valid) {
  put(&column->valid, &valid, 1);
  column->length++;
  if (!valid) column->nulls++;
}

void column_null(struct column* column) {
  const char* format = column->shape->format;
  static const char zeros[8];
  if (is_union(format)) { /* a union has no nulls of its own */
    column_null(column->parts[0]);
    column_pick(column, 0);
    return;
  }
  element(column, 0);
  if (is_bytes(format)) put_offset(column, (int64_t)column->values.size);
  else if (is_list(format)) put_offset(column, column->parts[0]->length);
  else if (format[0] == '+') for (int i = 0; i < column->shape->n; i++) column_null(column->parts[i]);
  else if (format[0] != 'n') put(&column->values, zeros, format_width(format) == 0 ? 1 : (size_t)format_width(format));
}

void column_int(struct column* column, int64_t value) {
  int width = format_width(column->shape->format);
  element(column, 1);
  switch (width) {
    case 0: case 1: put(&column->values, &(int8_t){(int8_t)value}, 1); break;
    case 2: put(&column->values, &(int16_t){(int16_t)value}, 2); break;
    case 4: put(&column->values, &(int32_t){(int32_t)value}, 4); break;
    default: put(&column->values, &value, 8);
  }
}

void column_double(struct column* column, double value) {
  element(column, 1);
  if (column->shape->format[0] == 'f') put(&column->values, &(float){(float)value}, sizeof(float));
  else put(&column->values, &value, sizeof value);
}

void column_bytes(struct column* column, const void* bytes, size_t size) {
  put(&column->values, bytes, size);
  put_offset(column, (int64_t)column->values.size);
  element(column, 1);
}

void column_text(struct column* column, const char* text) {
  if (text == NULL) column_null(column);
  else column_bytes(column, text, strlen(text));
}

void column_item(struct column* column) {
  if (is_list(column->shape->format)) put_offset(column, column->parts[0]->length);
  element(column, 1);
}

void column_pick(struct column* column, int part) {
  int32_t offset = (int32_t)(column->parts[part]->length - 1);
  put(&column->first, &(int8_t){(int8_t)part}, 1);
  put(&column->values, &offset, sizeof offset);
  element(column, 1);
}

/* ---- the end ---- */

/* Bits of a byte for each, least significant first. */
static struct bytes packed(const struct bytes* each) {
  struct bytes bits = {ledger_alloc(each->size / 8 + 1), (each->size + 7) / 8, 0};
  for (size_t i = 0; i < each->size; i++) bits.at[i / 8] = (char)(bits.at[i / 8] | ((each->at[i] ? 1 : 0) << (i % 8)));
  return bits;
}

static void buffer(struct ArrowArray* out, int i, const struct bytes* bytes) {
  peer_array_set_buffer(out, i, bytes->size > 0 ? bytes->at : "", (int64_t)bytes->size);
}

static void packed_buffer(struct ArrowArray* out, int i, const struct bytes* each) {
  struct bytes bits = packed(each);
  buffer(out, i, &bits);
  ledger_free(bits.at);
}

static void write(struct column* column, struct ArrowArray* out) {
  const char* format = column->shape->format;
  int n = column->shape->n;
  if (format[0] == 'n') {
    peer_array_init(out, column->length, column->length, 0, 0, 0);
  } else if (is_union(format)) {
    peer_array_init(out, column->length, 0, 0, 2, n);
    buffer(out, 0, &column->first);
    buffer(out, 1, &column->values);
  } else {
    int buffers = is_bytes(format) ? 3 : format[0] == '+' && !is_list(format) ? 1 : 2;
    peer_array_init(out, column->length, column->nulls, 0, buffers, n);
    if (column->nulls > 0) packed_buffer(out, 0, &column->valid);
    if (is_bytes(format) || is_list(format)) buffer(out, 1, &column->first);
    else if (buffers == 2 && format_width(format) == 0) packed_buffer(out, 1, &column->values);
    else if (buffers == 2) buffer(out, 1, &column->values);
    if (buffers == 3) buffer(out, 2, &column->values);
  }
  for (int i = 0; i < n; i++) write(column->parts[i], out->children[i]);
}

void column_free(struct column* column) {
  for (int i = 0; i < column->shape->n; i++) column_free(column->parts[i]);
  ledger_free(column->parts);
  ledger_free(column->valid.at);
  ledger_free(column->first.at);
  ledger_free(column->values.at);
  ledger_free(column);
}

void column_finish(struct column* column, struct ArrowArray* out) {
  write(column, out);
  column_free(column);
}
