// SPDX-License-Identifier: Apache-2.0
/* Queries that have a result. */
#include "select.h"

#include <string.h>

#include "adbc/data/cells.h"
#include "values.h"

AdbcStatusCode no_table(struct call* call, struct table_name name) {
  return call_fail(call, ADBC_STATUS_NOT_FOUND, "42P01", "there is no table %s%s%s", name.schema == NULL ? "" : name.schema, name.schema == NULL ? "" : ".", name.table);
}

static AdbcStatusCode no_column(struct call* call, const char* name) {
  return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42703", "there is no column %s", name);
}

/* A query that is looked at: the table that it is about, and the result's columns. */
struct looking {
  struct call* call;
  const struct query* query;
  const struct bound* bound;
  struct view view;
  struct table* table; /* NULL: none */
  struct arena arena;
  int n;
  struct field* fields;
};

static AdbcStatusCode describe(struct looking* look, const struct scope* scope) {
  const struct query* query = look->query;
  const struct definition* definition = scope->definition;
  if (query->all) {
    look->n = definition->n_fields;
    look->fields = definition->fields;
    return ADBC_STATUS_OK;
  }
  for (const struct expr* expr = query->exprs; expr != NULL; expr = expr->next) look->n++;
  if (query->count) look->n = 1;
  struct field* field = look->fields = arena_take(&look->arena, (size_t)look->n * sizeof *look->fields);
  if (query->count) *field = (struct field){.name = "count", .format = "l", .nullable = 0};
  for (const struct expr* expr = query->exprs; expr != NULL; expr = expr->next, field++) {
    const char* format = expr_format(look->call, expr, scope);
    if (format == NULL) return ADBC_STATUS_INVALID_ARGUMENT;
    int i = expr->kind == EXPR_COLUMN && expr->cast == NULL ? definition_field(definition, expr->text) : -1;
    *field = (struct field){.name = expr->as, .format = format, .nullable = i < 0 || definition->fields[i].nullable};
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode look(struct looking* look, struct connection* connection) {
  struct scope scope = {.bound = look->bound};
  view_open(connection, &look->view);
  if (look->query->table.table != NULL) {
    look->table = view_find(&look->view, connection, look->query->table);
    if (look->table == NULL) return no_table(look->call, look->query->table);
    scope.definition = look->table->definition;
  }
  return describe(look, &scope);
}

static void look_away(struct looking* look) {
  view_close(&look->view);
  arena_free(&look->arena);
}

/* ---- rows ---- */

/* A row of the result, made of one of the table's. */
static AdbcStatusCode project(struct looking* look, const struct scope* scope, struct rows* made) {
  struct cell* cells = rows_add(made);
  AdbcStatusCode status = ADBC_STATUS_OK;
  int i = 0;
  for (const struct expr* expr = look->query->exprs; expr != NULL && status == ADBC_STATUS_OK; expr = expr->next, i++) {
    status = expr_value(look->call, expr, scope, &made->arena, &cells[i]);
    cells[i] = cell_copy(cells[i], look->fields[i].format, &made->arena);
  }
  return status;
}

/* Those of the table that are asked for, once. */
static AdbcStatusCode pick(struct looking* look, const struct cell* parameters, struct picked* all) {
  const struct table* table = look->table;
  struct scope scope = {.definition = table->definition, .bound = look->bound, .parameters = parameters};
  AdbcStatusCode status = ADBC_STATUS_OK;
  int matches = 0, order = -1;
  int64_t before = picked_count(all);
  for (int c = 0; c < table->n_chunks; c++) {
    for (int64_t i = 0; i < table->chunks[c]->count && status == ADBC_STATUS_OK; i++) {
      scope.row = rows_at(table->chunks[c], i);
      status = query_matches(look->call, look->query, &scope, &matches);
      if (status == ADBC_STATUS_OK && matches) picked_add(all, scope.row);
    }
  }
  if (status != ADBC_STATUS_OK) return status;
  if (look->query->order != NULL) {
    order = definition_field(table->definition, look->query->order);
    if (order < 0) return no_column(look->call, look->query->order);
    picked_sort(all, before, order, look->query->descending, look->query->nulls_last);
  }
  if (look->query->limit != NULL) {
    struct cell limit;
    const char* format = expr_format(look->call, look->query->limit, &scope);
    if (format == NULL) return ADBC_STATUS_INVALID_ARGUMENT;
    status = expr_value(look->call, look->query->limit, &scope, &look->arena, &limit);
    if (status != ADBC_STATUS_OK) return status;
    if (format_is_bytes(format) || format_is_float(format) || (limit.size >= 0 && limit.i < 0)) {
      return call_fail(look->call, ADBC_STATUS_INVALID_ARGUMENT, "2201W", "LIMIT is not a whole number from 0 on");
    }
    if (limit.size >= 0) picked_cut(all, before + limit.i);
  }
  return ADBC_STATUS_OK;
}

/* For one row of parameters: the rows of the table as they are go to `out`, what is made of them to `made`. */
static AdbcStatusCode once(struct looking* look, const struct cell* parameters, struct picked* out, struct rows* made) {
  if (look->table == NULL) {
    struct scope scope = {.bound = look->bound, .parameters = parameters};
    return project(look, &scope, made);
  }
  if (look->query->all) return pick(look, parameters, out);
  struct picked* some = picked_new(look->table->definition->n_fields, look->table->definition->fields, 1);
  AdbcStatusCode status = pick(look, parameters, some);
  if (status == ADBC_STATUS_OK && look->query->count) *rows_add(made) = cell_int(picked_count(some));
  for (int64_t i = 0; i < picked_count(some) && status == ADBC_STATUS_OK && !look->query->count; i++) {
    struct scope scope = {look->table->definition, picked_row(some, i), look->bound, parameters};
    status = project(look, &scope, made);
  }
  picked_source(some)->drop(picked_source(some));
  return status;
}

static AdbcStatusCode run(struct looking* look, int64_t batch_rows, struct source** out, int64_t* rows) {
  struct picked* picked = picked_new(look->n, look->fields, batch_rows);
  struct rows* made = rows_new(look->n);
  AdbcStatusCode status = ADBC_STATUS_OK;
  for (int c = 0; look->table != NULL && c < look->table->n_chunks; c++) picked_hold(picked, look->table->chunks[c]);
  if (look->query->parameters == 0) status = once(look, NULL, picked, made);
  for (int64_t i = 0; look->query->parameters > 0 && i < look->bound->rows->count && status == ADBC_STATUS_OK; i++) {
    status = once(look, rows_at(look->bound->rows, i), picked, made);
  }
  for (int64_t i = 0; i < made->count; i++) picked_add(picked, rows_at(made, i));
  picked_hold(picked, made);
  rows_drop(made);
  *out = picked_source(picked);
  *rows = picked_count(picked);
  if (status != ADBC_STATUS_OK) (*out)->drop(*out);
  return status;
}

AdbcStatusCode select_open(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, int64_t batch_rows,
                           struct source** out, int64_t* rows) {
  if (query->function != NULL) {
    *out = generated_source(query->function, query->arguments, query->n_arguments);
    *rows = -1;
    if (*out != NULL) return ADBC_STATUS_OK;
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42883", "there is no function %s of %d arguments", query->function, query->n_arguments);
  }
  struct looking looking = {.call = call, .query = query, .bound = bound};
  AdbcStatusCode status = look(&looking, connection);
  if (status == ADBC_STATUS_OK) status = run(&looking, batch_rows, out, rows);
  look_away(&looking);
  return status;
}

AdbcStatusCode select_schema(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, struct ArrowSchema* out) {
  struct looking looking = {.call = call, .query = query, .bound = bound};
  struct source* source;
  int64_t rows;
  if (query->function != NULL) {
    AdbcStatusCode status = select_open(call, connection, query, bound, 1, &source, &rows);
    if (status != ADBC_STATUS_OK) return status;
    shape_schema(source->shape, out);
    source->drop(source);
    return ADBC_STATUS_OK;
  }
  AdbcStatusCode status = look(&looking, connection);
  if (status == ADBC_STATUS_OK) {
    struct picked* empty = picked_new(looking.n, looking.fields, 1);
    shape_schema(picked_source(empty)->shape, out);
    picked_source(empty)->drop(picked_source(empty));
  }
  look_away(&looking);
  return status;
}

/* ---- parameters ---- */

static void parameter(struct field* fields, const struct expr* expr, const struct field* of) {
  if (expr == NULL || expr->kind != EXPR_PARAMETER) return;
  struct field* field = &fields[expr->integer];
  if (of != NULL) *field = (struct field){.name = of->name, .format = of->format, .nullable = 1};
  if (expr->cast != NULL) *field = (struct field){.name = "", .format = expr->cast, .nullable = 1};
}

static const struct field* field_of(const struct definition* definition, const struct expr* expr) {
  int i = definition == NULL || expr == NULL || expr->kind != EXPR_COLUMN ? -1 : definition_field(definition, expr->text);
  return i < 0 ? NULL : &definition->fields[i];
}

static void describe_parameters(const struct query* query, const struct definition* definition, struct field* fields) {
  static const struct field whole = {.name = "", .format = "l"};
  for (int i = 0; i < query->parameters; i++) fields[i] = (struct field){.name = "", .format = "n", .nullable = 1};
  for (const struct expr* expr = query->exprs; expr != NULL; expr = expr->next) parameter(fields, expr, NULL);
  parameter(fields, query->left, field_of(definition, query->right));
  parameter(fields, query->right, field_of(definition, query->left));
  parameter(fields, query->limit, &whole);
  for (const struct row_text* row = query->rows; row != NULL && definition != NULL; row = row->next) {
    const struct names* name = query->into;
    int at = 0;
    for (const struct expr* expr = row->values; expr != NULL; expr = expr->next, at++) {
      int i = query->into == NULL ? at : name == NULL ? -1 : definition_field(definition, name->name);
      parameter(fields, expr, i < 0 || i >= definition->n_fields ? NULL : &definition->fields[i]);
      if (name != NULL) name = name->next;
    }
  }
}

AdbcStatusCode parameter_schema(struct call* call, struct connection* connection, const struct query* query, struct ArrowSchema* out) {
  struct looking looking = {.call = call, .query = query};
  struct table* table = NULL;
  view_open(connection, &looking.view);
  if (query->table.table != NULL) table = view_find(&looking.view, connection, query->table);
  struct field* fields = arena_take(&looking.arena, (size_t)query->parameters * sizeof *fields);
  describe_parameters(query, table == NULL ? NULL : table->definition, fields);
  struct picked* empty = picked_new(query->parameters, fields, 1);
  shape_schema(picked_source(empty)->shape, out);
  picked_source(empty)->drop(picked_source(empty));
  look_away(&looking);
  return ADBC_STATUS_OK;
}
