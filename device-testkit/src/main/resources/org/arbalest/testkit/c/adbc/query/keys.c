// SPDX-License-Identifier: Apache-2.0
/* What a table's constraints say to more rows. */
#include "keys.h"

#include "adbc/data/cells.h"

struct key {
  const struct definition* definition;
  const struct constraint* constraint;
};

static uint64_t hash(const struct key* key, const struct cell* row) {
  uint64_t sum = 14695981039346656037u;
  for (int i = 0; i < key->constraint->n; i++) {
    int column = key->constraint->columns[i];
    int is_bytes = format_is_bytes(key->definition->fields[column].format);
    const unsigned char* bytes = is_bytes ? (const unsigned char*)row[column].bytes : (const unsigned char*)&row[column].i;
    for (int32_t at = 0; at < (is_bytes ? row[column].size : 8); at++) sum = (sum ^ bytes[at]) * 1099511628211u;
  }
  return sum;
}

static int same(const struct key* key, const struct cell* one, const struct cell* other) {
  for (int i = 0; i < key->constraint->n; i++) {
    int column = key->constraint->columns[i];
    const char* format = key->definition->fields[column].format;
    if (cells_compare(one[column], format, other[column], format) != 0) return 0;
  }
  return 1;
}

/* Nulls are different from each other. */
static int has_null(const struct key* key, const struct cell* row) {
  for (int i = 0; i < key->constraint->n; i++) {
    if (row[key->constraint->columns[i]].size < 0) return 1;
  }
  return 0;
}

struct seen {
  const struct cell** slots;
  uint64_t mask;
};

/* Whether a row like it was seen before. */
static int see(struct seen* seen, const struct key* key, const struct cell* row) {
  if (has_null(key, row)) return 0;
  uint64_t at = hash(key, row) & seen->mask;
  while (seen->slots[at] != NULL) {
    if (same(key, seen->slots[at], row)) return 1;
    at = (at + 1) & seen->mask;
  }
  seen->slots[at] = row;
  return 0;
}

static int is_unique(const struct key* key, const struct table* table, const struct rows* more) {
  struct seen seen = {NULL, 15};
  int twice = 0;
  while (seen.mask < (uint64_t)(table->count + more->count) * 2) seen.mask = seen.mask * 2 + 1;
  seen.slots = ledger_alloc((size_t)(seen.mask + 1) * sizeof *seen.slots);
  for (int c = 0; c < table->n_chunks; c++) {
    for (int64_t i = 0; i < table->chunks[c]->count; i++) see(&seen, key, rows_at(table->chunks[c], i));
  }
  for (int64_t i = 0; i < more->count && !twice; i++) twice = see(&seen, key, rows_at(more, i));
  ledger_free(seen.slots);
  return !twice;
}

AdbcStatusCode keys_check(struct call* call, const struct table* table, const struct rows* more) {
  const struct definition* definition = table->definition;
  for (int64_t row = 0; row < more->count; row++) {
    for (int i = 0; i < definition->n_fields; i++) {
      if (definition->fields[i].nullable || rows_at(more, row)[i].size >= 0) continue;
      return call_fail(call, ADBC_STATUS_INTEGRITY, "23502", "column %s of %s is not null, and row %lld has a null", definition->fields[i].name,
                       definition->name, (long long)row);
    }
  }
  for (int i = 0; i < definition->n_constraints; i++) {
    struct key key = {definition, &definition->constraints[i]};
    if (key.constraint->kind != PRIMARY_KEY && key.constraint->kind != UNIQUE) continue;
    if (is_unique(&key, table, more)) continue;
    return call_fail(call, ADBC_STATUS_INTEGRITY, "23505", "a key is there twice in %s, of %s", definition->name,
                     key.constraint->name == NULL ? "a constraint without a name" : key.constraint->name);
  }
  return ADBC_STATUS_OK;
}
