// SPDX-License-Identifier: Apache-2.0
/* Queries that change something. */
#include "change.h"

#include <stdio.h>

#include "adbc/data/cells.h"
#include "create.h"
#include "keys.h"
#include "select.h"
#include "values.h"

AdbcStatusCode change_allowed(struct call* call, struct connection* connection) {
  if (!connection->read_only) return ADBC_STATUS_OK;
  return call_fail(call, ADBC_STATUS_INVALID_STATE, "25006", "the connection is for reading only");
}

/* ---- CREATE, DROP ---- */

/* What a foreign key refers to is where it was when the key was made. */
static void refer_in_full(struct connection* connection, struct definition* definition) {
  for (int i = 0; i < definition->n_constraints; i++) {
    struct constraint* key = &definition->constraints[i];
    if (key->kind != FOREIGN_KEY) continue;
    struct table_name full = name_in_full(connection, (struct table_name){key->catalog, key->schema, key->table}, &definition->arena);
    key->catalog = full.catalog;
    key->schema = full.schema;
  }
}

static AdbcStatusCode create(struct call* call, struct connection* connection, const struct query* query, const struct view* view) {
  struct arena arena = {NULL};
  AdbcStatusCode status = ADBC_STATUS_OK;
  struct table_name name = query->table;
  if (query->temporary && name.schema != NULL) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42P16", "a temporary table is in no schema");
  if (!query->temporary) name = name_in_full(connection, name, &arena);
  if (!query->temporary && !place_is(name.catalog, name.schema)) {
    status = call_fail(call, ADBC_STATUS_NOT_FOUND, "3F000", "there is no schema %s.%s", name.catalog, name.schema);
  } else if (catalog_find(query->temporary ? view->temporary : view->shared, name.catalog, name.schema, name.table) != NULL) {
    if (!query->lenient) status = call_fail(call, ADBC_STATUS_ALREADY_EXISTS, "42P07", "there is a table %s already", name.table);
  } else {
    struct definition* definition = definition_of(call, query, &status);
    if (definition != NULL) {
      definition->catalog = arena_text(&definition->arena, name.catalog);
      definition->schema = arena_text(&definition->arena, name.schema);
      definition->name = arena_text(&definition->arena, name.table);
      refer_in_full(connection, definition);
      change_put(connection, query->temporary, NULL, table_new(definition));
    }
  }
  arena_free(&arena);
  return status;
}

static AdbcStatusCode drop(struct call* call, struct connection* connection, const struct query* query, const struct view* view) {
  const struct table* table = view_find(view, connection, query->table);
  if (table != NULL) change_put(connection, table->definition->catalog == NULL, table, NULL);
  return table != NULL || query->lenient ? ADBC_STATUS_OK : no_table(call, query->table);
}

/* ---- INSERT ---- */

/* Where each value of a row goes: columns of the table. NULL, and an error, if there is no such column, or it is there twice. */
static int* targets(struct call* call, const struct query* query, const struct definition* definition, struct arena* arena, int* n) {
  int* columns = arena_take(arena, (size_t)definition->n_fields * sizeof *columns);
  *n = 0;
  if (query->into == NULL) {
    for (; *n < definition->n_fields; ++*n) columns[*n] = *n;
    return columns;
  }
  for (const struct names* name = query->into; name != NULL; name = name->next) {
    int column = definition_field(definition, name->name), twice = 0;
    for (int i = 0; i < *n; i++) twice |= columns[i] == column;
    if (column < 0 || twice) {
      call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, twice ? "42701" : "42703", twice ? "column %s is there twice" : "there is no column %s", name->name);
      return NULL;
    }
    columns[(*n)++] = column;
  }
  return columns;
}

static AdbcStatusCode store(struct call* call, const struct expr* expr, const struct scope* scope, const struct field* field, struct rows* rows, struct cell* out) {
  const char* format = expr_format(call, expr, scope);
  if (format == NULL) return ADBC_STATUS_INVALID_ARGUMENT;
  AdbcStatusCode status = expr_value(call, expr, scope, &rows->arena, out);
  if (status != ADBC_STATUS_OK) return status;
  switch (cell_convert(out, format, field->format)) {
    case 0: *out = cell_copy(*out, field->format, &rows->arena); return ADBC_STATUS_OK;
    case 1: return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42804", "column %s is %s, not %s", field->name, type_of_format(field->format), type_of_format(format));
    default: return call_fail(call, ADBC_STATUS_INVALID_DATA, "22003", "a value is out of the range of column %s", field->name);
  }
}

