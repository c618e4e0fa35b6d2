// SPDX-License-Identifier: Apache-2.0
/* AdbcConnectionGetObjects, GetTableSchema, GetTableTypes. The xdbc_ columns are what JDBC's DatabaseMetaData.getColumns says. */
#include <string.h>

#include "adbc/data/cells.h"
#include "functions.h"
#include "metadata.h"

static const struct shape name_item[] = {{"u", "item", 1, 0, NULL}};
static const struct shape usage_fields[] = {{"u", "fk_catalog", 1, 0, NULL}, {"u", "fk_db_schema", 1, 0, NULL}, {"u", "fk_table", 0, 0, NULL}, {"u", "fk_column_name", 0, 0, NULL}};
static const struct shape usage[] = {{"+s", "item", 1, PARTS(usage_fields)}};
static const struct shape constraint_fields[] = {{"u", "constraint_name", 1, 0, NULL}, {"u", "constraint_type", 0, 0, NULL},
                                                 {"+l", "constraint_column_names", 0, PARTS(name_item)}, {"+l", "constraint_column_usage", 1, PARTS(usage)}};
static const struct shape constraint[] = {{"+s", "item", 1, PARTS(constraint_fields)}};
static const struct shape column_fields[] = {
  {"u", "column_name", 0, 0, NULL}, {"i", "ordinal_position", 1, 0, NULL}, {"u", "remarks", 1, 0, NULL}, {"s", "xdbc_data_type", 1, 0, NULL},
  {"u", "xdbc_type_name", 1, 0, NULL}, {"i", "xdbc_column_size", 1, 0, NULL}, {"s", "xdbc_decimal_digits", 1, 0, NULL}, {"s", "xdbc_num_prec_radix", 1, 0, NULL},
  {"s", "xdbc_nullable", 1, 0, NULL}, {"u", "xdbc_column_def", 1, 0, NULL}, {"s", "xdbc_sql_data_type", 1, 0, NULL}, {"s", "xdbc_datetime_sub", 1, 0, NULL},
  {"i", "xdbc_char_octet_length", 1, 0, NULL}, {"u", "xdbc_is_nullable", 1, 0, NULL}, {"u", "xdbc_scope_catalog", 1, 0, NULL}, {"u", "xdbc_scope_schema", 1, 0, NULL},
  {"u", "xdbc_scope_table", 1, 0, NULL}, {"b", "xdbc_is_autoincrement", 1, 0, NULL}, {"b", "xdbc_is_generatedcolumn", 1, 0, NULL}};
static const struct shape column_item_shape[] = {{"+s", "item", 1, PARTS(column_fields)}};
static const struct shape table_fields[] = {{"u", "table_name", 0, 0, NULL}, {"u", "table_type", 0, 0, NULL}, {"+l", "table_columns", 1, PARTS(column_item_shape)},
                                            {"+l", "table_constraints", 1, PARTS(constraint)}};
static const struct shape table[] = {{"+s", "item", 1, PARTS(table_fields)}};
static const struct shape schema_fields[] = {{"u", "db_schema_name", 1, 0, NULL}, {"+l", "db_schema_tables", 1, PARTS(table)}};
static const struct shape schema[] = {{"+s", "item", 1, PARTS(schema_fields)}};
static const struct shape catalog_fields[] = {{"u", "catalog_name", 1, 0, NULL}, {"+l", "catalog_db_schemas", 1, PARTS(schema)}};
static const struct shape shape = {"+s", "", 0, PARTS(catalog_fields)};

/* What is asked for. */
struct asked {
  int depth;
  const char *catalog, *schema, *table, **types, *column;
};

/* ---- columns ---- */

/* java.sql.Types, digits before and behind the point, base; a size of 0 is not said. */
static const struct { const char* format; int type, size, digits, radix; } xdbc[] = {
  {"b", 16, 1, -1, 0}, {"c", -6, 3, 0, 10}, {"C", 5, 3, 0, 10}, {"s", 5, 5, 0, 10}, {"S", 4, 5, 0, 10}, {"i", 4, 10, 0, 10}, {"I", -5, 10, 0, 10},
  {"l", -5, 19, 0, 10}, {"L", 2, 20, 0, 10}, {"f", 7, 24, -1, 2}, {"g", 8, 53, -1, 2}, {"u", 12, 0, -1, 0}, {"z", -3, 0, -1, 0}, {"U", 12, 0, -1, 0},
  {"Z", -3, 0, -1, 0}, {"tdD", 91, 10, -1, 0}, {"ts", 93, 26, 6, 0}};

