// SPDX-License-Identifier: Apache-2.0
/* What a connection sees, and how it changes that. */
#include "views.h"

#include <string.h>

const struct place places[] = {{"attic", "main"}, {"memory", "aux"}, {"memory", "main"}};
const int n_places = sizeof places / sizeof places[0];

int place_is(const char* catalog, const char* schema) {
  for (int i = 0; i < n_places; i++) {
    if (strcmp(places[i].catalog, catalog) == 0 && (schema == NULL || strcmp(places[i].schema, schema) == 0)) return 1;
  }
  return 0;
}

/* The connection's own, begun if it is not yet; the database's lock is held. */
static struct catalog* seen(struct connection* connection) {
  if (connection->autocommit) return connection->database->catalog;
  if (connection->own == NULL) {
    connection->own = catalog_keep(connection->database->catalog);
    connection->earlier = catalog_keep(connection->temporary);
    connection->base = connection->database->changes;
    connection->changed = 0;
  }
  return connection->own;
}

static void look(struct connection* connection, struct view* view) {
  view->shared = catalog_keep(seen(connection));
  view->temporary = catalog_keep(connection->temporary);
}

void view_open(struct connection* connection, struct view* view) {
  pthread_mutex_lock(&connection->database->lock);
  look(connection, view);
  pthread_mutex_unlock(&connection->database->lock);
}

void view_close(struct view* view) {
  catalog_drop(view->shared);
  catalog_drop(view->temporary);
}

struct table_name name_in_full(struct connection* connection, struct table_name name, struct arena* arena) {
  struct options* options = &connection->handle.options;
  if (name.catalog == NULL) name.catalog = options_get(options, ADBC_CONNECTION_OPTION_CURRENT_CATALOG, OPTION_TEXT, arena).text;
  if (name.schema == NULL) name.schema = options_get(options, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA, OPTION_TEXT, arena).text;
  return name;
}

struct table* view_find(const struct view* view, struct connection* connection, struct table_name name) {
  struct arena arena = {NULL};
  struct table* table = NULL;
  if (name.catalog == NULL && name.schema == NULL) table = catalog_find(view->temporary, NULL, NULL, name.table);
  if (table == NULL) {
    struct table_name full = name_in_full(connection, name, &arena);
    table = catalog_find(view->shared, full.catalog, full.schema, full.table);
  }
  arena_free(&arena);
  return table;
}

/* ---- changes ---- */

void change_begin(struct connection* connection, struct view* view) {
  pthread_mutex_lock(&connection->database->lock);
  look(connection, view);
}

void change_put(struct connection* connection, int temporary, const struct table* old, struct table* table) {
  struct catalog** place = temporary ? &connection->temporary : connection->autocommit ? &connection->database->catalog : &connection->own;
  struct catalog* before = *place;
  *place = catalog_with(before, old, table);
  catalog_drop(before);
  if (!temporary && connection->autocommit) connection->database->changes++;
  if (!temporary) connection->changed = 1;
}

void change_end(struct connection* connection, struct view* view) {
  pthread_mutex_unlock(&connection->database->lock);
  view_close(view);
}

/* ---- transactions ---- */

void transaction_end(struct connection* connection) {
  catalog_drop(connection->own);
  catalog_drop(connection->earlier);
  connection->own = connection->earlier = NULL;
  connection->changed = 0;
}


void transaction_rollback(struct connection* connection) {
  if (connection->own != NULL) {
    catalog_drop(connection->temporary);
    connection->temporary = catalog_keep(connection->earlier);
  }
  transaction_end(connection);
}

int transaction_commit(struct connection* connection) {
  struct database* database = connection->database;
  int fits;
  pthread_mutex_lock(&database->lock);
  fits = connection->own == NULL || !connection->changed || connection->base == database->changes;
  if (fits && connection->own != NULL && connection->changed) {
    catalog_drop(database->catalog);
    database->catalog = catalog_keep(connection->own);
    database->changes++;
  }
  pthread_mutex_unlock(&database->lock);
  if (fits) transaction_end(connection);
  else transaction_rollback(connection);
  return fits;
}
