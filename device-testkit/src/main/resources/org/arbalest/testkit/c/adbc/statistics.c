// SPDX-License-Identifier: Apache-2.0
/* AdbcConnectionGetStatistics, GetStatisticNames: counted in the tables; each kind of value of the union at least once. */
#include <string.h>

#include "adbc/data/cells.h"
#include "functions.h"
#include "metadata.h"

#define OWN_KEY 1024
#define OWN_NAME "arbalest.double.ones" /* how many values of the column are 1 */

static const struct shape kinds[] = {{"l", "int64", 1, 0, NULL}, {"L", "uint64", 1, 0, NULL}, {"g", "float64", 1, 0, NULL}, {"z", "binary", 1, 0, NULL}};
static const struct shape statistic_fields[] = {{"u", "table_name", 0, 0, NULL}, {"u", "column_name", 1, 0, NULL}, {"s", "statistic_key", 0, 0, NULL},
                                                {"+ud:0,1,2,3", "statistic_value", 0, PARTS(kinds)}, {"b", "statistic_is_approximate", 0, 0, NULL}};
static const struct shape statistic[] = {{"+s", "item", 1, PARTS(statistic_fields)}};
static const struct shape schema_fields[] = {{"u", "db_schema_name", 1, 0, NULL}, {"+l", "db_schema_statistics", 0, PARTS(statistic)}};
static const struct shape schema[] = {{"+s", "item", 1, PARTS(schema_fields)}};
static const struct shape catalog_fields[] = {{"u", "catalog_name", 1, 0, NULL}, {"+l", "catalog_db_schemas", 0, PARTS(schema)}};
static const struct shape shape = {"+s", "", 0, PARTS(catalog_fields)};

enum kind { INT, UNSIGNED, DOUBLE, BYTES };

/* One statistic; `format` is its value's, which says the kind. */
static void say(struct column* list, const char* table, const char* column, int key, struct cell value, const char* format, int approximate) {
  struct column* row = column_part(list, 0);
  enum kind kind = format_is_bytes(format) ? BYTES : format_is_float(format) ? DOUBLE : format[0] == 'L' ? UNSIGNED : INT;
  struct column* part = column_part(column_part(row, 3), kind);
  column_text(column_part(row, 0), table);
  column_text(column_part(row, 1), column);
  column_int(column_part(row, 2), key);
  cell_write(value, kinds[kind].format, part);
  column_pick(column_part(row, 3), kind);
  column_int(column_part(row, 4), approximate);
  column_item(row);
}

/* What a column has in it. */
struct seen {
  int64_t nulls, distinct, ones, bytes, most;
  struct cell least, highest;
};

static struct cell at(const struct table* table, int column, int64_t row) {
  int chunk = 0;
  for (; row >= table->chunks[chunk]->count; chunk++) row -= table->chunks[chunk]->count;
  return rows_at(table->chunks[chunk], row)[column];
}

static struct seen see(const struct table* table, int column, const char* format) {
  struct seen seen = {.least = cell_null(), .highest = cell_null()};
  for (int64_t row = 0; row < table->count; row++) {
    struct cell cell = at(table, column, row);
    int64_t size = cell.size < 0 ? 0 : format_is_bytes(format) ? cell.size : format[0] == 'b' ? 1 : 8;
    int is_new = cell.size >= 0;
    seen.nulls += cell.size < 0;
    seen.bytes += size;
    if (size > seen.most) seen.most = size;
    if (cell.size < 0) continue;
    for (int64_t earlier = 0; earlier < row && is_new; earlier++) {
      struct cell other = at(table, column, earlier);
      is_new = other.size < 0 || cells_compare(cell, format, other, format) != 0;
    }
    seen.distinct += is_new;
    seen.ones += !format_is_bytes(format) && cell_number(cell, format) == 1;
    if (seen.least.size < 0 || cells_compare(cell, format, seen.least, format) < 0) seen.least = cell;
    if (seen.highest.size < 0 || cells_compare(cell, format, seen.highest, format) > 0) seen.highest = cell;
  }
  return seen;
}

