/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries that have a result: the result, its schema, and the schema of their parameters.
 *
 * Included by: adbc/execute.c adbc/partitions.c adbc/statement.c change.c ingest.c select.c
 */
#ifndef ARBALEST_ADBC_SELECT_H
#define ARBALEST_ADBC_SELECT_H

#include "bind.h"
#include "picked.h"
#include "views.h"

#pragma GCC visibility push(hidden)

/* The result. bound may be NULL; once for each of its rows, if there are parameters. *rows is how many there will be, -1 if that is not known. */
AdbcStatusCode select_open(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, int64_t batch_rows,
                           struct source** out, int64_t* rows);
AdbcStatusCode select_schema(struct call* call, struct connection* connection, const struct query* query, const struct bound* bound, struct ArrowSchema* out);
/* "The number, names, and types of the parameters" (AdbcStatementGetParameterSchema). */
AdbcStatusCode parameter_schema(struct call* call, struct connection* connection, const struct query* query, struct ArrowSchema* out);
AdbcStatusCode no_table(struct call* call, struct table_name name);

#pragma GCC visibility pop

#endif
