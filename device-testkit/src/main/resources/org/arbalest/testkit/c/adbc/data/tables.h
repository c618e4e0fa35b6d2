/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables in memory. Everything here is counted by its holders and does not change once more than one has it, so whoever reads needs no lock: a change makes a new
 * table, and a new catalog with it in the old one's place.
 *
 * Included by: adbc/query/bind.h adbc/query/create.h adbc/query/keys.h adbc/query/results.h adbc/query/sample.h adbc/query/views.h cells.h tables.c
 */
#ifndef ARBALEST_ADBC_TABLES_H
#define ARBALEST_ADBC_TABLES_H

#include <stdint.h>

#include "adbc/core/arena.h"

#pragma GCC visibility push(hidden)

/* A value; its column's format says which of the four it is. */
struct cell {
  union {
    int64_t i; /* bool, integers (an unsigned one by its bits), dates, timestamps */
    double d;
    const char* bytes; /* its rows' arena's */
  };
  int32_t size; /* of bytes; -1: null */
};

struct rows {
  int holders, columns;
  int64_t count, room;
  struct cell* cells; /* of a row, its columns' one after another */
  struct arena arena;
};

struct rows* rows_new(int columns);
struct cell* rows_add(struct rows* rows); /* one more row, all null */
struct cell* rows_at(const struct rows* rows, int64_t i);
struct rows* rows_keep(struct rows* rows);
void rows_drop(struct rows* rows); /* NULL is fine */

struct field {
  const char* name;
  const char* format;
  const char* sql_type;
  int nullable;
  const char* remarks;  /* or NULL, as what follows */
  const char* fallback; /* of DEFAULT, as it was written */
};

enum constraint_kind { PRIMARY_KEY, UNIQUE, FOREIGN_KEY, CHECK };

struct constraint {
  const char* name;
  enum constraint_kind kind;
  int n;
  const int* columns;
  const char *catalog, *schema, *table; /* of a FOREIGN_KEY */
  const char** others;                  /* its columns there, n of them */
};

/* What a table is, whatever is in it. catalog and schema are NULL of a temporary one. */
struct definition {
  int holders;
  struct arena arena;
  const char *catalog, *schema, *name;
  int n_fields, n_constraints;
  struct field* fields;
  struct constraint* constraints;
};

struct definition* definition_new(void);
int definition_field(const struct definition* definition, const char* name); /* -1: none */
void definition_drop(struct definition* definition);

struct table {
  int holders;
  struct definition* definition;
  int n_chunks;
  struct rows** chunks;
  int64_t count;
};

struct table* table_new(struct definition* definition); /* empty; takes the definition over */
struct table* table_with(const struct table* table, struct rows* more); /* a copy with more rows, which it takes over */
struct table* table_of(const struct table* table, struct rows* all);   /* a copy with these instead */
struct table* table_keep(struct table* table);
void table_drop(struct table* table);

struct catalog {
  int holders, n;
  struct table** tables;
};

struct catalog* catalog_new(void);
struct catalog* catalog_keep(struct catalog* catalog);
void catalog_drop(struct catalog* catalog); /* NULL is fine */
struct table* catalog_find(const struct catalog* catalog, const char* in, const char* schema, const char* name); /* not kept for the caller */
/* A copy with a table, taken over, in the place of another; either may be NULL. */
struct catalog* catalog_with(const struct catalog* catalog, const struct table* old, struct table* table);

#pragma GCC visibility pop

#endif
