/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of struct AdbcDriver as lists for macros: X(result, name, (parameters)).
 *
 * Included by: adbc.h layout.c
 */
#ifndef ARBALEST_ADBC_FUNCTIONS_H
#define ARBALEST_ADBC_FUNCTIONS_H

/* The functions for options that each kind of handle has. */
#define ADBC_GETTERS(X, Kind) \
  X(AdbcStatusCode, Kind##GetOption, (struct Adbc##Kind*, const char* key, char* value, size_t* size, \
    struct AdbcError*)) \
  X(AdbcStatusCode, Kind##GetOptionBytes, (struct Adbc##Kind*, const char* key, uint8_t* value, size_t* size, \
    struct AdbcError*)) \
  X(AdbcStatusCode, Kind##GetOptionDouble, (struct Adbc##Kind*, const char* key, double* value, struct AdbcError*)) \
  X(AdbcStatusCode, Kind##GetOptionInt, (struct Adbc##Kind*, const char* key, int64_t* value, struct AdbcError*))
#define ADBC_SETTERS(X, Kind) \
  X(AdbcStatusCode, Kind##SetOptionBytes, (struct Adbc##Kind*, const char* key, const uint8_t* value, \
    size_t size, struct AdbcError*)) \
  X(AdbcStatusCode, Kind##SetOptionDouble, (struct Adbc##Kind*, const char* key, double value, struct AdbcError*)) \
  X(AdbcStatusCode, Kind##SetOptionInt, (struct Adbc##Kind*, const char* key, int64_t value, struct AdbcError*))

/* A driver's functions, in the order of the table. */
#define ADBC_FUNCTIONS_1_0_0(X) \
  X(AdbcStatusCode, DatabaseInit, (struct AdbcDatabase*, struct AdbcError*)) \
  X(AdbcStatusCode, DatabaseNew, (struct AdbcDatabase*, struct AdbcError*)) \
  X(AdbcStatusCode, DatabaseSetOption, (struct AdbcDatabase*, const char* key, const char* value, struct AdbcError*)) \
  X(AdbcStatusCode, DatabaseRelease, (struct AdbcDatabase*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionCommit, (struct AdbcConnection*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionGetInfo, (struct AdbcConnection*, const uint32_t* codes, size_t n, \
    struct ArrowArrayStream* out, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionGetObjects, (struct AdbcConnection*, int depth, const char* catalog, const char* schema, \
    const char* table, const char** types, const char* column, struct ArrowArrayStream* out, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionGetTableSchema, (struct AdbcConnection*, const char* catalog, const char* schema, \
    const char* table, struct ArrowSchema* out, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionGetTableTypes, (struct AdbcConnection*, struct ArrowArrayStream* out, \
    struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionInit, (struct AdbcConnection*, struct AdbcDatabase*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionNew, (struct AdbcConnection*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionSetOption, (struct AdbcConnection*, const char* key, const char* value, \
    struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionReadPartition, (struct AdbcConnection*, const uint8_t* bytes, size_t size, \
    struct ArrowArrayStream* out, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionRelease, (struct AdbcConnection*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionRollback, (struct AdbcConnection*, struct AdbcError*)) \
  X(AdbcStatusCode, StatementBind, (struct AdbcStatement*, struct ArrowArray* values, struct ArrowSchema*, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementBindStream, (struct AdbcStatement*, struct ArrowArrayStream* values, struct AdbcError*)) \
  X(AdbcStatusCode, StatementExecuteQuery, (struct AdbcStatement*, struct ArrowArrayStream* out, int64_t* rows, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementExecutePartitions, (struct AdbcStatement*, struct ArrowSchema* out, \
    struct AdbcPartitions*, \
    int64_t* rows, struct AdbcError*)) \
  X(AdbcStatusCode, StatementGetParameterSchema, (struct AdbcStatement*, struct ArrowSchema* out, struct AdbcError*)) \
  X(AdbcStatusCode, StatementNew, (struct AdbcConnection*, struct AdbcStatement*, struct AdbcError*)) \
  X(AdbcStatusCode, StatementPrepare, (struct AdbcStatement*, struct AdbcError*)) \
  X(AdbcStatusCode, StatementRelease, (struct AdbcStatement*, struct AdbcError*)) \
  X(AdbcStatusCode, StatementSetOption, (struct AdbcStatement*, const char* key, const char* value, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementSetSqlQuery, (struct AdbcStatement*, const char* sql, struct AdbcError*)) \
  X(AdbcStatusCode, StatementSetSubstraitPlan, (struct AdbcStatement*, const uint8_t* plan, size_t size, \
    struct AdbcError*))

/* "the driver must not access the new fields" where the caller asked for 1.0.0 (struct AdbcDriver) */
#define ADBC_FUNCTIONS_1_1_0(X) \
  X(int, ErrorGetDetailCount, (const struct AdbcError*)) \
  X(struct AdbcErrorDetail, ErrorGetDetail, (const struct AdbcError*, int index)) \
  X(const struct AdbcError*, ErrorFromArrayStream, (struct ArrowArrayStream*, AdbcStatusCode*)) \
  ADBC_GETTERS(X, Database) ADBC_SETTERS(X, Database) \
  X(AdbcStatusCode, ConnectionCancel, (struct AdbcConnection*, struct AdbcError*)) \
  ADBC_GETTERS(X, Connection) \
  X(AdbcStatusCode, ConnectionGetStatistics, (struct AdbcConnection*, const char* catalog, const char* schema, \
    const char* table, char approximate, struct ArrowArrayStream* out, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionGetStatisticNames, (struct AdbcConnection*, struct ArrowArrayStream* out, \
    struct AdbcError*)) \
  ADBC_SETTERS(X, Connection) \
  X(AdbcStatusCode, StatementCancel, (struct AdbcStatement*, struct AdbcError*)) \
  X(AdbcStatusCode, StatementExecuteSchema, (struct AdbcStatement*, struct ArrowSchema* out, struct AdbcError*)) \
  ADBC_GETTERS(X, Statement) ADBC_SETTERS(X, Statement)

#endif
