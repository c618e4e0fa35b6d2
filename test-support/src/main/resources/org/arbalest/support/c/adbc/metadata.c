// SPDX-License-Identifier: Apache-2.0
/* Metadata: objects, schemas and table types come from DuckDB; infos and statistics are fixed, because DuckDB has few
   or none. */
#include <stdio.h>
#include <string.h>

#include "driver.h"

#define INFO \
  "::UNION(string_value VARCHAR, bool_value BOOL, int64_value BIGINT, int32_bitmask INTEGER, string_list VARCHAR[]," \
  " int32_to_int32_list_map MAP(INTEGER, INTEGER[]))"
#define STATISTIC "::UNION(\"int64\" BIGINT, uint64 UBIGINT, float64 DOUBLE, \"binary\" BLOB)"

/* Each kind of value at least once, and a null. Codes from 500 on are those of Flight SQL's GetSqlInfo. */
static const char infos[] =
    "SELECT code::UINTEGER AS info_name, value AS info_value FROM (VALUES"
    " (0, 'Arbalest''s fake'" INFO "), (1, '0.1'" INFO "), (2, NULL::VARCHAR" INFO "),"
    " (3, true" INFO "), (4, true" INFO "), (5, '0.0.1'" INFO "), (6, '0.0.2'" INFO "),"
    " (100, 'adbc_driver_faulty'" INFO "), (101, '0.1.0'" INFO "), (102, '1.4'" INFO "),"
    " (103, (%d)::BIGINT" INFO "), (500, false" INFO "), (503, 3::BIGINT" INFO "),"
    " (508, ['SELECT', NULL, '']" INFO "), (517, MAP {5: [1, 7], 8: [], 9: NULL}" INFO "),"
    " (522, 6" INFO "), (10000, 'an own one \xE2\x86\x92'" INFO ")) infos(code, value) WHERE ";

/* Of table t: each kind of value at least once. */
static const char statistics[] =
    "SELECT 'memory' AS catalog_name, [{'db_schema_name': 'main', 'db_schema_statistics': list({'table_name': 't',"
    " 'column_name': c,"
    "  'statistic_key': key::SMALLINT, 'statistic_value': value, 'statistic_is_approximate': approximate})}] AS"
    " catalog_db_schemas"
    " FROM (VALUES (NULL, 6, 10::BIGINT" STATISTIC ", false), ('name', 5, 1::BIGINT" STATISTIC ", false),"
    "  ('id', 3, 9::BIGINT" STATISTIC ", false), ('price', 3, 4.5::DOUBLE" STATISTIC ", false),"
    "  ('name', 3, 'row-9'::BLOB" STATISTIC ", false), ('id', 1024, 1::UBIGINT" STATISTIC ", false),"
    "  ('id', 1, 10::%s" STATISTIC ", %s)) s(c, key, value, approximate)";

AdbcStatusCode faultyConnectionGetInfo(struct AdbcConnection* handle, const uint32_t* codes, size_t n,
                                       struct ArrowArrayStream* out, struct AdbcError* error) {
  char sql[8192];
  BEGIN("ConnectionGetInfo", RUNS, handle, CONNECTION);
  size_t at = (size_t)snprintf(sql, sizeof sql, infos, setting(INIT) == INIT_ODD_VERSION ? -7 : ADBC_VERSION_1_1_0);
  at += (size_t)snprintf(sql + at, sizeof sql - at, codes == NULL ? "true" : "code IN (NULL");
  for (size_t i = 0; codes != NULL && i < n && at < sizeof sql - 16; i++) {
    at += (size_t)snprintf(sql + at, sizeof sql - at, ", %u", codes[i]);
  }
  if (codes != NULL) snprintf(sql + at, sizeof sql - at, ")");
  return call_end(&call, connection_query(&call, handle->private_data, sql, out));
}

