/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's functions, as adbc.h has them in struct AdbcDriver.
 *
 * Included by: connection.c database.c driver.c execute.c info.c objects.c partitions.c statement.c statistics.c
 */
#ifndef ARBALEST_ADBC_FUNCTIONS_H
#define ARBALEST_ADBC_FUNCTIONS_H

#include "adbc/query/results.h"

#pragma GCC visibility push(hidden)

/* ---- database.c ---- */

AdbcStatusCode database_init(struct AdbcDatabase* database, struct AdbcError* error);
AdbcStatusCode database_new(struct AdbcDatabase* database, struct AdbcError* error);
AdbcStatusCode database_set_option(struct AdbcDatabase* database, const char* key, const char* value, struct AdbcError* error);
AdbcStatusCode database_release(struct AdbcDatabase* database, struct AdbcError* error);
AdbcStatusCode database_get_option(struct AdbcDatabase* database, const char* key, char* value, size_t* size, struct AdbcError* error);
AdbcStatusCode database_get_option_bytes(struct AdbcDatabase* database, const char* key, uint8_t* value, size_t* size, struct AdbcError* error);
AdbcStatusCode database_get_option_double(struct AdbcDatabase* database, const char* key, double* value, struct AdbcError* error);
AdbcStatusCode database_get_option_int(struct AdbcDatabase* database, const char* key, int64_t* value, struct AdbcError* error);
AdbcStatusCode database_set_option_bytes(struct AdbcDatabase* database, const char* key, const uint8_t* value, size_t size, struct AdbcError* error);
AdbcStatusCode database_set_option_double(struct AdbcDatabase* database, const char* key, double value, struct AdbcError* error);
AdbcStatusCode database_set_option_int(struct AdbcDatabase* database, const char* key, int64_t value, struct AdbcError* error);

/* ---- connection.c ---- */

AdbcStatusCode connection_commit(struct AdbcConnection* connection, struct AdbcError* error);
AdbcStatusCode connection_init(struct AdbcConnection* connection, struct AdbcDatabase* database, struct AdbcError* error);
AdbcStatusCode connection_new(struct AdbcConnection* connection, struct AdbcError* error);
AdbcStatusCode connection_set_option(struct AdbcConnection* connection, const char* key, const char* value, struct AdbcError* error);
AdbcStatusCode connection_release(struct AdbcConnection* connection, struct AdbcError* error);
AdbcStatusCode connection_rollback(struct AdbcConnection* connection, struct AdbcError* error);
AdbcStatusCode connection_cancel(struct AdbcConnection* connection, struct AdbcError* error);
AdbcStatusCode connection_get_option(struct AdbcConnection* connection, const char* key, char* value, size_t* size, struct AdbcError* error);
AdbcStatusCode connection_get_option_bytes(struct AdbcConnection* connection, const char* key, uint8_t* value, size_t* size, struct AdbcError* error);
AdbcStatusCode connection_get_option_double(struct AdbcConnection* connection, const char* key, double* value, struct AdbcError* error);
AdbcStatusCode connection_get_option_int(struct AdbcConnection* connection, const char* key, int64_t* value, struct AdbcError* error);
AdbcStatusCode connection_set_option_bytes(struct AdbcConnection* connection, const char* key, const uint8_t* value, size_t size,
                                           struct AdbcError* error);
AdbcStatusCode connection_set_option_double(struct AdbcConnection* connection, const char* key, double value, struct AdbcError* error);
AdbcStatusCode connection_set_option_int(struct AdbcConnection* connection, const char* key, int64_t value, struct AdbcError* error);

/* ---- info.c ---- */

AdbcStatusCode connection_get_info(struct AdbcConnection* connection, const uint32_t* codes, size_t n_codes, struct ArrowArrayStream* out,
                                   struct AdbcError* error);

/* ---- objects.c ---- */

AdbcStatusCode connection_get_objects(struct AdbcConnection* connection, int depth, const char* catalog, const char* schema, const char* table,
                                      const char** table_types, const char* column, struct ArrowArrayStream* out, struct AdbcError* error);
