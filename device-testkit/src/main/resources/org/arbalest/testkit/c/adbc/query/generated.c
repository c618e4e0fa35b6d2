// SPDX-License-Identifier: Apache-2.0
/* Sources that make their batches up, and parts of sources. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "picked.h"

#define SQLSTATE_BROKEN "22012"

/* ---- batches(n, rows), fails(n, rows, at), waits(n, rows, at) ---- */

static const struct shape fields[] = {{"l", "id", 0, 0, NULL}, {"u", "name", 1, 0, NULL}};
static const struct shape shape = {"+s", "", 0, PARTS(fields)};

struct generated {
  struct source source;
  int64_t n, rows, at;
  int fails, waits;
  int64_t index; /* of the next batch */
};

/* id = batch * rows + row, name = "row-<id>", NULL where id % 7 is 6: as the peer's streams. */
static void batch(const struct generated* own, struct ArrowArray* out) {
  struct column* column = column_new(&shape);
  char name[32];
  for (int64_t id = own->index * own->rows; id < (own->index + 1) * own->rows; id++) {
    column_int(column_part(column, 0), id);
    snprintf(name, sizeof name, "row-%lld", (long long)id);
    column_text(column_part(column, 1), id % 7 == 6 ? NULL : name);
    column_item(column);
  }
  column_finish(column, out);
}

static int next(struct source* source, struct ArrowArray* out, const int* cancelled, struct problem* problem) {
  struct generated* own = (struct generated*)source;
  if (own->index == own->at && own->waits && gate_hold(cancelled)) {
    *problem = (struct problem){ADBC_STATUS_CANCELLED, ECANCELED, "57014", "get_next: was cancelled while it waited"};
    return -1;
  }
  if (own->index == own->at && own->fails) {
    *problem = (struct problem){ADBC_STATUS_INVALID_DATA, EIO, SQLSTATE_BROKEN, ""};
    snprintf(problem->message, sizeof problem->message, "get_next: division by zero in row %lld", (long long)(own->index * own->rows));
    return -1;
  }
  if (own->index >= own->n) return 0;
  batch(own, out);
  own->index++;
  return 1;
}

static void drop(struct source* source) { ledger_free(source); }

struct source* generated_source(const char* function, const int64_t* arguments, int n) {
  int fails = strcmp(function, "fails") == 0, waits = strcmp(function, "waits") == 0;
  if (!fails && !waits && strcmp(function, "batches") != 0) return NULL;
  if (n != (fails || waits ? 3 : 2)) return NULL;
  struct generated* own = ledger_alloc(sizeof *own);
  *own = (struct generated){{&shape, next, drop}, arguments[0], arguments[1], n == 3 ? arguments[2] : -1, fails, waits, 0};
  return &own->source;
}

/* ---- every n-th batch ---- */

struct part {
  struct source source, *whole;
  int64_t index, of, at;
};

static int part_next(struct source* source, struct ArrowArray* out, const int* cancelled, struct problem* problem) {
  struct part* own = (struct part*)source;
  while (1) {
    int got = own->whole->next(own->whole, out, cancelled, problem);
    if (got <= 0 || own->at++ % own->of == own->index) return got;
    out->release(out);
  }
}

static void part_drop(struct source* source) {
  struct part* own = (struct part*)source;
  own->whole->drop(own->whole);
  ledger_free(own);
}

struct source* source_part(struct source* whole, int64_t index, int64_t of) {
  struct part* own = ledger_alloc(sizeof *own);
  *own = (struct part){{whole->shape, part_next, part_drop}, whole, index, of, 0};
  return &own->source;
}