static void one_column(struct column* list, const struct table* table, int i, int approximate) {
  const struct field* field = &table->definition->fields[i];
  const char *name = table->definition->name, *format = field->format;
  struct seen seen = see(table, i, format);
  int64_t values = table->count - seen.nulls;
  struct cell distinct = approximate ? cell_double((double)seen.distinct) : cell_int(seen.distinct); /* "int64 (when not approximate) or float64" */
  say(list, name, field->name, ADBC_STATISTIC_NULL_COUNT_KEY, cell_int(seen.nulls), "l", 0);
  say(list, name, field->name, ADBC_STATISTIC_DISTINCT_COUNT_KEY, distinct, approximate ? "g" : "l", approximate);
  say(list, name, field->name, ADBC_STATISTIC_MAX_BYTE_WIDTH_KEY, cell_int(seen.most), "l", 0);
  if (values > 0) {
    say(list, name, field->name, ADBC_STATISTIC_AVERAGE_BYTE_WIDTH_KEY, cell_double((double)seen.bytes / (double)values), "g", 0);
    say(list, name, field->name, ADBC_STATISTIC_MIN_VALUE_KEY, seen.least, format, 0);
    say(list, name, field->name, ADBC_STATISTIC_MAX_VALUE_KEY, seen.highest, format, 0);
  }
  say(list, name, field->name, OWN_KEY, cell_int(seen.ones), "L", 0);
}

static void schemas(struct column* list, const struct view* view, struct place place, const char* filter, const char* in, int approximate) {
  struct column* row = column_part(list, 0);
  struct table* table;
  if (!filter_matches(in, place.schema)) return;
  column_text(column_part(row, 0), place.schema);
  for (int i = 0; (table = table_at(view, place, filter, i)) != NULL; i++) {
    say(column_part(row, 1), table->definition->name, NULL, ADBC_STATISTIC_ROW_COUNT_KEY, cell_int(table->count), "l", 0);
    for (int c = 0; c < table->definition->n_fields; c++) one_column(column_part(row, 1), table, c, approximate);
  }
  column_item(column_part(row, 1));
  column_item(row);
}

static struct column* catalogs(const struct view* view, const char* catalog, const char* in, const char* table, int approximate) {
  struct column* column = column_new(&shape);
  struct place place, after;
  for (int i = 0; place_at(view, i, &place); i++) {
    int is_shown = filter_matches(catalog, place.catalog);
    int is_last = !place_at(view, i + 1, &after) || after.catalog == NULL || place.catalog == NULL || strcmp(after.catalog, place.catalog) != 0;
    if (is_shown) schemas(column_part(column, 1), view, place, table, in, approximate);
    if (!is_shown || !is_last) continue;
    column_text(column_part(column, 0), place.catalog);
    column_item(column_part(column, 1));
    column_item(column);
  }
  return column;
}

AdbcStatusCode connection_get_statistics(struct AdbcConnection* handle, const char* catalog, const char* in, const char* table, char approximate,
                                         struct ArrowArrayStream* out, struct AdbcError* error) {
  struct call call;
  struct view view;
  if (!call_connection(&call, "ConnectionGetStatistics", CALL_RUNS, handle, error)) return call.status;
  view_open(handle->private_data, &view);
  result_start(source_once(&shape, catalogs(&view, catalog, in, table, approximate != 0)), handle->private_data, NULL, out);
  view_close(&view);
  return call_end(&call, ADBC_STATUS_OK);
}

/* "the names of statistics specific to this driver" */
AdbcStatusCode connection_get_statistic_names(struct AdbcConnection* handle, struct ArrowArrayStream* out, struct AdbcError* error) {
  static const struct shape names_fields[] = {{"u", "statistic_name", 0, 0, NULL}, {"s", "statistic_key", 0, 0, NULL}};
  static const struct shape names = {"+s", "", 0, PARTS(names_fields)};
  struct call call;
  if (!call_connection(&call, "ConnectionGetStatisticNames", CALL_RUNS, handle, error)) return call.status;
  struct column* column = column_new(&names);
  column_text(column_part(column, 0), OWN_NAME);
  column_int(column_part(column, 1), OWN_KEY);
  column_item(column);
  result_start(source_once(&names, column), handle->private_data, NULL, out);
  return call_end(&call, ADBC_STATUS_OK);
}
