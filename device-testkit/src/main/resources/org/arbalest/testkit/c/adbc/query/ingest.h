/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bulk ingestion: what is bound becomes a table, or more of one (adbc.h, "Bulk Data Ingestion").
 *
 * Included by: adbc/execute.c adbc/statement.c ingest.c
 */
#ifndef ARBALEST_ADBC_INGEST_H
#define ARBALEST_ADBC_INGEST_H

#include "change.h"

#pragma GCC visibility push(hidden)

int ingest_mode_is(const char* mode);
AdbcStatusCode ingest_run(struct call* call, struct statement* statement, int64_t* rows);

#pragma GCC visibility pop

#endif