AdbcStatusCode faultyConnectionGetStatistics(struct AdbcConnection* handle, const char* catalog, const char* schema,
                                             const char* table,
                                             char approximate, struct ArrowArrayStream* out, struct AdbcError* error) {
  char sql[2048];
  (void)catalog, (void)schema, (void)table;
  BEGIN("ConnectionGetStatistics", RUNS, handle, CONNECTION);
  snprintf(sql, sizeof sql, statistics, approximate ? "DOUBLE" : "BIGINT", approximate ? "true" : "false");
  return call_end(&call, connection_query(&call, handle->private_data, sql, out));
}

/* "the names of statistics specific to this driver" */
AdbcStatusCode faultyConnectionGetStatisticNames(struct AdbcConnection* handle, struct ArrowArrayStream* out,
                                                 struct AdbcError* error) {
  BEGIN("ConnectionGetStatisticNames", RUNS, handle, CONNECTION);
  const char* sql = "SELECT 'arbalest.fake.ones' AS statistic_name, 1024::SMALLINT AS statistic_key";
  return call_end(&call, connection_query(&call, handle->private_data, sql, out));
}

static AdbcStatusCode start(AdbcStatusCode status, struct source* source, struct AdbcConnection* handle,
                            struct ArrowArrayStream* out) {
  if (status == ADBC_STATUS_OK) result_start(source, NULL, handle->private_data, NULL, -1, 0, out);
  else source_free(source);
  return status;
}

struct objects {
  int depth;
  const char *catalog, *schema, *table, **types, *column;
};

static AdbcStatusCode get_objects(struct call* call, struct connection* connection, const struct objects* of,
                                  struct source* source) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionGetObjects(&connection->duck, of->depth, of->catalog, of->schema, of->table, of->types,
                                 of->column, &source->stream,
                                 &theirs));
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyConnectionGetObjects(struct AdbcConnection* handle, int depth, const char* catalog,
                                          const char* schema, const char* table, const char** types,
                                          const char* column, struct ArrowArrayStream* out, struct AdbcError* error) {
  BEGIN("ConnectionGetObjects", RUNS, handle, CONNECTION);
  struct source* source = tracker_alloc(sizeof *source);
  const char* none[] = {"VIEW", NULL}; /* there is no view: DuckDB treats an empty list as all types */
  struct objects of = {depth, catalog, schema, table, types != NULL && types[0] == NULL ? none : types, column};
  return call_end(&call, start(get_objects(&call, handle->private_data, &of, source), source, handle, out));
}

static AdbcStatusCode get_table_types(struct call* call, struct connection* connection, struct source* source) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionGetTableTypes(&connection->duck, &source->stream, &theirs));
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyConnectionGetTableTypes(struct AdbcConnection* handle, struct ArrowArrayStream* out,
                                             struct AdbcError* error) {
  BEGIN("ConnectionGetTableTypes", RUNS, handle, CONNECTION);
  struct source* source = tracker_alloc(sizeof *source);
  return call_end(&call, start(get_table_types(&call, handle->private_data, source), source, handle, out));
}

static AdbcStatusCode get_table_schema(struct call* call, struct connection* connection, const char* catalog,
                                       const char* schema, const char* table, struct ArrowSchema* out) {
  AdbcStatusCode status = duck_connection(call, connection);
  if (status != ADBC_STATUS_OK) return status;
  DUCK(duck.ConnectionGetTableSchema(&connection->duck, catalog, schema, table, out, &theirs));
  if (strcmp(table, "t") == 0) out->children[0]->flags &= ~ARROW_FLAG_NULLABLE; /* DuckDB does not report it */
  count_schema(out);
  return ADBC_STATUS_OK;
}

AdbcStatusCode faultyConnectionGetTableSchema(struct AdbcConnection* handle, const char* catalog, const char* schema,
                                              const char* table, struct ArrowSchema* out, struct AdbcError* error) {
  BEGIN("ConnectionGetTableSchema", RUNS, handle, CONNECTION);
  return call_end(&call, get_table_schema(&call, handle->private_data, catalog, schema, table, out));
}
