// SPDX-License-Identifier: Apache-2.0
/* Reading arrays value by value, so that equal data gives equal numbers in any layout. */
#include "checksum.h"

#include <stdlib.h>
#include <string.h>

#include "peer/tracker.h"

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ hash >> 32;
}

static uint64_t mix_bytes(uint64_t hash, const void* bytes, int64_t size) {
  const uint8_t* at = bytes;
  for (int64_t i = 0; i < size; i++) hash = (hash ^ at[i]) * 0x100000001B3u;
  return mix(hash, (uint64_t)size);
}

enum { SEED = 0x41524221, NOTHING = 0x6E };

/* The record of a failure; after one the values are meaningless. */
struct reader {
  int failed;
};

static uint64_t give_up(struct reader* reader, const struct ArrowSchema* schema, const char* why) {
  if (!reader->failed)
    tracker_violation("checksum: field '%s' of format '%s': %s", schema->name == NULL ? "" : schema->name,
                     schema->format == NULL ? "(null)" : schema->format, why);
  reader->failed = 1;
  return 0;
}

/* A value of `size` bytes at index i of a buffer that may be unaligned. */
static int64_t load(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                    int64_t buffer, int64_t i, int size, int is_signed) {
  if (buffer < 0 || buffer >= array->n_buffers || array->buffers == NULL || array->buffers[buffer] == NULL) {
    give_up(reader, schema, "a buffer that is needed is missing");
    return 0;
  }
  const char* at = (const char*)array->buffers[buffer] + i * size;
  int8_t i8; int16_t i16; int32_t i32; int64_t i64;
  switch (size) {
    case 1: memcpy(&i8, at, 1); return is_signed ? i8 : (uint8_t)i8;
    case 2: memcpy(&i16, at, 2); return is_signed ? i16 : (uint16_t)i16;
    case 4: memcpy(&i32, at, 4); return is_signed ? (int64_t)i32 : (int64_t)(uint32_t)i32;
    default: memcpy(&i64, at, 8); return i64;
  }
}

static int integer_size(const char* format) {
  if (format[0] == 0 || format[1] != 0) return 0;
  switch (format[0]) {
    case 'c': case 'C': return 1;
    case 's': case 'S': return 2;
    case 'i': case 'I': return 4;
    case 'l': case 'L': return 8;
    default: return 0;
  }
}

static int64_t load_integer(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                            int64_t i) {
  int size = integer_size(schema->format);
  if (size == 0) return (int64_t)give_up(reader, schema, "an integer was expected here");
  return load(reader, array, schema, 1, i, size, schema->format[0] >= 'a');
}

/* Bytes of a fixed-width value; -1 for every other format. */
static int64_t width(const char* f) {
  int integer = integer_size(f);
  if (integer > 0) return integer;
  switch (f[0]) {
    case 'e': return 2;
    case 'f': return 4;
    case 'g': return 8;
    case 'w': return f[1] == ':' ? atoll(f + 2) : -1;
    case 'd': {
      const char* comma = strchr(f, ',');
      comma = comma == NULL ? NULL : strchr(comma + 1, ',');
      return comma == NULL ? 16 : atoll(comma + 1) / 8;
    }
    case 't':
      switch (f[1]) {
        case 'd': return f[2] == 'D' ? 4 : 8;
        case 't': return f[2] == 's' || f[2] == 'm' ? 4 : 8;
        case 'i': return f[2] == 'M' ? 4 : f[2] == 'D' ? 8 : 16;
        default: return 8;
      }
    default: return -1;
  }
}

static int has_bitmap(const char* format) { return strncmp(format, "+u", 2) != 0 && strncmp(format, "+r", 2) != 0; }

static int is_valid(const struct ArrowArray* array, const struct ArrowSchema* schema, int64_t p) {
  if (schema->format[0] == 'n') return 0;
  if (!has_bitmap(schema->format) || array->n_buffers < 1 || array->buffers == NULL) return 1;
  const uint8_t* bits = array->buffers[0];
  return bits == NULL || (bits[p >> 3] >> (p & 7) & 1);
}

static uint64_t hash_value(struct reader*, const struct ArrowArray*, const struct ArrowSchema*, int64_t);

static uint64_t hash_child(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                           int64_t child, int64_t i) {
  if (child < 0 || child >= array->n_children || child >= schema->n_children)
    return give_up(reader, schema, "array and schema differ in children");
  return hash_value(reader, array->children[child], schema->children[child], i);
}

static uint64_t hash_range(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                           int64_t from, int64_t to) {
  uint64_t hash = mix(SEED, (uint64_t)(to - from));
  for (int64_t i = from; i < to && !reader->failed; i++) hash = mix(hash, hash_child(reader, array, schema, 0, i));
  return hash;
}

