// SPDX-License-Identifier: Apache-2.0
/* A table's definition out of CREATE TABLE. */
#include "create.h"

static int length(const struct names* names) {
  int n = 0;
  for (; names != NULL; names = names->next) n++;
  return n;
}

static AdbcStatusCode fields(struct call* call, const struct query* query, struct definition* definition) {
  int n = 0;
  for (const struct column_text* column = query->columns; column != NULL; column = column->next) n++;
  if (n == 0) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "a table without columns");
  definition->fields = arena_take(&definition->arena, (size_t)n * sizeof *definition->fields);
  for (const struct column_text* column = query->columns; column != NULL; column = column->next) {
    if (definition_field(definition, column->name) >= 0) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42701", "column %s is there twice", column->name);
    struct arena* arena = &definition->arena;
    definition->fields[definition->n_fields++] =
        (struct field){arena_text(arena, column->name), column->format, arena_text(arena, column->type), !column->not_null,
                       arena_text(arena, column->remarks), arena_text(arena, column->fallback)};
  }
  return ADBC_STATUS_OK;
}

static AdbcStatusCode constraint(struct call* call, const struct constraint_text* text, struct definition* definition) {
  struct arena* arena = &definition->arena;
  struct constraint* made = &definition->constraints[definition->n_constraints++];
  int* columns = arena_take(arena, (size_t)length(text->columns) * sizeof *columns);
  int n_others = length(text->others);
  *made = (struct constraint){.name = arena_text(arena, text->name), .kind = (enum constraint_kind)text->kind, .columns = columns};
  for (const struct names* name = text->columns; name != NULL; name = name->next) {
    columns[made->n] = definition_field(definition, name->name);
    if (columns[made->n] < 0) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42703", "there is no column %s", name->name);
    if (made->kind == PRIMARY_KEY) definition->fields[columns[made->n]].nullable = 0;
    made->n++;
  }
  if (made->kind != FOREIGN_KEY) return ADBC_STATUS_OK;
  if (n_others != made->n) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42830", "%d columns refer to %d", made->n, n_others);
  made->catalog = arena_text(arena, text->other.catalog);
  made->schema = arena_text(arena, text->other.schema);
  made->table = arena_text(arena, text->other.table);
  made->others = arena_take(arena, (size_t)n_others * sizeof *made->others);
  n_others = 0;
  for (const struct names* name = text->others; name != NULL; name = name->next) made->others[n_others++] = arena_text(arena, name->name);
  return ADBC_STATUS_OK;
}

struct definition* definition_of(struct call* call, const struct query* query, AdbcStatusCode* status) {
  struct definition* definition = definition_new();
  int n = 0;
  for (const struct constraint_text* text = query->constraints; text != NULL; text = text->next) n++;
  definition->constraints = arena_take(&definition->arena, (size_t)n * sizeof *definition->constraints);
  *status = fields(call, query, definition);
  for (const struct constraint_text* text = query->constraints; text != NULL && *status == ADBC_STATUS_OK; text = text->next) {
    *status = constraint(call, text, definition);
  }
  if (*status == ADBC_STATUS_OK) return definition;
  definition_drop(definition);
  return NULL;
}
