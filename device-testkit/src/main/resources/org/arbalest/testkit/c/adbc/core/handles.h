/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is behind a database, a connection and a statement, and how each call of theirs begins and ends: whether it may be made now, whether another thread
 * is in the same object, whether a test wants it to fail.
 *
 * Included by: accessors.h adbc/query/bind.h adbc/query/create.h adbc/query/keys.h adbc/query/results.h adbc/query/sample.h adbc/query/views.h handles.c
 */
#ifndef ARBALEST_ADBC_HANDLES_H
#define ARBALEST_ADBC_HANDLES_H

#include "errors.h"
#include "knobs.h"
#include "options.h"

#pragma GCC visibility push(hidden)

#define LEDGER_DRIVER (LEDGER_OTHERS + 1)
#define LEDGER_DATABASE (LEDGER_OTHERS + 2)
#define LEDGER_CONNECTION (LEDGER_OTHERS + 3)
#define LEDGER_STATEMENT (LEDGER_OTHERS + 4)
#define LEDGER_PARTITIONS (LEDGER_OTHERS + 5)

struct handle {
  struct record head;
  struct guard guard;
  struct options options;
  int ready; /* by its …Init */
};

/* What Cancel finds; under state_lock. */
struct activity {
  int running, cancelled;
};

struct database {
  struct handle handle;
  pthread_mutex_t lock; /* for what follows, but connections, which is under state_lock */
  struct catalog* catalog;
  int64_t changes; /* how often it was replaced */
  int connections;
};

struct connection {
  struct handle handle;
  struct database* database;
  int statements, streams; /* under state_lock */
  struct activity activity;
  struct result* metadata; /* the last stream of the connection's own, while it is open */
  int autocommit, read_only;
  struct catalog* temporary;     /* tables that nobody else sees */
  struct catalog *own, *earlier; /* in a transaction: what it sees, and the temporary tables before it */
  int64_t base;                  /* the database's changes when it began */
  int changed;
};

/* What is bound: an array with its schema, or a stream; none if neither has a release. */
struct binding {
  struct ArrowArray array;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
};

struct statement {
  struct handle handle;
  struct connection* connection;
  struct activity activity;
  struct result* result; /* that is open, under state_lock */
  struct query* query;   /* NULL: none is set */
  char* text;            /* of the query; for partitions */
  int ingests, prepared;
  struct binding binding;
  int next_partition; /* of an incremental execution */
  int64_t progress;   /* under state_lock */
};

/* A call of a driver's function. */
struct call {
  const char* name;
  struct AdbcError* error;
  AdbcStatusCode status; /* why it may not be made */
  int shared;
  struct handle* in[2]; /* whose guards it holds */
  struct activity* activity;
};

#define CALL_SHARED 1  /* from any thread at any time: gets of options */
#define CALL_RELEASE 2 /* even if the server is gone */
#define CALL_EARLY 4   /* before Init as well */
#define CALL_RUNS 8    /* can be cancelled */

/* 1 if the call may go on; otherwise its status and its error say why not, and it is over. */
int call_database(struct call* call, const char* name, int flags, struct AdbcDatabase* database, struct AdbcError* error);
int call_connection(struct call* call, const char* name, int flags, struct AdbcConnection* connection, struct AdbcError* error);
int call_statement(struct call* call, const char* name, int flags, struct AdbcStatement* statement, struct AdbcError* error);
/* The same for a function that makes a handle, whose memory must be zeroed. */
int call_new(struct call* call, const char* name, void* private_data, struct AdbcError* error);
/* Makes the call one in another object as well: 0 if that may not be. */
int call_also(struct call* call, struct handle* handle);

/* Sets the error and is the status. */
AdbcStatusCode call_fail(struct call* call, AdbcStatusCode status, const char* sqlstate, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
AdbcStatusCode call_end(struct call* call, AdbcStatusCode status);
int call_cancelled(struct call* call);
/* Ends a release, which leaves the handle first: whoever is in it still is a violation. */
AdbcStatusCode call_close(struct call* call, struct handle* handle);

void binding_drop(struct binding* binding);

#pragma GCC visibility pop

#endif