static uint64_t hash_view(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                          int64_t p) {
  int64_t size = load(reader, array, schema, 1, p * 4, 4, 1);
  if (reader->failed) return 0;
  if (size <= 12) return mix_bytes(SEED, (const char*)array->buffers[1] + p * 16 + 4, size);
  int64_t buffer = load(reader, array, schema, 1, p * 4 + 2, 4, 1);
  int64_t start = load(reader, array, schema, 1, p * 4 + 3, 4, 1);
  if (buffer < 0 || buffer + 3 >= array->n_buffers || array->buffers[buffer + 2] == NULL)
    return give_up(reader, schema, "a view points to no buffer");
  return mix_bytes(SEED, (const char*)array->buffers[buffer + 2] + start, size);
}

static uint64_t hash_union(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                           int64_t p) {
  int dense = schema->format[2] == 'd';
  int64_t types = array->n_buffers - (dense ? 2 : 1); /* a legacy bitmap may come first */
  int64_t id = load(reader, array, schema, types, p, 1, 1);
  int64_t i = dense ? load(reader, array, schema, types + 1, p, 4, 1) : p;
  const char* at = strchr(schema->format, ':');
  for (int64_t child = 0; at != NULL && at[1] != 0 && !reader->failed; child++, at = strchr(at + 1, ','))
    if (atoll(at + 1) == id) return mix(hash_child(reader, array, schema, child, i), (uint64_t)id);
  return give_up(reader, schema, "a type id that the format does not list");
}

static uint64_t hash_run(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                         int64_t p) {
  if (array->n_children != 2 || schema->n_children != 2) return give_up(reader, schema, "two children were expected");
  const struct ArrowArray* ends = array->children[0];
  int64_t low = 0, high = ends->length;
  while (low < high && !reader->failed) { /* the first run that ends beyond p */
    int64_t middle = low + (high - low) / 2;
    if (load_integer(reader, ends, schema->children[0], ends->offset + middle) > p) high = middle;
    else low = middle + 1;
  }
  if (low == ends->length) return give_up(reader, schema, "the runs end too early");
  return hash_child(reader, array, schema, 1, low);
}

static uint64_t hash_nested(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                            int64_t p) {
  const char* f = schema->format;
  switch (f[1]) {
    case 's': {
      uint64_t hash = SEED;
      if (array->n_children != schema->n_children) return give_up(reader, schema, "array and schema differ in children");
      for (int64_t i = 0; i < array->n_children; i++) hash = mix(hash, hash_child(reader, array, schema, i, p));
      return hash;
    }
    case 'l': case 'm':
      return hash_range(reader, array, schema, load(reader, array, schema, 1, p, 4, 1),
                        load(reader, array, schema, 1, p + 1, 4, 1));
    case 'L':
      return hash_range(reader, array, schema, load(reader, array, schema, 1, p, 8, 1),
                        load(reader, array, schema, 1, p + 1, 8, 1));
    case 'v': {
      int size = f[2] == 'L' ? 8 : 4;
      int64_t from = load(reader, array, schema, 1, p, size, 1);
      return hash_range(reader, array, schema, from, from + load(reader, array, schema, 2, p, size, 1));
    }
    case 'w': {
      int64_t size = f[2] == ':' ? atoll(f + 3) : 0;
      return hash_range(reader, array, schema, p * size, (p + 1) * size);
    }
    case 'u': return hash_union(reader, array, schema, p);
    case 'r': return hash_run(reader, array, schema, p);
    default: return give_up(reader, schema, "unknown format");
  }
}

static uint64_t hash_bytes(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                           int64_t p) {
  int size = schema->format[0] < 'a' ? 8 : 4;
  int64_t from = load(reader, array, schema, 1, p, size, 1), to = load(reader, array, schema, 1, p + 1, size, 1);
  if (reader->failed) return 0;
  if (to < from) return give_up(reader, schema, "offsets go backwards");
  if (to > from && (array->n_buffers < 3 || array->buffers[2] == NULL)) return give_up(reader, schema, "no data");
  return mix_bytes(SEED, to > from ? (const char*)array->buffers[2] + from : "", to - from);
}