static void number(struct column* row, int i, int is, int64_t value) {
  if (is) column_int(column_part(row, i), value);
  else column_null(column_part(row, i));
}

static void text(struct column* row, int i, const char* value) { column_text(column_part(row, i), value); }

static const struct constraint* foreign_key(const struct definition* definition, int column) {
  for (int i = 0; i < definition->n_constraints; i++) {
    const struct constraint* key = &definition->constraints[i];
    for (int c = 0; key->kind == FOREIGN_KEY && c < key->n; c++) {
      if (key->columns[c] == column) return key;
    }
  }
  return NULL;
}

static void one_column(struct column* row, const struct definition* definition, int i) {
  const struct field* field = &definition->fields[i];
  const struct constraint* key = foreign_key(definition, i);
  size_t t = 0;
  while (strncmp(xdbc[t].format, field->format, strlen(xdbc[t].format)) != 0) t++; /* "ts" is the last, and nothing else is stored */
  int is_time = field->format[0] == 't';
  text(row, 0, field->name);
  number(row, 1, 1, i + 1);
  text(row, 2, field->remarks);
  number(row, 3, 1, xdbc[t].type);
  text(row, 4, field->sql_type);
  number(row, 5, xdbc[t].size > 0, xdbc[t].size);
  number(row, 6, xdbc[t].digits >= 0, xdbc[t].digits);
  number(row, 7, xdbc[t].radix > 0, xdbc[t].radix);
  number(row, 8, 1, field->nullable);
  text(row, 9, field->fallback);
  number(row, 10, 1, is_time ? 9 : xdbc[t].type);
  number(row, 11, is_time, xdbc[t].type == 91 ? 1 : 3);
  number(row, 12, format_is_bytes(field->format), INT32_MAX);
  text(row, 13, field->nullable ? "YES" : "NO");
  text(row, 14, key == NULL ? NULL : key->catalog);
  text(row, 15, key == NULL ? NULL : key->schema);
  text(row, 16, key == NULL ? NULL : key->table);
  number(row, 17, 1, 0);
  number(row, 18, 1, 0);
  column_item(row);
}

static void columns(struct column* list, const struct definition* definition, const struct asked* asked) {
  for (int i = 0; i < definition->n_fields; i++) {
    if (filter_matches(asked->column, definition->fields[i].name)) one_column(column_part(list, 0), definition, i);
  }
  column_item(list);
}

/* ---- constraints ---- */

static void one_constraint(struct column* row, const struct definition* definition, const struct constraint* it) {
  static const char* const kinds[] = {"PRIMARY KEY", "UNIQUE", "FOREIGN KEY", "CHECK"};
  struct column *names = column_part(row, 2), *used = column_part(row, 3), *one = column_part(used, 0);
  text(row, 0, it->name);
  text(row, 1, kinds[it->kind]);
  for (int i = 0; i < it->n; i++) text(names, 0, definition->fields[it->columns[i]].name);
  column_item(names);
  for (int i = 0; i < it->n && it->kind == FOREIGN_KEY; i++) {
    text(one, 0, it->catalog);
    text(one, 1, it->schema);
    text(one, 2, it->table);
    text(one, 3, it->others[i]);
    column_item(one);
  }
  if (it->kind == FOREIGN_KEY) column_item(used); /* "For FOREIGN KEY only" */
  else column_null(used);
  column_item(row);
}

static void constraints(struct column* list, const struct definition* definition) {
  for (int i = 0; i < definition->n_constraints; i++) one_constraint(column_part(list, 0), definition, &definition->constraints[i]);
  column_item(list);
}

/* ---- tables, schemas, catalogs ---- */

static const char* type_of(struct place place) { return place.catalog == NULL ? "temporary table" : "table"; }

static int is_type(const char** types, const char* type) {
  if (types == NULL) return 1;
  while (*types != NULL && strcmp(*types, type) != 0) types++;
  return *types != NULL;
}

static void tables(struct column* list, const struct view* view, struct place place, const struct asked* asked) {
  struct column* row = column_part(list, 0);
  struct table* found;
  for (int i = 0; is_type(asked->types, type_of(place)) && (found = table_at(view, place, asked->table, i)) != NULL; i++) {
    text(row, 0, found->definition->name);
    text(row, 1, type_of(place));
    if (asked->depth == ADBC_OBJECT_DEPTH_ALL) {
      columns(column_part(row, 2), found->definition, asked);
      constraints(column_part(row, 3), found->definition);
    } else {
      column_null(column_part(row, 2));
      column_null(column_part(row, 3));
    }
    column_item(row);
  }
  column_item(list);
}

