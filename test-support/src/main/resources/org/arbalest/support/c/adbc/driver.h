/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thin ADBC driver: DuckDB's, with faults. Each call passes through faults.c, which counts it, makes it fail or holds
 * it, as a test planned, and through calls.c, which checks that adbc.h permits it. DuckDB does the rest; features that
 * it lacks have fixed results.
 *
 * Included by: accessors.c adbc_driver_faulty.c bound.c calls.c connection.c draft.c duck.c errors.c faults.c foibles.c
 * metadata.c multi.c options.c partitions.c plain.c results.c statement.c table.c warnings.c
 */
#ifndef ARBALEST_ADBC_DRIVER_H
#define ARBALEST_ADBC_DRIVER_H

#include <pthread.h>

#include "adbc.h"
#include "adbc_draft.h"
#include "peer/tracker.h"

#define EXPORT __attribute__((visibility("default")))

/* Kinds of the counters. */
#define ERROR (TRACKER_OTHERS + 0)
#define DRIVER (TRACKER_OTHERS + 1)
#define DATABASE (TRACKER_OTHERS + 2)
#define CONNECTION (TRACKER_OTHERS + 3)
#define STATEMENT (TRACKER_OTHERS + 4)
#define PARTITIONS (TRACKER_OTHERS + 5)
#define RESULT (TRACKER_OTHERS + 6)
#define MULTI (TRACKER_OTHERS + 7)

/* The form of errors: bits. */
#define STYLE_NO_MESSAGE 0x1        /* message is NULL */
#define STYLE_FOREIGN 0x2           /* message and release come from another library, see faulty_foreign */
#define STYLE_VENDOR_CODE 0x4       /* vendor_code is a code, although the caller has space for details */
#define STYLE_NO_SQLSTATE 0x8
#define STYLE_NO_DETAILS 0x10
#define STYLE_NOT_UTF8 0x20         /* a byte of the message is 0xFF */
#define STYLE_LONG 0x40             /* 64 KiB of message */
#define STYLE_NO_LAST_ERROR 0x80    /* get_last_error of a stream returns NULL */
#define STYLE_NO_STREAM_ERROR 0x100 /* ErrorFromArrayStream returns NULL */
#define STYLE_ODD_DETAIL 0x200      /* the second detail has -1 bytes */

/* Settings of faulty_set, all 0 after a reset. */
enum setting { STYLE, INIT, THREADS, BIND_ON_THREAD, BINDINGS_END, OPTIONS_QUERY, CANCEL_ABORTS, ONE_COPY, WARNINGS,
               NULL_WARNING, PG_BOUND, SQLITE_BOUND, SETTINGS };

/* THREADS: the unit that only one thread may use at a time. */
enum { THREADS_OBJECT, THREADS_CONNECTION, THREADS_ANY };

/* INIT: the behaviour of entry points, see the enum class Init of the Kotlin class. */
enum { INIT_NORMAL, INIT_OLD, INIT_REFUSES, INIT_FAILS, INIT_SILENT, INIT_ODD_STATUS, INIT_EMPTY, INIT_IGNORES_VERSION,
       INIT_ODD_VERSION, INIT_FAILS_LATE, INIT_1_1_0 };

