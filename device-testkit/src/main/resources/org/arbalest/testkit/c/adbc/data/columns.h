/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow arrays out of values that come one after another: a tree of columns, one for each field of a shape, and what it ends as. Nested types are filled
 * from the inside out: first the parts of an element, then the element.
 *
 * Included by: adbc/query/results.h cells.c columns.c
 */
#ifndef ARBALEST_ADBC_COLUMNS_H
#define ARBALEST_ADBC_COLUMNS_H

#include "arbalest/arrow_abi.h"

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* A field: a format of Arrow's, a name, whether it may be null, the fields below it. */
struct shape {
  const char* format;
  const char* name;
  int nullable;
  int n;
  const struct shape* parts;
};

#define PARTS(parts) (int)(sizeof(parts) / sizeof((parts)[0])), parts

void shape_schema(const struct shape* shape, struct ArrowSchema* out);
/* Bytes of a value: 0 of a bool, -1 where there is no fixed number of them, -2 of a format that is none of ours. */
int format_width(const char* format);
int format_is_wide(const char* format); /* whether offsets are of 64 bits */

struct column;
struct column* column_new(const struct shape* shape);
struct column* column_part(struct column* column, int i);

/* Each appends an element. */
void column_null(struct column* column); /* of a struct, to its parts too */
void column_int(struct column* column, int64_t value); /* bool, integers, dates, timestamps; an unsigned one by its bits */
void column_double(struct column* column, double value);
void column_bytes(struct column* column, const void* bytes, size_t size);
void column_text(struct column* column, const char* text); /* null of NULL */
void column_item(struct column* column); /* a struct whose parts have got theirs; a list or map of what its part got since the last one */
void column_pick(struct column* column, int part); /* of a dense union whose part has got it */

int64_t column_length(const struct column* column);
void column_finish(struct column* column, struct ArrowArray* out); /* frees the column */
void column_free(struct column* column);

#pragma GCC visibility pop

#endif
