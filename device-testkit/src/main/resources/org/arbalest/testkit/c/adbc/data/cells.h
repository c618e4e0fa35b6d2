/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values: read out of arrays, compared, made another type's, written into columns.
 *
 * Included by: adbc/objects.c adbc/query/bind.c adbc/query/change.c adbc/query/ingest.c adbc/query/keys.c adbc/query/picked.c adbc/query/sample.c
 *   adbc/query/select.c adbc/query/values.c adbc/sql/ddl.c adbc/sql/lexer.c adbc/statistics.c cells.c
 */
#ifndef ARBALEST_ADBC_CELLS_H
#define ARBALEST_ADBC_CELLS_H

#include "arbalest/arrow_abi.h"

#include "tables.h"

#pragma GCC visibility push(hidden)

struct column;

/* The formats that a table's columns have; others are refused. */
int format_is_stored(const char* format);
int format_is_bytes(const char* format);
int format_is_float(const char* format);
/* The format of an SQL type's name, NULL if there is none such, and the name that a format is told as. */
const char* format_of_type(const char* type);
const char* type_of_format(const char* format);

/* Element i of an array of a stored format, its bytes copied into the arena. Refuses nothing: the format was asked for before. */
struct cell cell_read(const struct ArrowArray* array, const char* format, int64_t i, struct arena* arena);
void cell_write(struct cell cell, const char* format, struct column* column);
struct cell cell_copy(struct cell cell, const char* format, struct arena* arena);

struct cell cell_null(void);
struct cell cell_int(int64_t value);
struct cell cell_double(double value);
struct cell cell_text(const char* text, struct arena* arena);
double cell_number(struct cell cell, const char* format);

/* Whether two can be compared; below, at, or above 0. Neither is null. */
int cells_comparable(const char* one, const char* other);
int cells_compare(struct cell one, const char* format, struct cell other, const char* its);
/* A value as a column's: 0, or 1 of another kind, or 2 if it is out of its range. */
int cell_convert(struct cell* cell, const char* from, const char* to);

#pragma GCC visibility pop

#endif
