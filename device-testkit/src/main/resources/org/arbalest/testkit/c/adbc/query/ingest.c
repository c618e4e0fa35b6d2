// SPDX-License-Identifier: Apache-2.0
/* Bulk ingestion. */
#include "ingest.h"

#include <string.h>

#include "adbc/data/cells.h"
#include "keys.h"
#include "select.h"

enum mode { MODE_CREATE, MODE_APPEND, MODE_REPLACE, MODE_CREATE_APPEND, MODES };
static const char* const modes[] = {ADBC_INGEST_OPTION_MODE_CREATE, ADBC_INGEST_OPTION_MODE_APPEND, ADBC_INGEST_OPTION_MODE_REPLACE,
                                    ADBC_INGEST_OPTION_MODE_CREATE_APPEND};

static enum mode mode_of(const char* text) {
  int mode = 0;
  while (mode < MODES && strcmp(modes[mode], text) != 0) mode++;
  return (enum mode)mode;
}

int ingest_mode_is(const char* mode) { return mode_of(mode) != MODES; }

static struct definition* definition_of_bound(const struct bound* bound, struct table_name name) {
  struct definition* definition = definition_new();
  struct arena* arena = &definition->arena;
  definition->catalog = arena_text(arena, name.catalog);
  definition->schema = arena_text(arena, name.schema);
  definition->name = arena_text(arena, name.table);
  definition->n_fields = bound->n;
  definition->fields = arena_take(arena, (size_t)bound->n * sizeof *definition->fields);
  for (int i = 0; i < bound->n; i++) {
    const struct field* field = &bound->fields[i];
    definition->fields[i] = (struct field){.name = arena_text(arena, field->name), .format = arena_text(arena, field->format), .sql_type = field->sql_type,
                                           .nullable = 1}; /* as a database makes a column of whom nothing more is said */
  }
  return definition;
}

/* "error if the table exists, but the schema does not match the schema of the data to append (ADBC_STATUS_ALREADY_EXISTS)" */
static AdbcStatusCode matches(struct call* call, const struct table* table, const struct bound* bound) {
  const struct definition* definition = table->definition;
  if (definition->n_fields != bound->n) {
    return call_fail(call, ADBC_STATUS_ALREADY_EXISTS, "42P07", "table %s has %d columns, what is ingested %d", definition->name, definition->n_fields, bound->n);
  }
  for (int i = 0; i < bound->n; i++) {
    const struct field *there = &definition->fields[i], *here = &bound->fields[i];
    if (strcmp(there->name, here->name) == 0 && strcmp(there->format, here->format) == 0) continue;
    return call_fail(call, ADBC_STATUS_ALREADY_EXISTS, "42P07", "column %d of table %s is %s %s, what is ingested %s %s", i, definition->name, there->name,
                     there->format, here->name, here->format);
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode sound(struct call* call, const struct bound* bound) {
  if (bound->n == 0) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "what is ingested has no columns");
  for (int i = 0; i < bound->n; i++) {
    if (strcmp(bound->fields[i].format, "n") == 0) return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "column %s is n, which tables have no type for", bound->fields[i].name);
    for (int j = 0; j < i; j++) {
      if (strcmp(bound->fields[i].name, bound->fields[j].name) == 0) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42701", "column %s is there twice", bound->fields[i].name);
    }
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode write(struct call* call, struct connection* connection, struct table_name name, enum mode mode, struct bound* bound) {
  struct view view;
  AdbcStatusCode status = ADBC_STATUS_OK;
  int temporary = name.catalog == NULL;
  change_begin(connection, &view);
  const struct table* old = catalog_find(temporary ? view.temporary : view.shared, name.catalog, name.schema, name.table);
  if (mode == MODE_APPEND && old == NULL) {
    status = no_table(call, name);
  } else if (mode == MODE_CREATE && old != NULL) {
    status = call_fail(call, ADBC_STATUS_ALREADY_EXISTS, "42P07", "there is a table %s already", name.table);
  } else if (!temporary && !place_is(name.catalog, name.schema)) {
    status = call_fail(call, ADBC_STATUS_NOT_FOUND, "3F000", "there is no schema %s.%s", name.catalog, name.schema);
  } else if (old != NULL && mode != MODE_REPLACE) {
    status = matches(call, old, bound);
    if (status == ADBC_STATUS_OK) status = keys_check(call, old, bound->rows);
  }
  if (status == ADBC_STATUS_OK) {
    struct table* fresh = old != NULL && mode != MODE_REPLACE ? NULL : table_new(definition_of_bound(bound, name));
    change_put(connection, temporary, old, table_with(fresh != NULL ? fresh : old, rows_keep(bound->rows)));
    if (fresh != NULL) table_drop(fresh);
  }
  change_end(connection, &view);
  return status;
}

static const char* text(struct statement* statement, const char* key, struct arena* arena) {
  return options_get(&statement->handle.options, key, OPTION_TEXT, arena).text;
}

AdbcStatusCode ingest_run(struct call* call, struct statement* statement, int64_t* rows) {
  struct arena arena = {NULL};
  struct bound bound = {.n = 0};
  const char* mode = text(statement, ADBC_INGEST_OPTION_MODE, &arena);
  struct option temporary = options_get(&statement->handle.options, ADBC_INGEST_OPTION_TEMPORARY, OPTION_TEXT, &arena);
  struct table_name name = {text(statement, ADBC_INGEST_OPTION_TARGET_CATALOG, &arena), text(statement, ADBC_INGEST_OPTION_TARGET_DB_SCHEMA, &arena),
                            text(statement, ADBC_INGEST_OPTION_TARGET_TABLE, &arena)};
  AdbcStatusCode status = change_allowed(call, statement->connection);
  int is_temporary = option_flag(temporary) == 1;
  if (status == ADBC_STATUS_OK && is_temporary && (name.catalog != NULL || name.schema != NULL)) { /* "This is not supported with …TARGET_CATALOG and …" */
    status = call_fail(call, ADBC_STATUS_INVALID_STATE, "42P16", "a temporary table is in no catalog and no schema");
  }
  if (status == ADBC_STATUS_OK && !binding_is(statement)) status = call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "nothing is bound to be ingested");
  if (status == ADBC_STATUS_OK) {
    if (!is_temporary) name = name_in_full(statement->connection, name, &arena);
    status = binding_read(call, statement, &bound);
    if (status == ADBC_STATUS_OK) status = sound(call, &bound);
    if (status == ADBC_STATUS_OK) status = write(call, statement->connection, name, mode == NULL ? MODE_CREATE : mode_of(mode), &bound);
    if (status == ADBC_STATUS_OK) *rows = bound.rows->count;
    bound_free(&bound);
  }
  arena_free(&arena);
  return status;
}
