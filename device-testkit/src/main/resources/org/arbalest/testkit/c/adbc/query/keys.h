/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a table's constraints say to more rows: NOT NULL, PRIMARY KEY and UNIQUE. Foreign keys and CHECK are told of, not held.
 *
 * Included by: change.c ingest.c keys.c
 */
#ifndef ARBALEST_ADBC_KEYS_H
#define ARBALEST_ADBC_KEYS_H

#include "adbc/core/handles.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

/* OK, or INTEGRITY with 23502 or 23505. */
AdbcStatusCode keys_check(struct call* call, const struct table* table, const struct rows* more);

#pragma GCC visibility pop

#endif
