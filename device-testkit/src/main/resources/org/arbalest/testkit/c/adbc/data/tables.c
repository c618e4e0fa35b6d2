// SPDX-License-Identifier: Apache-2.0
/* Tables in memory. */
#include "tables.h"

#include <string.h>

#include "peer/ledger.h"

static void keep(int* holders) { __atomic_add_fetch(holders, 1, __ATOMIC_SEQ_CST); }
static int is_last(int* holders) { return __atomic_sub_fetch(holders, 1, __ATOMIC_SEQ_CST) == 0; }

/* ---- rows ---- */

struct rows* rows_new(int columns) {
  struct rows* rows = ledger_alloc(sizeof *rows);
  rows->holders = 1;
  rows->columns = columns;
  return rows;
}

struct cell* rows_at(const struct rows* rows, int64_t i) { return rows->cells + i * rows->columns; }

struct cell* rows_add(struct rows* rows) {
  size_t row = (size_t)rows->columns * sizeof *rows->cells;
  if (rows->count == rows->room) {
    rows->room = rows->room == 0 ? 16 : rows->room * 2;
    struct cell* grown = ledger_alloc((size_t)rows->room * row + 1);
    if (rows->count > 0) memcpy(grown, rows->cells, (size_t)rows->count * row);
    ledger_free(rows->cells);
    rows->cells = grown;
  }
  struct cell* added = rows_at(rows, rows->count++);
  for (int i = 0; i < rows->columns; i++) added[i].size = -1;
  return added;
}

struct rows* rows_keep(struct rows* rows) {
  keep(&rows->holders);
  return rows;
}

void rows_drop(struct rows* rows) {
  if (rows == NULL || !is_last(&rows->holders)) return;
  arena_free(&rows->arena);
  ledger_free(rows->cells);
  ledger_free(rows);
}

/* ---- definitions ---- */

struct definition* definition_new(void) {
  struct definition* definition = ledger_alloc(sizeof *definition);
  definition->holders = 1;
  return definition;
}

int definition_field(const struct definition* definition, const char* name) {
  for (int i = 0; i < definition->n_fields; i++) {
    if (strcmp(definition->fields[i].name, name) == 0) return i;
  }
  return -1;
}

void definition_drop(struct definition* definition) {
  if (!is_last(&definition->holders)) return;
  arena_free(&definition->arena);
  ledger_free(definition);
}

/* ---- tables ---- */

static struct table* table_over(struct definition* definition, int n_chunks) {
  struct table* table = ledger_alloc(sizeof *table);
  table->holders = 1;
  table->definition = definition;
  table->n_chunks = n_chunks;
  if (n_chunks > 0) table->chunks = ledger_alloc((size_t)n_chunks * sizeof *table->chunks);
  return table;
}

struct table* table_new(struct definition* definition) { return table_over(definition, 0); }

struct table* table_with(const struct table* old, struct rows* more) {
  keep(&old->definition->holders);
  struct table* table = table_over(old->definition, old->n_chunks + 1);
  for (int i = 0; i < old->n_chunks; i++) table->chunks[i] = rows_keep(old->chunks[i]);
  table->chunks[old->n_chunks] = more;
  table->count = old->count + more->count;
  return table;
}

struct table* table_of(const struct table* old, struct rows* all) {
  keep(&old->definition->holders);
  struct table* table = table_over(old->definition, 1);
  table->chunks[0] = all;
  table->count = all->count;
  return table;
}

struct table* table_keep(struct table* table) {
  keep(&table->holders);
  return table;
}

void table_drop(struct table* table) {
  if (!is_last(&table->holders)) return;
  for (int i = 0; i < table->n_chunks; i++) rows_drop(table->chunks[i]);
  definition_drop(table->definition);
  ledger_free(table->chunks);
  ledger_free(table);
}

/* ---- catalogs ---- */

struct catalog* catalog_new(void) {
  struct catalog* catalog = ledger_alloc(sizeof *catalog);
  catalog->holders = 1;
  return catalog;
}

struct catalog* catalog_keep(struct catalog* catalog) {
  keep(&catalog->holders);
  return catalog;
}

void catalog_drop(struct catalog* catalog) {
  if (catalog == NULL || !is_last(&catalog->holders)) return;
  for (int i = 0; i < catalog->n; i++) table_drop(catalog->tables[i]);
  ledger_free(catalog->tables);
  ledger_free(catalog);
}

static int same(const char* a, const char* b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

struct table* catalog_find(const struct catalog* catalog, const char* in, const char* schema, const char* name) {
  for (int i = 0; i < catalog->n; i++) {
    const struct definition* definition = catalog->tables[i]->definition;
    if (same(definition->catalog, in) && same(definition->schema, schema) && strcmp(definition->name, name) == 0) return catalog->tables[i];
  }
  return NULL;
}

struct catalog* catalog_with(const struct catalog* old, const struct table* out, struct table* in) {
  struct catalog* catalog = catalog_new();
  catalog->tables = ledger_alloc((size_t)(old->n + 1) * sizeof *catalog->tables);
  for (int i = 0; i < old->n; i++) {
    if (old->tables[i] != out) catalog->tables[catalog->n++] = table_keep(old->tables[i]);
    else if (in != NULL) catalog->tables[catalog->n++] = in;
  }
  if (out == NULL && in != NULL) catalog->tables[catalog->n++] = in;
  return catalog;
}
