/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native side of the async device stream: a producer that drives any handler with the batches of peer_batch, and a
 * consumer whose handler any producer drives. Both check the other side closely.
 *
 * Its flavours, counters and gate are those of peer.h. A hang is a violation with a text, after a limit; the gate can
 * hold either side.
 *
 * Either side has three files. consumer.c and producer.c own a side's state: they create it, wait for it, and release
 * it. The others receive it: reader.c and driver.c call the other side, and the other side calls handler.c and
 * source.c. handler.c uses reader.c, driver.c uses source.c. All use metadata.c, and peer/ and checks/; the two sides
 * do not use each other.
 *
 * Included by: consumer.h producer.h adbc/draft.c
 */
#ifndef ARBALEST_PEER_ASYNC_H
#define ARBALEST_PEER_ASYNC_H

#include "arbalest/arrow_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- producer.c, source.c, driver.c: the producer ---- */

#define PEER_ASYNC_ERROR 0x1                 /* on_error(`code`) in place of task `at` */
#define PEER_ASYNC_ERROR_FIRST 0x2           /* on_error before on_schema */
#define PEER_ASYNC_MESSAGE_NULL 0x4          /* its message is NULL */
#define PEER_ASYNC_BAD_SCHEMA 0x8            /* the format of column name is "?!" */
#define PEER_ASYNC_BAD_STREAM_METADATA 0x10  /* additional_metadata has a count of -1 */
#define PEER_ASYNC_TASK_METADATA 0x20        /* every task has {"index": "<number>"}, unless bytes are given */
#define PEER_ASYNC_BAD_TASK_METADATA 0x40    /* the metadata of task `at` has a count of -1 */
#define PEER_ASYNC_V_LAYOUT 0x80             /* ArrowAsyncProducer of 48 bytes, as in the specification's text */
#define PEER_ASYNC_EXTRACT_FAILS 0x100       /* extract_data of task `at` fails with `code`; then on_error */
#define PEER_ASYNC_EXTRACT_ZERO 0x200        /* with EXTRACT_FAILS: it returns 0, and `out` is released */
#define PEER_ASYNC_EXTRACT_GARBAGE 0x400     /* with EXTRACT_FAILS: `out` is garbage, its release too */
#define PEER_ASYNC_EXTRACT_SILENT 0x800      /* with EXTRACT_FAILS: no on_error, the stream continues (bad) */
#define PEER_ASYNC_NO_END 0x1000             /* release without end or error after the last task (bad) */
#define PEER_ASYNC_LATE 0x2000               /* after cancel, up to `late` tasks of those it owed */
#define PEER_ASYNC_END_AFTER_CANCEL 0x4000   /* after cancel, the NULL task */
#define PEER_ASYNC_ERROR_AFTER_CANCEL 0x8000 /* after cancel, on_error(EINVAL), or the NULL task at the end (bad; Arrow C++) */
#define PEER_ASYNC_ERROR_AFTER_REFUSAL 0x10000 /* after a non-zero status, on_error(EINVAL), or the NULL task at the end (bad; Arrow C++) */
#define PEER_ASYNC_IGNORE_REFUSAL 0x20000    /* continues as if the status had been 0 (bad) */
#define PEER_ASYNC_REFUSED_STAYS 0x40000     /* the consumer must extract a refused task; it is not taken back */
#define PEER_ASYNC_GATE_SCHEMA 0x80000       /* waits at the gate before on_schema */
#define PEER_ASYNC_GATE_TASK 0x100000        /* … before task `at` */
#define PEER_ASYNC_GATE_END 0x200000         /* … before the NULL task or its absence, or its own on_error */
#define PEER_ASYNC_GATE_RELEASE 0x400000     /* … before release */
#define PEER_ASYNC_GATE_EXTRACT 0x800000     /* … in extract_data of task `at`, on the consumer's thread */
#define PEER_ASYNC_GATE_REQUEST 0x1000000    /* … in request number `at`, on the consumer's thread */
#define PEER_ASYNC_GONE_EARLY 0x2000000      /* the struct is gone once the source has ended or failed and all is extracted (Arrow C++) */
#define PEER_ASYNC_GONE_BEFORE_RELEASE 0x4000000 /* the struct is gone before release is called (arrow-go) */
#define PEER_ASYNC_WRAP_REQUESTS 0x8000000   /* n <= 0 is unlimited, not an error (Arrow C++) */
#define PEER_ASYNC_ON_CALLER 0x10000000      /* peer_async_produce is the thread, and returns after release (Arrow C++) */
#define PEER_ASYNC_NULL_CRASHES 0x20000000   /* extract_data(task, NULL) would crash: counted (arrow-go) */
#define PEER_ASYNC_REQUEST_QUEUE 0x40000000  /* request blocks when 5 are unread; after the end it would crash (arrow-go) */
#define PEER_ASYNC_CANCEL_ONCE 0x80000000LL  /* the second cancel would crash (arrow-go) */
#define PEER_ASYNC_END_ON_DEMAND 0x100000000LL /* the end and errors need demand (arrow-go) */
#define PEER_ASYNC_OVERSEND 0x200000000LL    /* sends without demand from task `at` on (bad) */
#define PEER_ASYNC_RELEASE_TWICE 0x400000000LL /* (bad) */
#define PEER_ASYNC_TASK_AFTER_END 0x800000000LL /* one more task after the NULL task (bad) */
#define PEER_ASYNC_SCHEMA_TWICE 0x1000000000LL /* (bad) */
#define PEER_ASYNC_NO_PRODUCER 0x2000000000LL /* handler.producer is NULL (bad) */
#define PEER_ASYNC_MANY_THREADS 0x4000000000LL /* every callback on a new pthread */
#define PEER_ASYNC_CONCURRENT 0x8000000000LL /* task `at` comes from two pthreads at once, as two tasks (bad) */
#define PEER_ASYNC_TOLERANT 0x10000000000LL  /* late calls of the consumer are counted, not violations */
#define PEER_ASYNC_STRICT 0x20000000000LL    /* calls after the NULL task or on_error has returned are violations too */
#define PEER_ASYNC_GONE_TRASHED 0x40000000000LL /* a struct that is gone has bytes 0xA5: a call through it crashes */
#define PEER_ASYNC_GONE_ZEROED 0x80000000000LL /* … are 0 */

