/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a statement is about to do: its query, read when it is needed, and its parameters.
 *
 * Included by: adbc/execute.c adbc/partitions.c adbc/statement.c queries.c
 */
#ifndef ARBALEST_ADBC_QUERIES_H
#define ARBALEST_ADBC_QUERIES_H

#include "bind.h"
#include "adbc/sql/sql.h"

#pragma GCC visibility push(hidden)

#define OPTION_BATCH_ROWS "double.batch_rows"
#define OPTION_PARTITIONS "double.partitions"

/* The query, which is the statement's; NULL, and an error in *status: INVALID_STATE if none is set, INVALID_ARGUMENT if it is no SQL. */
const struct query* query_of(struct call* call, struct statement* statement, AdbcStatusCode* status);
/* Another query, or none if the text is NULL. */
void query_set(struct statement* statement, const char* text, size_t size);
/* Reads what is bound, if the query has parameters, and sees whether it is as many. bound_free in any case. */
AdbcStatusCode query_bind(struct call* call, struct statement* statement, const struct query* query, struct bound* bound);
int64_t statement_number(struct statement* statement, const char* key);

#pragma GCC visibility pop

#endif