static int same(const char* a, const char* b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

static void schemas(struct column* list, const struct view* view, const char* catalog, const struct asked* asked) {
  struct column* row = column_part(list, 0);
  struct place place;
  for (int i = 0; place_at(view, i, &place); i++) {
    if (!same(place.catalog, catalog) || !filter_matches(asked->schema, place.schema)) continue;
    text(row, 0, place.schema);
    if (asked->depth == ADBC_OBJECT_DEPTH_DB_SCHEMAS) column_null(column_part(row, 1));
    else tables(column_part(row, 1), view, place, asked);
    column_item(row);
  }
  column_item(list);
}

static struct column* catalogs(const struct view* view, const struct asked* asked) {
  struct column* column = column_new(&shape);
  struct place place, before = {"", NULL};
  for (int i = 0; place_at(view, i, &place); before = place, i++) {
    if (same(place.catalog, before.catalog) || !filter_matches(asked->catalog, place.catalog)) continue;
    text(column, 0, place.catalog);
    if (asked->depth == ADBC_OBJECT_DEPTH_CATALOGS) column_null(column_part(column, 1));
    else schemas(column_part(column, 1), view, place.catalog, asked);
    column_item(column);
  }
  return column;
}

AdbcStatusCode connection_get_objects(struct AdbcConnection* handle, int depth, const char* catalog, const char* in, const char* name, const char** types,
                                      const char* column, struct ArrowArrayStream* out, struct AdbcError* error) {
  struct call call;
  struct view view;
  struct asked asked = {depth, catalog, in, name, types, column};
  if (!call_connection(&call, "ConnectionGetObjects", CALL_RUNS, handle, error)) return call.status;
  if (depth < ADBC_OBJECT_DEPTH_ALL || depth > ADBC_OBJECT_DEPTH_TABLES) {
    return call_end(&call, call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "there is no depth %d", depth));
  }
  view_open(handle->private_data, &view);
  result_start(source_once(&shape, catalogs(&view, &asked)), handle->private_data, NULL, out);
  view_close(&view);
  return call_end(&call, ADBC_STATUS_OK);
}

/* ---- the others ---- */

static AdbcStatusCode table_schema(struct call* call, struct connection* connection, struct table_name name, struct ArrowSchema* out) {
  struct view view;
  AdbcStatusCode status = ADBC_STATUS_OK;
  view_open(connection, &view);
  const struct table* found = view_find(&view, connection, name);
  if (found == NULL) {
    status = call_fail(call, ADBC_STATUS_NOT_FOUND, "42P01", "there is no table %s", name.table);
  } else {
    const struct definition* definition = found->definition;
    peer_schema_init(out, "+s", "", NULL, 0, 0, definition->n_fields);
    for (int i = 0; i < definition->n_fields; i++) {
      const struct field* field = &definition->fields[i];
      shape_schema(&(struct shape){field->format, field->name, field->nullable, 0, NULL}, out->children[i]);
    }
  }
  view_close(&view);
  return status;
}

AdbcStatusCode connection_get_table_schema(struct AdbcConnection* handle, const char* catalog, const char* in, const char* name, struct ArrowSchema* out,
                                           struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionGetTableSchema", CALL_RUNS, handle, error)) return call.status;
  return call_end(&call, table_schema(&call, handle->private_data, (struct table_name){catalog, in, name}, out));
}

AdbcStatusCode connection_get_table_types(struct AdbcConnection* handle, struct ArrowArrayStream* out, struct AdbcError* error) {
  static const struct shape types_fields[] = {{"u", "table_type", 0, 0, NULL}};
  static const struct shape types = {"+s", "", 0, PARTS(types_fields)};
  static const char* const all[] = {"table", "temporary table", "view"};
  struct call call;
  if (!call_connection(&call, "ConnectionGetTableTypes", CALL_RUNS, handle, error)) return call.status;
  struct column* column = column_new(&types);
  for (int i = 0; i < 3; i++) {
    text(column, 0, all[i]);
    column_item(column);
  }
  result_start(source_once(&types, column), handle->private_data, NULL, out);
  return call_end(&call, ADBC_STATUS_OK);
}
