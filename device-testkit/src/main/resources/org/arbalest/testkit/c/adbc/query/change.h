/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries that change something: each is done in full or not at all.
 *
 * Included by: adbc/execute.c change.c ingest.h
 */
#ifndef ARBALEST_ADBC_CHANGE_H
#define ARBALEST_ADBC_CHANGE_H

#include "bind.h"
#include "views.h"

#pragma GCC visibility push(hidden)

/* CREATE, DROP, INSERT, DELETE; *rows is how many rows that was, -1 of the first two. bound may be NULL. */
AdbcStatusCode change_run(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, int64_t* rows);
/* OK if the connection may write. */
AdbcStatusCode change_allowed(struct call* call, struct connection* connection);

#pragma GCC visibility pop

#endif
