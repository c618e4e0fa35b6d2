/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The additions of ADBC 1.2.0's draft, from a driver's view. Written from the branch spec-1.2.0 of apache/arrow-adbc, of
 * August 2026; StatementExecuteQueryAsync from its pull request 3607. Neither is settled.
 *
 * Included by: driver.h layout.c
 */
#ifndef ARBALEST_ADBC_DRAFT_H
#define ARBALEST_ADBC_DRAFT_H

#include "adbc.h"

#define ADBC_VERSION_1_2_0 1002000

struct AdbcMultiResultSet {
  void* private_data;
  struct AdbcDriver* private_driver;
};

/* The warning belongs to the handler; its memory does not, after the handler returns. */
typedef void (*AdbcWarningHandler)(const struct AdbcError* warning, void* user_data);

#define ADBC_FUNCTIONS_1_2_0(X) \
  X(int, ErrorGetVendorCode, (const struct AdbcError*)) \
  X(AdbcStatusCode, MultiResultSetNext, (struct AdbcMultiResultSet*, struct ArrowArrayStream* out, int64_t* rows, \
    struct AdbcError*)) \
  X(AdbcStatusCode, MultiResultSetNextPartitions, (struct AdbcMultiResultSet*, struct ArrowSchema* out, \
    struct AdbcPartitions*, int64_t* rows, struct AdbcError*)) \
  X(AdbcStatusCode, MultiResultSetRelease, (struct AdbcMultiResultSet*, struct AdbcError*)) \
  X(AdbcStatusCode, ConnectionSetWarningHandler, (struct AdbcConnection*, AdbcWarningHandler, void* user_data, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementExecuteSchemaMulti, (struct AdbcStatement*, struct AdbcMultiResultSet* out, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementExecuteMulti, (struct AdbcStatement*, struct AdbcMultiResultSet* out, \
    struct AdbcError*)) \
  X(AdbcStatusCode, StatementRequestSchema, (struct AdbcStatement*, struct ArrowSchema*, struct AdbcError*))

/* The draft adds these members to struct AdbcDriver. */
struct AdbcDraftDriver {
  struct AdbcDriver of_1_1_0;
  ADBC_FUNCTIONS_1_2_0(ADBC_MEMBER)
};

#define ADBC_DRIVER_1_2_0_SIZE sizeof(struct AdbcDraftDriver)

#endif