#define ENTRY(name, mode)                                                         \
  EXPORT AdbcStatusCode name(int version, void* driver, struct AdbcError* error); \
  AdbcStatusCode name(int version, void* driver, struct AdbcError* error) {       \
    return driver_init(#name, mode, version, driver, error);                      \
  }

#pragma GCC visibility push(hidden)

#define PROTOTYPE(result, name, parameters) result faulty##name parameters;
ADBC_FUNCTIONS_1_0_0(PROTOTYPE)
ADBC_FUNCTIONS_1_1_0(PROTOTYPE)
ADBC_FUNCTIONS_1_2_0(PROTOTYPE)
AdbcStatusCode driver_init(const char* entry, int mode, int version, void* driver, struct AdbcError* error);

/* ---- faults.c ---- */

struct fault {
  int code; /* 0, or the code of the failure: a status, or an errno for a stream's function */
  int gone; /* whether the server is gone */
};

/* Counts a call and returns its fault. Before that, the call may wait at the gate, until *cancelled is not 0. */
struct fault fault_of(const char* function, const int* cancelled, int is_release);
int setting(enum setting which);
int is_missing(const char* member);
void entered(const char* entry, int version);
void (*foreign_filler(void))(void);

/* One lock for the gate and for the state of running calls, cancellations and counters. */
void state_lock(void);
void state_unlock(void);
int gate_wait_cancelled(const int* cancelled); /* waits until the gate opens, or *cancelled; 1: it was cancelled */
void state_moved(void);                        /* threads at the gate check again whether they are cancelled */

/* The threads in an object. */
struct guard {
  pthread_t thread; /* the first of the threads that exclude each other */
  int exclusive, inside;
};
/* Returns whether another thread was in the object. is_rule: that counts as a race. is_connection: as an overlap of a
   connection's calls. */
int guard_enter(struct guard* guard, int shared, int is_rule, int is_connection, const char* what);
int guard_leave(struct guard* guard, int shared); /* returns the number of calls that are still in it */
void calls_count(int more);                       /* a call that is in no object yet began, or it ended: -1 */

/* ---- errors.c ---- */

void error_set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message);
/* An error that a stream owns; only the stream may release it. */
void error_set_owned(struct AdbcError* error, const char* function, const char* sqlstate, const char* message);
void error_drop_owned(struct AdbcError* error);

/* ---- calls.c: the beginning and the end of a call ---- */

enum option_kind { NONE, TEXT, BYTES, INTEGER, NUMBER };

struct option {
  struct option* next;
  char* key;
  enum option_kind kind;
  char* bytes; /* of a text or of bytes, followed by a zero */
  size_t size;
  int64_t integer;
  double number;
};

struct handle {
  struct record head;
  struct guard guard;
  struct option* options; /* guarded by the state's lock */
  int ready;              /* Init was called */
};

/* The target of a cancel; guarded by the state's lock. */
struct activity {
  int running, cancelled;
  struct AdbcStatement* inner; /* the statement that DuckDB executes */
};

struct database {
  struct handle handle;
  int connections;
  int changed; /* bits; 1: it may have changed, the hub cannot be used again unchanged; 2: the hub cannot be used again */
  pthread_mutex_t lock; /* for the hub */
  struct hub* hub;      /* of DuckDB, opened at first use */
};

struct connection {
  struct handle handle;
  struct database* database;
  int statements, streams; /* guarded by the state's lock */
  struct activity activity;
  struct result* metadata; /* the connection's own open stream */
  struct result* copy;     /* ONE_COPY: the result whose rows the server sends, guarded by the state's lock */
  int manual, read_only, aborted;
  int duck_manual;     /* DuckDB's autocommit is off */
  int own;             /* PG_BOUND: a transaction that the driver or BEGIN began */
  int is_begun;        /* SQLITE_BOUND: a transaction that the driver or BEGIN began */
  int writers;         /* SQLITE_BOUND: the open results of statements that write, guarded by the state's lock */
  int utc, utc_before; /* PG_BOUND: whether the session's zone is UTC; before the last execution */
  int active, was_active, begun; /* PG_BOUND: after a COPY; before this call; autocommit is off, and BEGIN was sent */
  AdbcWarningHandler handler;
  void* user_data; /* of the handler */
  struct AdbcConnection duck; /* opened at first use */
};

/* The bound data: an array with its schema, or a stream; nothing if neither has a release. */
struct binding {
  struct ArrowArray array;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
};

struct statement {
  struct handle handle;
  struct connection* connection;
  struct activity activity;
  struct result* result; /* the open one, guarded by the state's lock */
  char* sql;             /* NULL: none */
  char* requested;       /* the columns of the requested schema; NULL: none */
  int ingests, prepared, next_partition;
  int multis, asyncs;    /* result sets; running async executions, guarded by the state's lock */
  struct binding binding;
};

struct call {
  const char* name;
  struct AdbcError* error;
  AdbcStatusCode status; /* the reason why the call is not permitted */
  int shared, is_new;
  struct handle* in[2]; /* the handles whose guards it holds */
  struct activity* activity;
};