/* From notes on the deployed peers; add EXTRACT_FAILS and so on. */
#define PEER_ASYNC_LIKE_ARROW_CPP                                                                           \
  (PEER_ASYNC_ERROR_AFTER_CANCEL | PEER_ASYNC_ERROR_AFTER_REFUSAL | PEER_ASYNC_GONE_EARLY |                  \
   PEER_ASYNC_EXTRACT_ZERO | PEER_ASYNC_WRAP_REQUESTS | PEER_ASYNC_ON_CALLER)
#define PEER_ASYNC_LIKE_ARROW_GO                                                                            \
  (PEER_ASYNC_NULL_CRASHES | PEER_ASYNC_REQUEST_QUEUE | PEER_ASYNC_CANCEL_ONCE | PEER_ASYNC_END_ON_DEMAND | \
   PEER_ASYNC_GONE_BEFORE_RELEASE)

/* Slots of 8 bytes. peer_async_producer copies bytes and texts. */
struct peer_async_options {
  int64_t flags;   /* PEER_ASYNC_… */
  int64_t batches; /* -1: endless */
  int64_t rows;
  int64_t at, code, late;
  int64_t flavour; /* PEER_SLICED, _UNALIGNED, _DIRTY_RESERVED; in batch `at` _BAD_…, _OTHER_DEVICE */
  int64_t device_id, device_type;
  const char* message; /* of on_error; NULL: a default message */
  const void* error_metadata;
  int64_t error_metadata_len;
  const void* stream_metadata;
  int64_t stream_metadata_len;
  const void* task_metadata; /* the same for every task */
  int64_t task_metadata_len;
};