AdbcStatusCode connection_get_table_schema(struct AdbcConnection* connection, const char* catalog, const char* schema, const char* table,
                                           struct ArrowSchema* out, struct AdbcError* error);
AdbcStatusCode connection_get_table_types(struct AdbcConnection* connection, struct ArrowArrayStream* out, struct AdbcError* error);

/* ---- statistics.c ---- */

AdbcStatusCode connection_get_statistics(struct AdbcConnection* connection, const char* catalog, const char* schema, const char* table,
                                         char approximate, struct ArrowArrayStream* out, struct AdbcError* error);
AdbcStatusCode connection_get_statistic_names(struct AdbcConnection* connection, struct ArrowArrayStream* out, struct AdbcError* error);

/* ---- statement.c ---- */

AdbcStatusCode statement_bind(struct AdbcStatement* statement, struct ArrowArray* values, struct ArrowSchema* schema, struct AdbcError* error);
AdbcStatusCode statement_bind_stream(struct AdbcStatement* statement, struct ArrowArrayStream* values, struct AdbcError* error);
AdbcStatusCode statement_get_parameter_schema(struct AdbcStatement* statement, struct ArrowSchema* out, struct AdbcError* error);
AdbcStatusCode statement_new(struct AdbcConnection* connection, struct AdbcStatement* statement, struct AdbcError* error);
AdbcStatusCode statement_prepare(struct AdbcStatement* statement, struct AdbcError* error);
AdbcStatusCode statement_release(struct AdbcStatement* statement, struct AdbcError* error);
AdbcStatusCode statement_set_option(struct AdbcStatement* statement, const char* key, const char* value, struct AdbcError* error);
AdbcStatusCode statement_set_sql_query(struct AdbcStatement* statement, const char* sql, struct AdbcError* error);
AdbcStatusCode statement_set_substrait_plan(struct AdbcStatement* statement, const uint8_t* plan, size_t size, struct AdbcError* error);
AdbcStatusCode statement_cancel(struct AdbcStatement* statement, struct AdbcError* error);
AdbcStatusCode statement_get_option(struct AdbcStatement* statement, const char* key, char* value, size_t* size, struct AdbcError* error);
AdbcStatusCode statement_get_option_bytes(struct AdbcStatement* statement, const char* key, uint8_t* value, size_t* size, struct AdbcError* error);
AdbcStatusCode statement_get_option_double(struct AdbcStatement* statement, const char* key, double* value, struct AdbcError* error);
AdbcStatusCode statement_get_option_int(struct AdbcStatement* statement, const char* key, int64_t* value, struct AdbcError* error);
AdbcStatusCode statement_set_option_bytes(struct AdbcStatement* statement, const char* key, const uint8_t* value, size_t size,
                                          struct AdbcError* error);
AdbcStatusCode statement_set_option_double(struct AdbcStatement* statement, const char* key, double value, struct AdbcError* error);
AdbcStatusCode statement_set_option_int(struct AdbcStatement* statement, const char* key, int64_t value, struct AdbcError* error);

/* ---- execute.c ---- */

AdbcStatusCode statement_execute_query(struct AdbcStatement* statement, struct ArrowArrayStream* out, int64_t* rows_affected,
                                       struct AdbcError* error);
AdbcStatusCode statement_execute_schema(struct AdbcStatement* statement, struct ArrowSchema* out, struct AdbcError* error);

/* ---- partitions.c ---- */

AdbcStatusCode connection_read_partition(struct AdbcConnection* connection, const uint8_t* bytes, size_t size, struct ArrowArrayStream* out,
                                         struct AdbcError* error);
AdbcStatusCode statement_execute_partitions(struct AdbcStatement* statement, struct ArrowSchema* out, struct AdbcPartitions* partitions,
                                            int64_t* rows_affected, struct AdbcError* error);

#pragma GCC visibility pop

#endif
