/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ADBC 1.1.0 from a driver's view: the structs, the table of functions, and the constants. Written from
 * apache/arrow-adbc's c/include/arrow-adbc/adbc.h, whose layouts and numbers are frozen; layout.c checks this one.
 *
 * The caller owns a handle's memory. The driver owns private_data, which is NULL without an object. The caller zeroes
 * handles and errors.
 *
 * Included by: adbc_draft.h driver.h foreign.c
 */
#ifndef ARBALEST_ADBC_H
#define ARBALEST_ADBC_H

#include <stddef.h>
#include <stdint.h>

#include "arbalest/arrow_abi.h"
#include "functions.h"

typedef uint8_t AdbcStatusCode;

#define ADBC_STATUS_OK 0
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
#define ADBC_STATUS_UNAUTHENTICATED 13

#define ADBC_VERSION_1_0_0 1000000
#define ADBC_VERSION_1_1_0 1001000

/* In AdbcError.vendor_code, set by the caller: the struct has the fields of 1.1.0. Set by the driver: they have
   values. */
#define ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA INT32_MIN

#define ADBC_OPTION_VALUE_ENABLED "true"
#define ADBC_OPTION_VALUE_DISABLED "false"
#define ADBC_OPTION_URI "uri"
#define ADBC_OPTION_PASSWORD "password"

#define ADBC_CONNECTION_OPTION_AUTOCOMMIT "adbc.connection.autocommit"
#define ADBC_CONNECTION_OPTION_READ_ONLY "adbc.connection.readonly"
#define ADBC_CONNECTION_OPTION_CURRENT_CATALOG "adbc.connection.catalog"
#define ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA "adbc.connection.db_schema"
#define ADBC_CONNECTION_OPTION_ISOLATION_LEVEL "adbc.connection.transaction.isolation_level"

#define ADBC_STATEMENT_OPTION_INCREMENTAL "adbc.statement.exec.incremental"
#define ADBC_STATEMENT_OPTION_PROGRESS "adbc.statement.exec.progress"
#define ADBC_STATEMENT_OPTION_MAX_PROGRESS "adbc.statement.exec.max_progress"

#define ADBC_INGEST_OPTION_TARGET_TABLE "adbc.ingest.target_table"
#define ADBC_INGEST_OPTION_TARGET_CATALOG "adbc.ingest.target_catalog"
#define ADBC_INGEST_OPTION_TARGET_DB_SCHEMA "adbc.ingest.target_db_schema"
#define ADBC_INGEST_OPTION_TEMPORARY "adbc.ingest.temporary"
#define ADBC_INGEST_OPTION_MODE "adbc.ingest.mode"

struct AdbcError {
  char* message;       /* owned by the driver until release; UTF-8, or NULL */
  int32_t vendor_code; /* see ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA */
  char sqlstate[5];    /* without a zero at its end; five zeros if it is missing */
  void (*release)(struct AdbcError* error);
  /* Only if vendor_code says so (1.1.0). */
  void* private_data;
  struct AdbcDriver* private_driver;
};

#define ADBC_ERROR_1_0_0_SIZE offsetof(struct AdbcError, private_data)
#define ADBC_ERROR_1_1_0_SIZE sizeof(struct AdbcError)

/* Owned by the driver until the error's release. */
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

#define ADBC_MEMBER(result, name, parameters) result(*name) parameters;

struct AdbcDriver {
  void* private_data;
  void* private_manager;
  AdbcStatusCode (*release)(struct AdbcDriver* driver, struct AdbcError* error);
  ADBC_FUNCTIONS_1_0_0(ADBC_MEMBER)
  ADBC_FUNCTIONS_1_1_0(ADBC_MEMBER)
};

#define ADBC_DRIVER_1_0_0_SIZE offsetof(struct AdbcDriver, ErrorGetDetailCount)
#define ADBC_DRIVER_1_1_0_SIZE sizeof(struct AdbcDriver)

typedef AdbcStatusCode AdbcDriverInitFunc(int version, void* driver, struct AdbcError* error);

#endif