/* Slots of peer_async_results. */
#define PEER_ASYNC_REQUESTS 0          /* calls of request, of any kind */
#define PEER_ASYNC_REQUESTED 1         /* the sum of the requests that counted, saturating */
#define PEER_ASYNC_CANCELS 2
#define PEER_ASYNC_SENT 3              /* tasks */
#define PEER_ASYNC_EXTRACTED 4         /* with an `out`, failures included */
#define PEER_ASYNC_DISCARDED 5         /* with NULL */
#define PEER_ASYNC_OUTSTANDING 6       /* tasks in neither state now */
#define PEER_ASYNC_SCHEMA_STATUS 7     /* the status that on_schema returned */
#define PEER_ASYNC_TASK_STATUS 8       /* the first non-zero status of on_next_task */
#define PEER_ASYNC_ERRORS 9            /* calls of on_error */
#define PEER_ASYNC_ENDED 10            /* NULL tasks sent */
#define PEER_ASYNC_RELEASED 11         /* releases that returned */
#define PEER_ASYNC_REQUESTS_CANCELLED 12 /* after cancel: no effect, by the rules */
#define PEER_ASYNC_REQUESTS_ENDED 13   /* after the NULL task or on_error was called */
#define PEER_ASYNC_REQUESTS_RELEASED 14 /* after release returned */
#define PEER_ASYNC_CANCELS_ENDED 15
#define PEER_ASYNC_CANCELS_RELEASED 16
#define PEER_ASYNC_GONE_CALLS 17       /* calls on a struct that is gone */
#define PEER_ASYNC_CRASHES 18          /* calls that would crash the library that this peer imitates */
#define PEER_ASYNC_NULL_EXTRACTS 19    /* with NULL_CRASHES: extract_data(task, NULL) */
#define PEER_ASYNC_EXTRACTED_INSIDE 20 /* extract_data calls inside a callback of this producer, on its thread */
#define PEER_ASYNC_EXTRACTED_OUTSIDE 21 /* the same on other threads */
#define PEER_ASYNC_REQUESTS_INSIDE 22  /* requests inside on_schema or on_next_task, on its thread */
#define PEER_ASYNC_BAD_REQUESTS 23     /* n <= 0 */
#define PEER_ASYNC_SECOND_EXTRACTS 24  /* second calls for one task */
#define PEER_ASYNC_TAKEN_BACK 25       /* refused tasks that the producer released itself */
#define PEER_ASYNC_BLOCKED_REQUESTS 26 /* requests that found the queue full */
#define PEER_ASYNC_DONE 27             /* 1 when the producer has finished */
#define PEER_ASYNC_ERROR_CODE 28       /* the code of the last on_error */
#define PEER_ASYNC_GONE 29             /* 1 when the struct is gone */
#define PEER_ASYNC_SCHEMA_KEPT 30      /* 1 if on_schema returned 0 and left the schema */
#define PEER_ASYNC_SLOTS 32

void* peer_async_producer(const struct peer_async_options* options); /* idle; the argument of every function below */
/* Drives the handler on a pthread; once per producer. With ON_CALLER it returns when the handler is released. */
void peer_async_produce(void* producer, struct ArrowAsyncDeviceStreamHandler* handler);
/* 0 once it is finished; ETIMEDOUT, a violation, if that takes longer. Negative: 30 seconds. */
int32_t peer_async_join(void* producer, int64_t timeout_ms);
void peer_async_results(void* producer, int64_t* slots);
void peer_async_stop(void* producer); /* ends it soon by a release without end or error, as if it had failed */
int32_t peer_async_close(void* producer, int64_t timeout_ms); /* joins, or stops it; `producer` is then invalid */

/* ---- consumer.c, reader.c, handler.c: the consumer ---- */

