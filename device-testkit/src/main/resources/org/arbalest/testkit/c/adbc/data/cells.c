// SPDX-License-Identifier: Apache-2.0
/* Values. */
#include "cells.h"

#include <string.h>
#include <strings.h>

#include "columns.h"

static const struct { const char* type; const char* format; } types[] = {
  {"BOOLEAN", "b"}, {"BOOL", "b"}, {"TINYINT", "c"}, {"UTINYINT", "C"}, {"SMALLINT", "s"}, {"USMALLINT", "S"}, {"INTEGER", "i"}, {"INT", "i"},
  {"UINTEGER", "I"}, {"BIGINT", "l"}, {"UBIGINT", "L"}, {"REAL", "f"}, {"FLOAT", "f"}, {"DOUBLE", "g"}, {"TEXT", "u"}, {"VARCHAR", "u"}, {"BLOB", "z"},
  {"LARGE_TEXT", "U"}, {"LARGE_BLOB", "Z"}, {"DATE", "tdD"}, {"TIMESTAMP", "tsu:"}, {"TIMESTAMPTZ", "tsu:UTC"},
};

const char* format_of_type(const char* type) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcasecmp(types[i].type, type) == 0) return types[i].format;
  }
  return NULL;
}

const char* type_of_format(const char* format) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (strcmp(types[i].format, format) == 0) return types[i].type;
  }
  return strncmp(format, "ts", 2) == 0 ? "TIMESTAMP" : "NULL";
}

int format_is_stored(const char* format) {
  if (strncmp(format, "ts", 2) == 0) return format[2] != 0 && strchr("smun", format[2]) != NULL && format[3] == ':';
  if (strcmp(format, "tdD") == 0) return 1;
  return format[0] != 0 && format[1] == 0 && strchr("bcCsSiIlLfguzUZ", format[0]) != NULL;
}

int format_is_bytes(const char* format) { return strchr("uzUZ", format[0]) != NULL; }
int format_is_float(const char* format) { return format[0] == 'f' || format[0] == 'g'; }

/* ---- arrays ---- */

static int is_null(const struct ArrowArray* array, int64_t i) {
  const uint8_t* valid = array->n_buffers > 0 ? array->buffers[0] : NULL;
  return array->null_count != 0 && valid != NULL && !(valid[i / 8] >> (i % 8) & 1);
}

#define AT(type) ((const type*)array->buffers[1])[i]

struct cell cell_read(const struct ArrowArray* array, const char* format, int64_t i, struct arena* arena) {
  struct cell cell = {.i = 0, .size = 0};
  i += array->offset;
  if (format[0] == 'n' || is_null(array, i)) return cell_null();
  if (format_is_bytes(format)) {
    int64_t from = format_is_wide(format) ? AT(int64_t) : AT(int32_t);
    i++;
    cell.size = (int32_t)((format_is_wide(format) ? AT(int64_t) : AT(int32_t)) - from);
    cell.bytes = arena_copy(arena, cell.size == 0 ? "" : (const char*)array->buffers[2] + from, (size_t)cell.size);
    return cell;
  }
  switch (format[0]) {
    case 'b': cell.i = ((const uint8_t*)array->buffers[1])[i / 8] >> (i % 8) & 1; break;
    case 'c': cell.i = AT(int8_t); break;
    case 'C': cell.i = AT(uint8_t); break;
    case 's': cell.i = AT(int16_t); break;
    case 'S': cell.i = AT(uint16_t); break;
    case 'i': cell.i = AT(int32_t); break;
    case 'I': cell.i = AT(uint32_t); break;
    case 'f': cell.d = AT(float); break;
    case 'g': cell.d = AT(double); break;
    default: cell.i = format_width(format) == 4 ? AT(int32_t) : AT(int64_t);
  }
  return cell;
}

void cell_write(struct cell cell, const char* format, struct column* column) {
  if (cell.size < 0) column_null(column);
  else if (format_is_bytes(format)) column_bytes(column, cell.bytes, (size_t)cell.size);
  else if (format_is_float(format)) column_double(column, cell.d);
  else column_int(column, cell.i);
}

struct cell cell_copy(struct cell cell, const char* format, struct arena* arena) {
  if (cell.size >= 0 && format_is_bytes(format)) cell.bytes = arena_copy(arena, cell.bytes, (size_t)cell.size);
  return cell;
}

/* ---- values ---- */

struct cell cell_null(void) { return (struct cell){.i = 0, .size = -1}; }
struct cell cell_int(int64_t value) { return (struct cell){.i = value, .size = 0}; }
struct cell cell_double(double value) { return (struct cell){.d = value, .size = 0}; }
struct cell cell_text(const char* text, struct arena* arena) { return (struct cell){.bytes = arena_text(arena, text), .size = (int32_t)strlen(text)}; }

double cell_number(struct cell cell, const char* format) {
  if (format_is_float(format)) return cell.d;
  return format[0] == 'L' ? (double)(uint64_t)cell.i : (double)cell.i;
}

int cells_comparable(const char* one, const char* other) {
  if (one[0] == 'n' || other[0] == 'n') return 1;
  return format_is_bytes(one) == format_is_bytes(other);
}

static int sign(int above, int below) { return above - below; }

int cells_compare(struct cell one, const char* format, struct cell other, const char* its) {
  if (format_is_bytes(format)) {
    int32_t shorter = one.size < other.size ? one.size : other.size;
    int order = memcmp(one.bytes, other.bytes, (size_t)shorter);
    return order != 0 ? order : sign(one.size > other.size, one.size < other.size);
  }
  if (format_is_float(format) || format_is_float(its) || (format[0] == 'L') != (its[0] == 'L')) {
    double a = cell_number(one, format), b = cell_number(other, its);
    return sign(a > b, a < b);
  }
  if (format[0] == 'L') return sign((uint64_t)one.i > (uint64_t)other.i, (uint64_t)one.i < (uint64_t)other.i);
  return sign(one.i > other.i, one.i < other.i);
}

static int is_integer(const char* format) { return format[1] == 0 && strchr("cCsSiIlL", format[0]) != NULL; }

static int fits(int64_t value, int negative, const char* format) {
  int bits = 8 * format_width(format), is_signed = format[0] >= 'a';
  if (!is_signed) return !negative && (bits == 64 || (uint64_t)value < (uint64_t)1 << bits);
  if (!negative && value < 0) return 0; /* an unsigned one above INT64_MAX */
  int64_t most = (int64_t)(((uint64_t)1 << (bits - 1)) - 1);
  return value <= most && value >= -most - 1;
}

int cell_convert(struct cell* cell, const char* from, const char* to) {
  if (strcmp(from, to) == 0 || cell->size < 0) return 0;
  if (format_is_bytes(from) || format_is_bytes(to)) return !(format_is_bytes(from) && format_is_bytes(to));
  if (is_integer(from) && is_integer(to)) return fits(cell->i, from[0] != 'L' && cell->i < 0, to) ? 0 : 2;
  if (format_is_float(to) && (is_integer(from) || format_is_float(from))) {
    *cell = cell_double(cell_number(*cell, from));
    return 0;
  }
  if (is_integer(to) && format_is_float(from)) {
    if (!(cell->d < 9e18 && cell->d > -9e18)) return 2;
    *cell = cell_int((int64_t)(cell->d + (cell->d < 0 ? -0.5 : 0.5)));
    return fits(cell->i, cell->i < 0, to) ? 0 : 2;
  }
  return strncmp(from, "ts", 2) == 0 && strncmp(to, from, 4) == 0 ? 0 : 1; /* another time zone */
}
