/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression is, of which type, in which row.
 *
 * Included by: change.c select.c values.c
 */
#ifndef ARBALEST_ADBC_VALUES_H
#define ARBALEST_ADBC_VALUES_H

#include "bind.h"
#include "adbc/sql/sql.h"

#pragma GCC visibility push(hidden)

/* Where an expression stands. The definition, and with it the row, are NULL where there is no table; bound is NULL where nothing is. */
struct scope {
  const struct definition* definition;
  const struct cell* row;
  const struct bound* bound;
  const struct cell* parameters;
};

/* The format, "n" of what is not known; NULL, and an error, if there is no such column. */
const char* expr_format(struct call* call, const struct expr* expr, const struct scope* scope);
/* The value, which is of that format. Its bytes are the row's, the query's or the arena's. The status is OK unless a cast fails. */
AdbcStatusCode expr_value(struct call* call, const struct expr* expr, const struct scope* scope, struct arena* arena, struct cell* out);
/* Whether a row is one that a query is about, in *out. */
AdbcStatusCode query_matches(struct call* call, const struct query* query, const struct scope* scope, int* out);

#pragma GCC visibility pop

#endif