#define PEER_ACON_REQUEST_INSIDE 0x1   /* request(1) inside every on_next_task, not from its own thread */
#define PEER_ACON_REQUEST_LATER 0x2    /* the first request comes from its own thread, not inside on_schema */
#define PEER_ACON_REQUEST_BEFORE 0x4   /* its thread requests before it extracts; otherwise after the release */
#define PEER_ACON_NO_DEMAND 0x8        /* never requests; see peer_async_request */
#define PEER_ACON_REQUEST_BURSTS 0x10  /* the window as a series of request(1) */
#define PEER_ACON_REQUEST_MAX 0x20     /* request(INT64_MAX) twice in place of the window; none later */
#define PEER_ACON_REQUEST_ZERO 0x40    /* request(0) at task `at` (bad) */
#define PEER_ACON_REQUEST_NEGATIVE 0x80 /* request(-1) at task `at` (bad) */
#define PEER_ACON_LATE_REQUEST 0x100   /* requests also after end, error and release, while it drains (Arrow C++) */
#define PEER_ACON_REQUEST_CANCELLED 0x200 /* request(1) right after every cancel */
#define PEER_ACON_REFUSE_SCHEMA 0x400  /* on_schema returns `code`, and leaves the schema */
#define PEER_ACON_REFUSE_TAKING 0x800  /* with REFUSE_SCHEMA: takes the schema all the same */
#define PEER_ACON_LEAVE_SCHEMA 0x1000  /* on_schema returns 0 and leaves the schema (bad) */
#define PEER_ACON_REFUSE_TASK 0x2000   /* on_next_task for task `at` returns `code`, and leaves the task */
#define PEER_ACON_REFUSE_END 0x4000    /* on_next_task(NULL) returns `code` */
#define PEER_ACON_CANCEL_SCHEMA 0x8000 /* cancels inside on_schema, after its request */
#define PEER_ACON_CANCEL_INSIDE 0x10000 /* cancels inside on_next_task for task `at` */
#define PEER_ACON_CANCEL_OUTSIDE 0x20000 /* cancels from its own thread when it takes task `at` */
#define PEER_ACON_CANCEL_TWICE 0x40000 /* every cancel comes twice */
#define PEER_ACON_CANCEL_RACE 0x80000  /* every cancel comes from two threads at once */
#define PEER_ACON_EXTRACT_INSIDE 0x100000 /* extracts inside on_next_task, and requests there too */
#define PEER_ACON_EXTRACT_NEWEST 0x200000 /* takes the newest of the queued tasks first */
#define PEER_ACON_EXTRACT_TWICE 0x400000 /* extracts task `at` twice (bad), and expects non-zero */
#define PEER_ACON_EXTRACT_RELEASED 0x800000 /* begins with its tasks after release only */
#define PEER_ACON_DROP_ON_ERROR 0x1000000 /* tasks queued at an error are not extracted (bad; Arrow C++) */
#define PEER_ACON_DROP_ON_CANCEL 0x2000000 /* tasks queued at a cancel of its own are not extracted (bad; arrow-go) */
#define PEER_ACON_GATE_EXTRACT 0x4000000 /* its thread waits at the gate before it extracts task `at` */
#define PEER_ACON_GATE_INSIDE 0x8000000 /* on_next_task for task `at` waits at the gate */
#define PEER_ACON_GATE_REQUEST 0x10000000 /* its thread waits at the gate before its request for task `at` */
#define PEER_ACON_GATE_SCHEMA 0x20000000 /* on_schema waits at the gate, with the request made */
#define PEER_ACON_RELEASE_STAYS 0x40000000 /* handler.release is not set to NULL */
#define PEER_ACON_CHECK_TAIL 0x80000000LL /* checks: without metadata bytes 24 to 47 of the producer are 0, else 32 to 47 */
#define PEER_ACON_V_LAYOUT 0x100000000LL /* reads additional_metadata at offset 32 */
#define PEER_ACON_TOLERANT 0x200000000LL /* errors of Arrow C++ and arrow-go are counted, not violations */

#define PEER_ASYNC_CONSUMER_LIKE_ARROW_CPP \
  (PEER_ACON_REQUEST_BEFORE | PEER_ACON_LATE_REQUEST | PEER_ACON_DROP_ON_ERROR | PEER_ACON_RELEASE_STAYS)
#define PEER_ASYNC_CONSUMER_LIKE_ARROW_GO \
  (PEER_ACON_REQUEST_BEFORE | PEER_ACON_LATE_REQUEST | PEER_ACON_DROP_ON_CANCEL | PEER_ACON_RELEASE_STAYS)

struct peer_async_consumer_options {
  int64_t flags;         /* PEER_ACON_… */
  int64_t window;        /* tasks requested at the start, and kept requested */
  int64_t at, code;
  int64_t discard_every; /* 1 discards every task, k every k-th from the k-th on; 0 none */
  int64_t threads;       /* its own threads, which extract; 0 counts as 1 */
};