/* The hash of logical value i, which is physical value offset + i. */
static uint64_t hash_value(struct reader* reader, const struct ArrowArray* array, const struct ArrowSchema* schema,
                           int64_t i) {
  if (array == NULL || schema == NULL || schema->format == NULL || reader->failed) {
    reader->failed = 1;
    return 0;
  }
  const char* f = schema->format;
  int64_t p = array->offset + i;
  if (!is_valid(array, schema, p)) return NOTHING;
  if (schema->dictionary != NULL)
    return hash_value(reader, array->dictionary, schema->dictionary, load_integer(reader, array, schema, p));
  if (f[0] == '+') return hash_nested(reader, array, schema, p);
  if (strcmp(f, "b") == 0) return mix(SEED, load(reader, array, schema, 1, p / 8, 1, 0) >> (p % 8) & 1);
  if (strcmp(f, "vu") == 0 || strcmp(f, "vz") == 0) return hash_view(reader, array, schema, p);
  if (f[0] != 0 && f[1] == 0 && strchr("uzUZ", f[0]) != NULL) return hash_bytes(reader, array, schema, p);
  int64_t size = width(f);
  if (size < 0) return give_up(reader, schema, "unknown format");
  if (size == 0) return SEED;
  if (array->n_buffers < 2 || array->buffers == NULL || array->buffers[1] == NULL)
    return give_up(reader, schema, "no data");
  return mix_bytes(SEED, (const char*)array->buffers[1] + p * size, size);
}

int checksum_rows(const struct ArrowArray* array, const struct ArrowSchema* schema, uint64_t* chain, uint64_t* sum) {
  struct reader reader = {0};
  for (int64_t i = 0; i < array->length && !reader.failed; i++) {
    uint64_t row = hash_value(&reader, array, schema, i);
    *chain = mix(*chain, row);
    *sum += row;
  }
  return !reader.failed;
}

int64_t peer_array_checksum(const struct ArrowArray* array, const struct ArrowSchema* schema) {
  uint64_t chain = CHECKSUM_START, sum = 0;
  return checksum_rows(array, schema, &chain, &sum) ? (int64_t)chain : 0;
}

static int64_t metadata_size(const char* metadata) {
  int32_t n, size;
  const char* at = metadata + 4;
  memcpy(&n, metadata, 4);
  for (int32_t i = 0; i < 2 * n; i++, at += 4 + size) memcpy(&size, at, 4);
  return at - metadata;
}

static uint64_t hash_schema(const struct ArrowSchema* schema) {
  const char* name = schema->name == NULL ? "" : schema->name;
  const char* format = schema->format == NULL ? "" : schema->format;
  uint64_t hash = mix_bytes(mix_bytes(SEED, format, (int64_t)strlen(format)), name, (int64_t)strlen(name));
  hash = mix(mix(hash, (uint64_t)schema->flags), (uint64_t)schema->n_children);
  if (schema->metadata != NULL) hash = mix_bytes(hash, schema->metadata, metadata_size(schema->metadata));
  for (int64_t i = 0; i < schema->n_children; i++) hash = mix(hash, hash_schema(schema->children[i]));
  return schema->dictionary == NULL ? hash : mix(hash, hash_schema(schema->dictionary) + 1);
}

int64_t peer_schema_checksum(const struct ArrowSchema* schema) { return (int64_t)hash_schema(schema); }

int64_t peer_consume_array(const struct ArrowArray* array, const struct ArrowSchema* schema, const char* path,
                           int64_t index) {
  const struct ArrowArray* arrays[66] = {array};
  const struct ArrowSchema* schemas[66] = {schema};
  int depth = 0;
  while (path != NULL ? *path != 0 : depth == 0 && index >= 0) {
    const struct ArrowSchema* at = schemas[depth];
    int64_t child = index;
    if (path != NULL) {
      size_t size = strcspn(path, ".");
      for (child = 0; child < at->n_children; child++) {
        const char* name = at->children[child]->name;
        if (name != NULL && strlen(name) == size && memcmp(name, path, size) == 0) break;
      }
      path += path[size] == '.' ? size + 1 : size;
    }
    if (depth == 64 || child >= at->n_children || child >= arrays[depth]->n_children || strcmp(at->format, "+s") != 0)
      return INT64_MIN;
    schemas[depth + 1] = at->children[child];
    arrays[depth + 1] = arrays[depth]->children[child];
    depth++;
  }
  if (integer_size(schemas[depth]->format) == 0 || schemas[depth]->dictionary != NULL) return INT64_MIN;
  struct reader reader = {0};
  uint64_t sum = 0; /* wraps silently */
  for (int64_t i = 0; i < array->length && !reader.failed; i++) {
    int64_t p = i;
    int valid = 1;
    for (int level = 0; level <= depth && valid; level++) {
      p += arrays[level]->offset;
      valid = is_valid(arrays[level], schemas[level], p);
    }
    if (valid) sum += (uint64_t)load_integer(&reader, arrays[depth], schemas[depth], p);
  }
  return reader.failed ? INT64_MIN : (int64_t)sum;
}
