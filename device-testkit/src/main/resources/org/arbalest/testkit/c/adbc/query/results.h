/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results: what a query or a call for metadata gives, batch by batch, as a C stream that can be cancelled, invalidated, held back and broken.
 *
 * Included by: adbc/functions.h adbc/metadata.h picked.h results.c
 */
#ifndef ARBALEST_ADBC_RESULTS_H
#define ARBALEST_ADBC_RESULTS_H

#include "adbc/data/columns.h"
#include "adbc/core/handles.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

/* Why there is no batch. */
struct problem {
  AdbcStatusCode status;
  int code; /* an errno */
  const char* sqlstate;
  char message[512];
};

/* Where batches come from. */
struct source {
  const struct shape* shape;
  /* 1 with a batch, 0 at the end, -1 with a problem. `cancelled` is for whoever waits. */
  int (*next)(struct source* source, struct ArrowArray* out, const int* cancelled, struct problem* problem);
  void (*drop)(struct source* source);
};

/* One batch, or none if `column` is NULL, which is taken over. */
struct source* source_once(const struct shape* shape, struct column* column);

/* The stream of a result, which takes the source over. statement is NULL for metadata. */
void result_start(struct source* source, struct connection* connection, struct statement* statement, struct ArrowArrayStream* out);
/* "This invalidates any prior result sets": the statement's open one gives no more. */
void result_invalidate(struct statement* statement, const char* why);
/* AdbcErrorFromArrayStream. */
const struct AdbcError* result_error(struct ArrowArrayStream* stream, AdbcStatusCode* status);
/* Cancels what runs, and the open result: 1 if there was anything. */
int result_cancel(struct activity* activity, struct result* const* open);

#pragma GCC visibility pop

#endif