/* Slots of peer_async_consumer_results. */
#define PEER_ACON_SCHEMAS 0           /* calls of on_schema */
#define PEER_ACON_TASKS 1             /* on_next_task with a task */
#define PEER_ACON_ENDS 2              /* on_next_task with NULL */
#define PEER_ACON_ERRORS 3            /* on_error */
#define PEER_ACON_RELEASES 4          /* the code of the first on_error */
#define PEER_ACON_CODE 5              /* of the first on_error */
#define PEER_ACON_BATCHES 6           /* extracted and read */
#define PEER_ACON_ROWS 7
#define PEER_ACON_CHECKSUM 8          /* as one array, if extracted in order by one thread; 0 otherwise */
#define PEER_ACON_ROW_SUM 9           /* the sum of the rows' hashes, in any order */
#define PEER_ACON_DISCARDED 10
#define PEER_ACON_EXTRACT_CODE 11     /* the first non-zero code of extract_data */
#define PEER_ACON_EXTRACT_FAILURES 12
#define PEER_ACON_EXTRACT_EMPTY 13    /* 0 with a released array */
#define PEER_ACON_DEVICE_TYPE 14      /* the producer's */
#define PEER_ACON_TYPE_DIFFERS 15     /* arrays of another type, which is a violation, too */
#define PEER_ACON_RESERVED_DIRTY 16
#define PEER_ACON_TASK_METADATA 17    /* tasks with metadata */
#define PEER_ACON_METADATA_HASH 18    /* over all task metadata, in order */
#define PEER_ACON_REQUESTED 19        /* saturating */
#define PEER_ACON_CANCELS 20
#define PEER_ACON_AFTER_CANCEL 21     /* tasks that came after the first cancel had returned */
#define PEER_ACON_DROPPED 22          /* tasks not extracted; see peer_async_extract_dropped */
#define PEER_ACON_THREADS_SEEN 23     /* the number of callbacks on another thread than the callback before */
#define PEER_ACON_REQUESTS 24         /* calls of request */
#define PEER_ACON_ERRORS_CANCELLED 25 /* on_error after cancel */
#define PEER_ACON_AFTER_REFUSAL 26    /* callbacks other than release after a non-zero status */
#define PEER_ACON_SCHEMA_HASH 27      /* peer_schema_checksum */
#define PEER_ACON_DONE 28             /* 1 once released and drained */
#define PEER_ACON_SLOTS 32

/* Bytes of peer_async_consumer_bytes. */
#define PEER_ACON_MESSAGE 0
#define PEER_ACON_ERROR_METADATA 1
#define PEER_ACON_STREAM_METADATA 2
#define PEER_ACON_LAST_METADATA 3 /* of the last task */

/* A handler, in memory of the peer; the argument of every function below. Valid until peer_async_consumer_close. */
struct ArrowAsyncDeviceStreamHandler* peer_async_handler(const struct peer_async_consumer_options* options);
/* 0 once it is released and its threads are done; ETIMEDOUT, a violation, otherwise. Negative: 30 seconds. */
int32_t peer_async_consumer_join(struct ArrowAsyncDeviceStreamHandler* handler, int64_t timeout_ms);
void peer_async_consumer_results(struct ArrowAsyncDeviceStreamHandler* handler, int64_t* slots);
/* The length, -1 if missing, -2 for malformed metadata; up to len bytes of it go to out. */
int64_t peer_async_consumer_bytes(struct ArrowAsyncDeviceStreamHandler* handler, int32_t which, void* out, int64_t len);
/* Calls on the calling thread, in any state. Only between on_schema and release. */
void peer_async_request(struct ArrowAsyncDeviceStreamHandler* handler, int64_t n);
void peer_async_cancel(struct ArrowAsyncDeviceStreamHandler* handler);
int64_t peer_async_extract_dropped(struct ArrowAsyncDeviceStreamHandler* handler); /* with NULL; returns their number */
/* Joins, unless no callback was ever called, and releases the handler. Late calls of it are still detected. */
int32_t peer_async_consumer_close(struct ArrowAsyncDeviceStreamHandler* handler, int64_t timeout_ms);

#ifdef __cplusplus
}
#endif

#endif
