/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQL, read into the tree of tree.h, which says what the language is.
 *
 * Included by: adbc/partitions.c adbc/query/create.h adbc/query/picked.h adbc/query/queries.h adbc/query/sample.c adbc/query/values.h adbc/query/views.h
 *   sql.c
 */
#ifndef ARBALEST_ADBC_SQL_H
#define ARBALEST_ADBC_SQL_H

#include "tree.h"

#pragma GCC visibility push(hidden)

/* What a text says; or what is wrong with it, in `wrong`, and NULL. query_free frees it. */
struct query* query_parse(const char* text, char* wrong, size_t room);
void query_free(struct query* query); /* NULL is fine */

#pragma GCC visibility pop

#endif
