// SPDX-License-Identifier: Apache-2.0
/* The tables that a database begins with. */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adbc/data/cells.h"
#include "create.h"
#include "adbc/sql/sql.h"

static const char t[] =
    "CREATE TABLE t (id BIGINT NOT NULL COMMENT 'the row''s number', name TEXT DEFAULT 'nobody', price DOUBLE, flag BOOLEAN, day DATE, at TIMESTAMPTZ, raw BLOB, "
    "CONSTRAINT t_key PRIMARY KEY (id))";
static const char child[] =
    "CREATE TABLE child (id BIGINT NOT NULL, t_id BIGINT DEFAULT 0, label TEXT, CONSTRAINT child_key PRIMARY KEY (id), "
    "CONSTRAINT child_t FOREIGN KEY (t_id) REFERENCES memory.main.t (id), CONSTRAINT child_label UNIQUE (label, t_id), CONSTRAINT child_id CHECK (id > 0))";

static struct definition* definition(struct call* call, const char* text, const char* name) {
  char wrong[128];
  AdbcStatusCode status;
  struct query* query = query_parse(text, wrong, sizeof wrong);
  struct definition* made = query == NULL ? NULL : definition_of(call, query, &status);
  if (made == NULL) abort(); /* the texts above are wrong */
  query_free(query);
  made->catalog = "memory";
  made->schema = "main";
  made->name = name;
  return made;
}

/* id = i, name = "row-<i>" (NULL where i % 7 is 6), price = i / 2, flag = whether i is even, day = 20000 + i, at = i seconds, raw = i % 4 bytes of i. */
static void fill(struct rows* rows, int64_t n) {
  char text[32];
  for (int64_t i = 0; i < n; i++) {
    struct cell* row = rows_add(rows);
    snprintf(text, sizeof text, "row-%lld", (long long)i);
    row[0] = cell_int(i);
    if (i % 7 != 6) row[1] = cell_text(text, &rows->arena);
    row[2] = cell_double((double)i / 2);
    row[3] = cell_int(i % 2 == 0);
    row[4] = cell_int(20000 + i);
    row[5] = cell_int(i * 1000000);
    memset(text, (int)i, 4);
    row[6] = (struct cell){.bytes = arena_copy(&rows->arena, text, (size_t)(i % 4)), .size = (int32_t)(i % 4)};
  }
}

struct catalog* sample_catalog(struct call* call, int64_t n) {
  struct catalog* catalog = catalog_new();
  struct catalog* before = catalog;
  struct table* empty = table_new(definition(call, t, "t"));
  struct rows* rows = rows_new(empty->definition->n_fields);
  fill(rows, n);
  catalog = catalog_with(before, NULL, table_with(empty, rows));
  table_drop(empty);
  catalog_drop(before);
  before = catalog;
  catalog = catalog_with(before, NULL, table_new(definition(call, child, "child")));
  catalog_drop(before);
  return catalog;
}
