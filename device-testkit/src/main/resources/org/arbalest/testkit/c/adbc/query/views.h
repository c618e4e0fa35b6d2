/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a connection sees, and how it changes that: in autocommit the database as it is; else the snapshot that its transaction began with, and its own changes.
 * Which catalogs and schemas there are is fixed; temporary tables are in none.
 *
 * Included by: adbc/connection.c adbc/metadata.h change.h select.h views.c
 */
#ifndef ARBALEST_ADBC_VIEWS_H
#define ARBALEST_ADBC_VIEWS_H

#include "adbc/core/handles.h"
#include "adbc/sql/sql.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

struct place {
  const char *catalog, *schema;
};
extern const struct place places[];
extern const int n_places;
int place_is(const char* catalog, const char* schema); /* whether there is a schema, or, of NULL, a catalog */

struct view {
  struct catalog *shared, *temporary; /* kept until view_close */
};

void view_open(struct connection* connection, struct view* view);
void view_close(struct view* view);

/* A table's name in full, with the connection's current catalog and schema, copied into the arena. */
struct table_name name_in_full(struct connection* connection, struct table_name name, struct arena* arena);
/* NULL: there is none. Not kept. A name alone is looked for among the temporary tables first. */
struct table* view_find(const struct view* view, struct connection* connection, struct table_name name);

/* From here to change_end nobody else changes the database. */
void change_begin(struct connection* connection, struct view* view); /* the view is that of the change */
/* Puts a table, taken over, in the place of another, either of which may be NULL. */
void change_put(struct connection* connection, int temporary, const struct table* old, struct table* table);
void change_end(struct connection* connection, struct view* view);

int transaction_commit(struct connection* connection); /* 0: another has changed the database meanwhile; it is rolled back then */
void transaction_rollback(struct connection* connection);
void transaction_end(struct connection* connection); /* what it held is forgotten */

#pragma GCC visibility pop

#endif
