/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that a query has picked, wherever they are, as a source of batches; and sources made of others: functions that make batches up, every n-th batch.
 *
 * Included by: adbc/partitions.c generated.c picked.c select.h
 */
#ifndef ARBALEST_ADBC_PICKED_H
#define ARBALEST_ADBC_PICKED_H

#include "results.h"
#include "adbc/sql/sql.h"

#pragma GCC visibility push(hidden)

struct picked;
struct picked* picked_new(int n, const struct field* fields, int64_t batch_rows); /* copies the fields */
void picked_hold(struct picked* picked, struct rows* rows); /* kept until the source is dropped; may be the same again */
void picked_add(struct picked* picked, const struct cell* row); /* of rows that are held */
int64_t picked_count(const struct picked* picked);
const struct cell* picked_row(const struct picked* picked, int64_t i);
/* Of the rows from `from` on, in the order of a column; nulls come first, or last. */
void picked_sort(struct picked* picked, int64_t from, int column, int descending, int nulls_last);
void picked_cut(struct picked* picked, int64_t count); /* drops rows behind so many */
struct source* picked_source(struct picked* picked); /* is the picked */

/* A function's source: batches, fails, waits; NULL if there is none such of so many arguments. */
struct source* generated_source(const char* function, const int64_t* arguments, int n);
/* The batches of another, taken over, whose number modulo `of` is `index`. */
struct source* source_part(struct source* source, int64_t index, int64_t of);

#pragma GCC visibility pop

#endif
