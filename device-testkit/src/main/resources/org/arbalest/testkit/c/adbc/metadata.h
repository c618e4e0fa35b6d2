/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the functions for metadata have in common: search patterns, and an order of tables.
 *
 * Included by: metadata.c objects.c statistics.c
 */
#ifndef ARBALEST_ADBC_METADATA_H
#define ARBALEST_ADBC_METADATA_H

#include "adbc/query/results.h"
#include "adbc/query/views.h"

#pragma GCC visibility push(hidden)

/* "%" is any text, "_" one letter, of UTF-8; no escapes (adbc.h, "Metadata"). */
int pattern_matches(const char* pattern, const char* text);
/* NULL: everything; "": only what has none; else a pattern. text NULL: there is none. */
int filter_matches(const char* filter, const char* text);

/* Place i of those that there are: a catalog and a schema; behind them, one with neither if there are temporary tables. 0: no more. */
int place_at(const struct view* view, int i, struct place* out);
/* Table i of a place whose name matches; NULL: no more. */
struct table* table_at(const struct view* view, struct place place, const char* filter, int i);

#pragma GCC visibility pop

#endif
