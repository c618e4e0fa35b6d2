/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client has bound, read to its end: parameters, or rows to be ingested.
 *
 * Included by: bind.c change.h queries.h select.h values.h
 */
#ifndef ARBALEST_ADBC_BIND_H
#define ARBALEST_ADBC_BIND_H

#include "adbc/core/handles.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

struct bound {
  struct arena arena;
  int n;
  struct field* fields;
  struct rows* rows;
};

int binding_is(const struct statement* statement);
/* Reads and releases what is bound. A type that tables lack is NOT_IMPLEMENTED; what the stream itself fails with is IO, with its text. bound_free even if it failed. */
AdbcStatusCode binding_read(struct call* call, struct statement* statement, struct bound* bound);
/* Its fields alone, which a stream is asked for. Nothing is released. */
AdbcStatusCode binding_fields(struct call* call, struct statement* statement, struct bound* bound);
void bound_free(struct bound* bound);

#pragma GCC visibility pop

#endif
