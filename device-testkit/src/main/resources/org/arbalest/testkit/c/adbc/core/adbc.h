/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADBC 1.1.0 as a driver sees it: the structs, the table of functions, and the constants. Written from what apache/arrow-adbc's
 * c/include/arrow-adbc/adbc.h lays down, whose layouts and numbers are frozen; layout.c holds this one to them.
 *
 * A handle's memory is the caller's; private_data is the driver's, NULL while there is nothing. Whoever calls zeroes a handle, and an error, before.
 *
 * Included by: adbc/driver.h adbc/foreign.c errors.h layout.c options.c
 */
#ifndef ARBALEST_ADBC_H
#define ARBALEST_ADBC_H

#include <stddef.h>
#include <stdint.h>

#include "arbalest/arrow_abi.h"

typedef uint8_t AdbcStatusCode;

#define ADBC_STATUS_OK 0
#define ADBC_STATUS_UNKNOWN 1
#define ADBC_STATUS_NOT_IMPLEMENTED 2
#define ADBC_STATUS_NOT_FOUND 3
#define ADBC_STATUS_ALREADY_EXISTS 4
#define ADBC_STATUS_INVALID_ARGUMENT 5
#define ADBC_STATUS_INVALID_STATE 6
#define ADBC_STATUS_INVALID_DATA 7
#define ADBC_STATUS_INTEGRITY 8
#define ADBC_STATUS_INTERNAL 9
#define ADBC_STATUS_IO 10
#define ADBC_STATUS_CANCELLED 11
#define ADBC_STATUS_TIMEOUT 12
#define ADBC_STATUS_UNAUTHENTICATED 13
#define ADBC_STATUS_UNAUTHORIZED 14

#define ADBC_VERSION_1_0_0 1000000
#define ADBC_VERSION_1_1_0 1001000

/* In AdbcError.vendor_code, by the caller: the struct has the fields of 1.1.0. By the driver: they mean something. */
#define ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA INT32_MIN

#define ADBC_OPTION_VALUE_ENABLED "true"
#define ADBC_OPTION_VALUE_DISABLED "false"
#define ADBC_OPTION_URI "uri"
#define ADBC_OPTION_USERNAME "username"
#define ADBC_OPTION_PASSWORD "password"

#define ADBC_INFO_VENDOR_NAME 0
#define ADBC_INFO_VENDOR_VERSION 1
#define ADBC_INFO_VENDOR_ARROW_VERSION 2
#define ADBC_INFO_VENDOR_SQL 3
#define ADBC_INFO_VENDOR_SUBSTRAIT 4
#define ADBC_INFO_VENDOR_SUBSTRAIT_MIN_VERSION 5
#define ADBC_INFO_VENDOR_SUBSTRAIT_MAX_VERSION 6
#define ADBC_INFO_DRIVER_NAME 100
#define ADBC_INFO_DRIVER_VERSION 101
#define ADBC_INFO_DRIVER_ARROW_VERSION 102
#define ADBC_INFO_DRIVER_ADBC_VERSION 103

#define ADBC_OBJECT_DEPTH_ALL 0
#define ADBC_OBJECT_DEPTH_CATALOGS 1
#define ADBC_OBJECT_DEPTH_DB_SCHEMAS 2
#define ADBC_OBJECT_DEPTH_TABLES 3
#define ADBC_OBJECT_DEPTH_COLUMNS ADBC_OBJECT_DEPTH_ALL

#define ADBC_STATISTIC_AVERAGE_BYTE_WIDTH_KEY 0
#define ADBC_STATISTIC_DISTINCT_COUNT_KEY 1
#define ADBC_STATISTIC_MAX_BYTE_WIDTH_KEY 2
#define ADBC_STATISTIC_MAX_VALUE_KEY 3
#define ADBC_STATISTIC_MIN_VALUE_KEY 4
#define ADBC_STATISTIC_NULL_COUNT_KEY 5
#define ADBC_STATISTIC_ROW_COUNT_KEY 6