/* What a column is if nothing is said; what DEFAULT says is a literal. */
static AdbcStatusCode fallback(struct call* call, const struct field* field, struct rows* rows, struct cell* out) {
  char text[512], wrong[128];
  snprintf(text, sizeof text, "SELECT %s", field->fallback);
  struct query* query = query_parse(text, wrong, sizeof wrong);
  if (query == NULL) return call_fail(call, ADBC_STATUS_INTERNAL, "XX000", "the default of %s: %s", field->name, wrong);
  struct scope nowhere = {NULL, NULL, NULL, NULL};
  AdbcStatusCode status = store(call, query->exprs, &nowhere, field, rows, out);
  query_free(query);
  return status;
}

static AdbcStatusCode insert_row(struct call* call, const struct row_text* row, const struct scope* scope, const struct definition* definition,
                                 const int* columns, int n, struct rows* rows) {
  struct cell* cells = rows_add(rows);
  AdbcStatusCode status = ADBC_STATUS_OK;
  int i = 0;
  for (int c = 0; c < definition->n_fields && status == ADBC_STATUS_OK; c++) {
    int given = 0;
    for (int j = 0; j < n; j++) given |= columns[j] == c;
    if (!given && definition->fields[c].fallback != NULL) status = fallback(call, &definition->fields[c], rows, &cells[c]);
  }
  for (const struct expr* expr = row->values; expr != NULL && status == ADBC_STATUS_OK; expr = expr->next, i++) {
    if (i < n) status = store(call, expr, scope, &definition->fields[columns[i]], rows, &cells[columns[i]]);
  }
  if (status == ADBC_STATUS_OK && i != n) status = call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "a row has %d values for %d columns", i, n);
  return status;
}

static AdbcStatusCode insert(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, const struct view* view,
                             int64_t* affected) {
  const struct table* table = view_find(view, connection, query->table);
  if (table == NULL) return no_table(call, query->table);
  const struct definition* definition = table->definition;
  struct arena arena = {NULL};
  int n;
  const int* columns = targets(call, query, definition, &arena, &n);
  struct rows* rows = rows_new(definition->n_fields);
  AdbcStatusCode status = columns == NULL ? ADBC_STATUS_INVALID_ARGUMENT : ADBC_STATUS_OK;
  int64_t times = query->parameters == 0 ? 1 : bound->rows->count;
  for (int64_t i = 0; i < times; i++) {
    struct scope scope = {NULL, NULL, bound, query->parameters == 0 ? NULL : rows_at(bound->rows, i)};
    for (const struct row_text* row = query->rows; row != NULL && status == ADBC_STATUS_OK; row = row->next) {
      status = insert_row(call, row, &scope, definition, columns, n, rows);
    }
  }
  arena_free(&arena);
  if (status == ADBC_STATUS_OK) status = keys_check(call, table, rows);
  *affected = rows->count;
  if (status == ADBC_STATUS_OK) change_put(connection, definition->catalog == NULL, table, table_with(table, rows));
  else rows_drop(rows);
  return status;
}

/* ---- DELETE ---- */

static AdbcStatusCode delete(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, const struct view* view,
                             int64_t* affected) {
  const struct table* table = view_find(view, connection, query->table);
  if (table == NULL) return no_table(call, query->table);
  const struct definition* definition = table->definition;
  struct rows* left = rows_new(definition->n_fields);
  AdbcStatusCode status = ADBC_STATUS_OK;
  int64_t times = query->parameters == 0 ? 1 : bound->rows->count;
  for (int c = 0; c < table->n_chunks; c++) {
    for (int64_t i = 0; i < table->chunks[c]->count && status == ADBC_STATUS_OK; i++) {
      const struct cell* row = rows_at(table->chunks[c], i);
      int matches = 0;
      for (int64_t j = 0; j < times && !matches && status == ADBC_STATUS_OK; j++) {
        struct scope scope = {definition, row, bound, query->parameters == 0 ? NULL : rows_at(bound->rows, j)};
        status = query_matches(call, query, &scope, &matches);
      }
      if (matches || status != ADBC_STATUS_OK) continue;
      struct cell* kept = rows_add(left);
      for (int f = 0; f < definition->n_fields; f++) kept[f] = cell_copy(row[f], definition->fields[f].format, &left->arena);
    }
  }
  *affected = table->count - left->count;
  if (status == ADBC_STATUS_OK) change_put(connection, definition->catalog == NULL, table, table_of(table, left));
  else rows_drop(left);
  return status;
}

AdbcStatusCode change_run(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, int64_t* rows) {
  struct view view;
  AdbcStatusCode status = change_allowed(call, connection);
  *rows = -1;
  if (status != ADBC_STATUS_OK) return status;
  change_begin(connection, &view);
  switch (query->kind) {
    case QUERY_CREATE: status = create(call, connection, query, &view); break;
    case QUERY_DROP: status = drop(call, connection, query, &view); break;
    case QUERY_INSERT: status = insert(call, connection, query, bound, &view, rows); break;
    default: status = delete(call, connection, query, bound, &view, rows);
  }
  change_end(connection, &view);
  return status;
}
