/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is given back all at once: what a query is parsed into, the texts of rows.
 *
 * Included by: adbc/data/tables.h adbc/sql/tree.h arena.c options.h
 */
#ifndef ARBALEST_ADBC_ARENA_H
#define ARBALEST_ADBC_ARENA_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

struct arena {
  struct arena_block* blocks; /* NULL: empty; an arena needs no more than being zeroed */
};

void* arena_take(struct arena* arena, size_t size); /* zeroed, aligned to 16 */
char* arena_copy(struct arena* arena, const void* bytes, size_t size); /* a zero comes behind them */
char* arena_text(struct arena* arena, const char* text); /* NULL of NULL */
void arena_free(struct arena* arena);

#pragma GCC visibility pop

#endif