#define ADBC_CONNECTION_OPTION_AUTOCOMMIT "adbc.connection.autocommit"
#define ADBC_CONNECTION_OPTION_READ_ONLY "adbc.connection.readonly"
#define ADBC_CONNECTION_OPTION_CURRENT_CATALOG "adbc.connection.catalog"
#define ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA "adbc.connection.db_schema"
#define ADBC_CONNECTION_OPTION_ISOLATION_LEVEL "adbc.connection.transaction.isolation_level"
#define ADBC_OPTION_ISOLATION_LEVEL_DEFAULT "adbc.connection.transaction.isolation.default"
#define ADBC_OPTION_ISOLATION_LEVEL_READ_UNCOMMITTED "adbc.connection.transaction.isolation.read_uncommitted"
#define ADBC_OPTION_ISOLATION_LEVEL_READ_COMMITTED "adbc.connection.transaction.isolation.read_committed"
#define ADBC_OPTION_ISOLATION_LEVEL_REPEATABLE_READ "adbc.connection.transaction.isolation.repeatable_read"
#define ADBC_OPTION_ISOLATION_LEVEL_SNAPSHOT "adbc.connection.transaction.isolation.snapshot"
#define ADBC_OPTION_ISOLATION_LEVEL_SERIALIZABLE "adbc.connection.transaction.isolation.serializable"
#define ADBC_OPTION_ISOLATION_LEVEL_LINEARIZABLE "adbc.connection.transaction.isolation.linearizable"

#define ADBC_STATEMENT_OPTION_INCREMENTAL "adbc.statement.exec.incremental"
#define ADBC_STATEMENT_OPTION_PROGRESS "adbc.statement.exec.progress"
#define ADBC_STATEMENT_OPTION_MAX_PROGRESS "adbc.statement.exec.max_progress"

#define ADBC_INGEST_OPTION_TARGET_TABLE "adbc.ingest.target_table"
#define ADBC_INGEST_OPTION_TARGET_CATALOG "adbc.ingest.target_catalog"
#define ADBC_INGEST_OPTION_TARGET_DB_SCHEMA "adbc.ingest.target_db_schema"
#define ADBC_INGEST_OPTION_TEMPORARY "adbc.ingest.temporary"
#define ADBC_INGEST_OPTION_MODE "adbc.ingest.mode"
#define ADBC_INGEST_OPTION_MODE_CREATE "adbc.ingest.mode.create"
#define ADBC_INGEST_OPTION_MODE_APPEND "adbc.ingest.mode.append"
#define ADBC_INGEST_OPTION_MODE_REPLACE "adbc.ingest.mode.replace"
#define ADBC_INGEST_OPTION_MODE_CREATE_APPEND "adbc.ingest.mode.create_append"

struct AdbcError {
  char* message;       /* the driver's, until release; UTF-8, or NULL */
  int32_t vendor_code; /* see ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA */
  char sqlstate[5];    /* no zero at its end; five zeros if there is none */
  void (*release)(struct AdbcError* error);
  /* Only where vendor_code says so (1.1.0). */
  void* private_data;
  struct AdbcDriver* private_driver;
};

#define ADBC_ERROR_1_0_0_SIZE offsetof(struct AdbcError, private_data)
#define ADBC_ERROR_1_1_0_SIZE sizeof(struct AdbcError)

/* The driver's, until the error's release. */
struct AdbcErrorDetail {
  const char* key;
  const uint8_t* value;
  size_t value_length;
};