#define SHARED 1  /* from any thread at any time */
#define RELEASE 2 /* even if the server is gone */
#define EARLY 4   /* before Init as well */
#define RUNS 8    /* a cancel can stop it */
#define ENDS 16   /* ends a transaction, also an aborted one */

/* 1 if the call may continue; otherwise it is over, and status and error have the reason. */
int call_begin(struct call* call, const char* name, int flags, void* private_data, int kind, struct AdbcError* error);
/* of a function that makes a handle */
int call_new(struct call* call, const char* name, void* private_data, struct AdbcError* error);
int call_also(struct call* call, struct handle* handle); /* the call is in another object as well */
AdbcStatusCode call_fail(struct call* call, AdbcStatusCode status, const char* sqlstate, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
AdbcStatusCode call_end(struct call* call, AdbcStatusCode status);
int call_cancelled(struct call* call);
int call_ends_transaction(const char* sql); /* PG_BOUND: COMMIT or ROLLBACK */
AdbcStatusCode call_close(struct call* call, struct handle* handle); /* ends a release */

#define BEGIN(name, flags, handle, kind) \
  struct call call;                      \
  if (!call_begin(&call, name, flags, (handle)->private_data, kind, error)) return call.status
#define call_state(call, ...) call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", __VA_ARGS__)
#define PARTS "fake.partitions" /* an option of statements: the number of partitions */
#define USE_COPY "adbc.postgresql.use_copy" /* ONE_COPY, PG_BOUND: an option of statements */
#define BATCH_ROWS "adbc.sqlite.query.batch_rows" /* SQLITE_BOUND: an option of statements */
#define TRANSACTION_STATUS "adbc.postgresql.transaction_status" /* PG_BOUND: an option of connections */
#define ZONE "fake.zone" /* PG_BOUND: the session's zone, an option of connections that needs no query */

/* ---- options.c ---- */

void option_put(struct handle* handle, const char* key, struct option value); /* copies */
void option_put_text(struct handle* handle, const char* key, const char* text);
/* the caller frees its bytes */
struct option option_get(struct handle* handle, const char* key, enum option_kind kind);
int option_is(struct handle* handle, const char* key, const char* text);
void options_free(struct handle* handle);

/* Each sets an option that does not belong to the user: connection.c, statement.c. */
AdbcStatusCode connection_set(struct call* call, struct connection* connection, const char* key, struct option value);
AdbcStatusCode connection_ask(struct call* call, struct connection* connection, const char* key); /* by a query */
AdbcStatusCode statement_set(struct call* call, struct statement* statement, const char* key, struct option value);

/* ---- duck.c: DuckDB ---- */

extern struct AdbcDriver duck;

/* opens the connection's, if it is closed */
AdbcStatusCode duck_connection(struct call* call, struct connection* connection);
void duck_release(struct connection* connection);
void duck_close(struct hub* hub, int changed);
AdbcStatusCode duck_run(struct call* call, struct connection* connection, const char* sql);
AdbcStatusCode duck_failed(struct call* call, AdbcStatusCode status, struct AdbcError* theirs);
/* A DuckDB statement with this SQL. */
AdbcStatusCode duck_statement(struct call* call, struct connection* connection, const char* sql,
                              struct AdbcStatement* out);

#define DUCK(call_of_duck)                                                                     \
  do {                                                                                         \
    struct AdbcError theirs = {.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA};            \
    AdbcStatusCode duck_status = (call_of_duck);                                               \
    if (duck_status != ADBC_STATUS_OK) return duck_failed(call, duck_status, &theirs);         \
  } while (0)

/* ---- bound.c: the bound data ---- */

struct bound {
  struct ArrowSchema schema;
  struct ArrowArray* batches;
  int64_t n, rows;
  struct ArrowArrayStream stream; /* of the batches that are not read yet; released: of none */
  void* wrapped;                  /* SQLITE_BOUND: other dates */
};

void binding_drop(struct binding* binding);
/* Reads it to its end. *out is NULL if nothing is bound */
AdbcStatusCode bound_read(struct call* call, struct statement* statement, struct bound** out);
/* Likewise, but reads only the first batch. */
AdbcStatusCode bound_open(struct call* call, struct statement* statement, struct bound** out);
AdbcStatusCode bound_more(struct call* call, struct bound* bound); /* reads the next batch, if there is one */
void bound_free(struct bound* bound);
/* borrows from it */
void bound_row(struct bound* bound, int64_t row, struct ArrowArray* array, struct ArrowSchema* schema);
/* takes its batches */
void bound_stream(struct bound* bound, struct ArrowArrayStream* out);

/* ---- results.c ---- */

/* The batches of a result, one after another. */
struct source {
  struct source* next;
  struct ArrowArrayStream stream; /* released: no columns */
  struct AdbcStatement statement; /* of DuckDB, released after the stream; missing if private_data is NULL */
};

void source_free(struct source* source);
/* Executes SQL for a bound row; *out is NULL if there is no such row. */
typedef AdbcStatusCode (*next_row)(struct call* call, struct connection* connection, const char* sql,
                                   struct bound* bound, int64_t row, struct source** out, int64_t* rows);
/* A result of the sources and, with SQL, of the bound rows from the given one on: each is executed when it is pulled. */
void result_start_rows(struct source* source, struct bound* bound, const char* sql, int64_t row, next_row next,
                       struct statement* statement, struct ArrowArrayStream* out);
/* A result, which owns the sources and the bound data. `at`: before that batch it waits at the gate, or fails if
   is_failing. */
void result_start(struct source* source, struct bound* bound, struct connection* connection,
                  struct statement* statement, int64_t at, int is_failing, struct ArrowArrayStream* out);
void result_invalidate(struct statement* statement, const char* why);
/* returns whether there was any */
int result_cancel(struct connection* connection, struct activity* activity, struct result* const* open);
void count_schema(struct ArrowSchema* schema); /* counts it until it is released */
/* Likewise, and marks each column as nullable, as DuckDB does: a query with fixed results and its partitions agree. */
void count_result_schema(struct ArrowSchema* schema);

/* ---- statement.c ---- */

/* A result of SQL that belongs to the connection. */
AdbcStatusCode connection_query(struct call* call, struct connection* connection, const char* sql,
                                struct ArrowArrayStream* out);
AdbcStatusCode statement_schema(struct call* call, struct statement* statement, struct ArrowSchema* out);
/* The result of other SQL than the statement's, without rows if only_schema. */
AdbcStatusCode statement_execute(struct call* call, struct statement* statement, char* sql, int only_schema,
                                 struct ArrowArrayStream* out, int64_t* rows);
AdbcStatusCode statement_schema_of(struct call* call, struct statement* statement, char* sql, struct ArrowSchema* out);

/* ---- foibles.c: the behaviour of real drivers beside adbc.h ---- */

int foibles_nulls(const struct bound* bound); /* PG_BOUND: whether the query determines the type of a column */
void foibles_parameters(const char* sql, struct ArrowSchema* parameters);
/* Whether the next two apply. */
int foibles_zone(const struct bound* bound, const struct ArrowSchema* parameters);
AdbcStatusCode foibles_begin(struct call* call, struct connection* connection);
/* PG_BOUND: executes BEGIN, COMMIT, ROLLBACK and SET TIME ZONE, of the session. */
AdbcStatusCode foibles_sql(struct call* call, struct connection* connection, const char* sql, int* is_done);
/* PG_BOUND: an execution with autocommit off has succeeded. */
AdbcStatusCode foibles_executed(struct call* call, struct connection* connection);
/* PG_BOUND: the server has rejected a statement. */
void foibles_failed(struct connection* connection);
AdbcStatusCode foibles_end(struct call* call, struct connection* connection);
/* SQLITE_BOUND: the transaction of an ingestion begins, and ends without a failure. */
AdbcStatusCode foibles_ingest(struct call* call, struct connection* connection, int* begins);
AdbcStatusCode foibles_ingested(struct call* call, struct connection* connection);

/* ---- warnings.c ---- */

void warn(struct connection* connection); /* calls the warning handler as often as the test requested */

/* ---- partitions.c ---- */

void partitions_fill(const char* sql, int count, struct AdbcPartitions* out);

#pragma GCC visibility pop

#endif
