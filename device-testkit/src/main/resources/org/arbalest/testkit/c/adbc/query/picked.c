// SPDX-License-Identifier: Apache-2.0
/* Rows that a query has picked, as a source of batches. */
#include "picked.h"

#include <stdlib.h>
#include <string.h>

#include "adbc/data/cells.h"

struct picked {
  struct source source;
  struct arena arena;
  struct shape shape;
  struct shape* fields;
  struct rows** held;
  int n_held, room_held;
  const struct cell** rows;
  int64_t count, room, at, batch_rows;
};

/* ---- the source ---- */

static int next(struct source* source, struct ArrowArray* out, const int* cancelled, struct problem* problem) {
  struct picked* picked = (struct picked*)source;
  (void)cancelled, (void)problem;
  if (picked->at == picked->count) return 0;
  struct column* column = column_new(&picked->shape);
  for (int64_t left = picked->batch_rows; left > 0 && picked->at < picked->count; left--, picked->at++) {
    for (int i = 0; i < picked->shape.n; i++) cell_write(picked->rows[picked->at][i], picked->fields[i].format, column_part(column, i));
    column_item(column);
  }
  column_finish(column, out);
  return 1;
}

static void drop(struct source* source) {
  struct picked* picked = (struct picked*)source;
  for (int i = 0; i < picked->n_held; i++) rows_drop(picked->held[i]);
  ledger_free(picked->held);
  ledger_free(picked->rows);
  arena_free(&picked->arena);
  ledger_free(picked);
}

struct source* picked_source(struct picked* picked) { return &picked->source; }

/* ---- what is picked ---- */

struct picked* picked_new(int n, const struct field* fields, int64_t batch_rows) {
  struct picked* picked = ledger_alloc(sizeof *picked);
  picked->source = (struct source){&picked->shape, next, drop};
  picked->batch_rows = batch_rows;
  picked->fields = arena_take(&picked->arena, (size_t)n * sizeof *picked->fields);
  for (int i = 0; i < n; i++) {
    picked->fields[i] = (struct shape){arena_text(&picked->arena, fields[i].format), arena_text(&picked->arena, fields[i].name), fields[i].nullable, 0, NULL};
  }
  picked->shape = (struct shape){"+s", "", 0, n, picked->fields};
  return picked;
}

static void* grown(void* old, size_t used, size_t room) {
  void* more = ledger_alloc(room);
  if (used > 0) memcpy(more, old, used);
  ledger_free(old);
  return more;
}

void picked_hold(struct picked* picked, struct rows* rows) {
  if (picked->n_held == picked->room_held) {
    picked->room_held = picked->room_held * 2 + 4;
    picked->held = grown(picked->held, (size_t)picked->n_held * sizeof *picked->held, (size_t)picked->room_held * sizeof *picked->held);
  }
  picked->held[picked->n_held++] = rows_keep(rows);
}

void picked_add(struct picked* picked, const struct cell* row) {
  if (picked->count == picked->room) {
    picked->room = picked->room * 2 + 16;
    picked->rows = grown(picked->rows, (size_t)picked->count * sizeof *picked->rows, (size_t)picked->room * sizeof *picked->rows);
  }
  picked->rows[picked->count++] = row;
}

int64_t picked_count(const struct picked* picked) { return picked->count; }
const struct cell* picked_row(const struct picked* picked, int64_t i) { return picked->rows[i]; }

void picked_cut(struct picked* picked, int64_t count) {
  if (picked->count > count) picked->count = count;
}

/* ---- order: a merge sort, so that equal rows stay as they are ---- */

struct order {
  int column, descending, nulls_last;
  const char* format;
};

static int order_of(const struct order* order, const struct cell* one, const struct cell* other) {
  struct cell a = one[order->column], b = other[order->column];
  if (a.size < 0 || b.size < 0) return ((a.size < 0) - (b.size < 0)) * (order->nulls_last ? 1 : -1);
  return cells_compare(a, order->format, b, order->format) * (order->descending ? -1 : 1);
}

static void sort(const struct order* order, const struct cell** rows, const struct cell** spare, int64_t n) {
  int64_t half = n / 2, left = 0, right = half;
  if (n < 2) return;
  sort(order, rows, spare, half);
  sort(order, rows + half, spare, n - half);
  for (int64_t i = 0; i < n; i++) {
    int from_left = right == n || (left < half && order_of(order, rows[left], rows[right]) <= 0);
    spare[i] = from_left ? rows[left++] : rows[right++];
  }
  memcpy(rows, spare, (size_t)n * sizeof *rows);
}

void picked_sort(struct picked* picked, int64_t from, int column, int descending, int nulls_last) {
  struct order order = {column, descending, nulls_last, picked->fields[column].format};
  int64_t n = picked->count - from;
  if (n < 2) return;
  const struct cell** spare = ledger_alloc((size_t)n * sizeof *spare);
  sort(&order, picked->rows + from, spare, n);
  ledger_free(spare);
}