struct AdbcDatabase {
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcConnection {
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcStatement {
  void* private_data;
  struct AdbcDriver* private_driver;
};

struct AdbcPartitions {
  size_t num_partitions;
  const uint8_t** partitions;
  const size_t* partition_lengths;
  void* private_data;
  void (*release)(struct AdbcPartitions* partitions);
};

/* A driver's functions. 1.0.0 ends before ErrorGetDetailCount: what is behind it may be touched only if 1.1.0 was asked for. */
struct AdbcDriver {
  void* private_data;
  void* private_manager;
  AdbcStatusCode (*release)(struct AdbcDriver* driver, struct AdbcError* error);

  AdbcStatusCode (*DatabaseInit)(struct AdbcDatabase* database, struct AdbcError* error);
  AdbcStatusCode (*DatabaseNew)(struct AdbcDatabase* database, struct AdbcError* error);
  AdbcStatusCode (*DatabaseSetOption)(struct AdbcDatabase* database, const char* key, const char* value,
                                      struct AdbcError* error);
  AdbcStatusCode (*DatabaseRelease)(struct AdbcDatabase* database, struct AdbcError* error);
  AdbcStatusCode (*ConnectionCommit)(struct AdbcConnection* connection, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetInfo)(struct AdbcConnection* connection, const uint32_t* codes, size_t n_codes,
                                      struct ArrowArrayStream* out, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetObjects)(struct AdbcConnection* connection, int depth, const char* catalog,
                                         const char* schema, const char* table, const char** table_types,
                                         const char* column, struct ArrowArrayStream* out, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetTableSchema)(struct AdbcConnection* connection, const char* catalog, const char* schema,
                                             const char* table, struct ArrowSchema* out, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetTableTypes)(struct AdbcConnection* connection, struct ArrowArrayStream* out,
                                            struct AdbcError* error);
  AdbcStatusCode (*ConnectionInit)(struct AdbcConnection* connection, struct AdbcDatabase* database,
                                   struct AdbcError* error);
  AdbcStatusCode (*ConnectionNew)(struct AdbcConnection* connection, struct AdbcError* error);
  AdbcStatusCode (*ConnectionSetOption)(struct AdbcConnection* connection, const char* key, const char* value,
                                        struct AdbcError* error);
  AdbcStatusCode (*ConnectionReadPartition)(struct AdbcConnection* connection, const uint8_t* bytes, size_t size,
                                            struct ArrowArrayStream* out, struct AdbcError* error);
  AdbcStatusCode (*ConnectionRelease)(struct AdbcConnection* connection, struct AdbcError* error);
  AdbcStatusCode (*ConnectionRollback)(struct AdbcConnection* connection, struct AdbcError* error);
  AdbcStatusCode (*StatementBind)(struct AdbcStatement* statement, struct ArrowArray* values,
                                  struct ArrowSchema* schema, struct AdbcError* error);
  AdbcStatusCode (*StatementBindStream)(struct AdbcStatement* statement, struct ArrowArrayStream* values,
                                        struct AdbcError* error);
  AdbcStatusCode (*StatementExecuteQuery)(struct AdbcStatement* statement, struct ArrowArrayStream* out,
                                          int64_t* rows_affected, struct AdbcError* error);
  AdbcStatusCode (*StatementExecutePartitions)(struct AdbcStatement* statement, struct ArrowSchema* out,
                                               struct AdbcPartitions* partitions, int64_t* rows_affected,
                                               struct AdbcError* error);
  AdbcStatusCode (*StatementGetParameterSchema)(struct AdbcStatement* statement, struct ArrowSchema* out,
                                                struct AdbcError* error);
  AdbcStatusCode (*StatementNew)(struct AdbcConnection* connection, struct AdbcStatement* statement,
                                 struct AdbcError* error);
  AdbcStatusCode (*StatementPrepare)(struct AdbcStatement* statement, struct AdbcError* error);
  AdbcStatusCode (*StatementRelease)(struct AdbcStatement* statement, struct AdbcError* error);
  AdbcStatusCode (*StatementSetOption)(struct AdbcStatement* statement, const char* key, const char* value,
                                       struct AdbcError* error);
  AdbcStatusCode (*StatementSetSqlQuery)(struct AdbcStatement* statement, const char* sql, struct AdbcError* error);
  AdbcStatusCode (*StatementSetSubstraitPlan)(struct AdbcStatement* statement, const uint8_t* plan, size_t size,
                                              struct AdbcError* error);

  int (*ErrorGetDetailCount)(const struct AdbcError* error);
  struct AdbcErrorDetail (*ErrorGetDetail)(const struct AdbcError* error, int index);
  const struct AdbcError* (*ErrorFromArrayStream)(struct ArrowArrayStream* stream, AdbcStatusCode* status);

  AdbcStatusCode (*DatabaseGetOption)(struct AdbcDatabase* database, const char* key, char* value, size_t* size,
                                      struct AdbcError* error);
  AdbcStatusCode (*DatabaseGetOptionBytes)(struct AdbcDatabase* database, const char* key, uint8_t* value, size_t* size,
                                           struct AdbcError* error);
  AdbcStatusCode (*DatabaseGetOptionDouble)(struct AdbcDatabase* database, const char* key, double* value,
                                            struct AdbcError* error);
  AdbcStatusCode (*DatabaseGetOptionInt)(struct AdbcDatabase* database, const char* key, int64_t* value,
                                         struct AdbcError* error);
  AdbcStatusCode (*DatabaseSetOptionBytes)(struct AdbcDatabase* database, const char* key, const uint8_t* value,
                                           size_t size, struct AdbcError* error);
  AdbcStatusCode (*DatabaseSetOptionDouble)(struct AdbcDatabase* database, const char* key, double value,
                                            struct AdbcError* error);
  AdbcStatusCode (*DatabaseSetOptionInt)(struct AdbcDatabase* database, const char* key, int64_t value,
                                         struct AdbcError* error);
  AdbcStatusCode (*ConnectionCancel)(struct AdbcConnection* connection, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetOption)(struct AdbcConnection* connection, const char* key, char* value, size_t* size,
                                        struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetOptionBytes)(struct AdbcConnection* connection, const char* key, uint8_t* value,
                                             size_t* size, struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetOptionDouble)(struct AdbcConnection* connection, const char* key, double* value,
                                              struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetOptionInt)(struct AdbcConnection* connection, const char* key, int64_t* value,
                                           struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetStatistics)(struct AdbcConnection* connection, const char* catalog, const char* schema,
                                            const char* table, char approximate, struct ArrowArrayStream* out,
                                            struct AdbcError* error);
  AdbcStatusCode (*ConnectionGetStatisticNames)(struct AdbcConnection* connection, struct ArrowArrayStream* out,
                                                struct AdbcError* error);
  AdbcStatusCode (*ConnectionSetOptionBytes)(struct AdbcConnection* connection, const char* key, const uint8_t* value,
                                             size_t size, struct AdbcError* error);
  AdbcStatusCode (*ConnectionSetOptionDouble)(struct AdbcConnection* connection, const char* key, double value,
                                              struct AdbcError* error);
  AdbcStatusCode (*ConnectionSetOptionInt)(struct AdbcConnection* connection, const char* key, int64_t value,
                                           struct AdbcError* error);
  AdbcStatusCode (*StatementCancel)(struct AdbcStatement* statement, struct AdbcError* error);
  AdbcStatusCode (*StatementExecuteSchema)(struct AdbcStatement* statement, struct ArrowSchema* out,
                                           struct AdbcError* error);
  AdbcStatusCode (*StatementGetOption)(struct AdbcStatement* statement, const char* key, char* value, size_t* size,
                                       struct AdbcError* error);
  AdbcStatusCode (*StatementGetOptionBytes)(struct AdbcStatement* statement, const char* key, uint8_t* value,
                                            size_t* size, struct AdbcError* error);
  AdbcStatusCode (*StatementGetOptionDouble)(struct AdbcStatement* statement, const char* key, double* value,
                                             struct AdbcError* error);
  AdbcStatusCode (*StatementGetOptionInt)(struct AdbcStatement* statement, const char* key, int64_t* value,
                                          struct AdbcError* error);
  AdbcStatusCode (*StatementSetOptionBytes)(struct AdbcStatement* statement, const char* key, const uint8_t* value,
                                            size_t size, struct AdbcError* error);
  AdbcStatusCode (*StatementSetOptionDouble)(struct AdbcStatement* statement, const char* key, double value,
                                             struct AdbcError* error);
  AdbcStatusCode (*StatementSetOptionInt)(struct AdbcStatement* statement, const char* key, int64_t value,
                                          struct AdbcError* error);
};

#define ADBC_DRIVER_1_0_0_SIZE offsetof(struct AdbcDriver, ErrorGetDetailCount)
#define ADBC_DRIVER_1_1_0_SIZE sizeof(struct AdbcDriver)

typedef AdbcStatusCode AdbcDriverInitFunc(int version, void* driver, struct AdbcError* error);

#endif
