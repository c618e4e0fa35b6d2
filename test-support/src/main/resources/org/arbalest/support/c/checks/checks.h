/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers: sums of arrays and schemas, drained streams, and the C compiler's layout of the structs. For structs of any
 * owner.
 *
 * checksum.c and layout.c use no other file, drain.c uses checksum.c; all use peer/.
 *
 * Included by: checksum.h layout.c async/handler.c
 */
#ifndef ARBALEST_PEER_CHECKS_H
#define ARBALEST_PEER_CHECKS_H

#include "peer/peer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layout.c ---- */

const char* arbalest_layout(void); /* "Struct.field offset" and "Struct size" lines; static memory */

/* ---- checksum.c: arrays and schemas; these functions release and change nothing ---- */

/* The sum of an integer column, without nulls; a null struct makes its fields null. path is names joined by dots; or
   NULL for child `index`, or the array itself if that is -1. INT64_MIN: no such integer column. */
int64_t peer_consume_array(const struct ArrowArray* array, const struct ArrowSchema* schema, const char* path,
                           int64_t index);
/* A hash of all logical values in order: independent of offsets, padding, values beneath nulls, string layout and
   dictionary encoding. 0, and a violation, if it cannot read the array. */
int64_t peer_array_checksum(const struct ArrowArray* array, const struct ArrowSchema* schema);
/* A hash of format, name (NULL as ""), flags, metadata, children and dictionary. */
int64_t peer_schema_checksum(const struct ArrowSchema* schema);

/* ---- drain.c: streams, which it consumes ---- */

#define PEER_DRAIN_SCHEMA_OFTEN 0x1 /* get_schema after every chunk and at the end, compared with the first */
#define PEER_DRAIN_KEEP 0x2         /* chunks are read and released after the stream's release */
#define PEER_DRAIN_RACE 0x4         /* two threads pull without a lock; the error text is not queried */
#define PEER_DRAIN_TAKE_TURNS 0x8   /* two threads pull under a lock */
#define PEER_DRAIN_NO_RELEASE 0x10  /* the caller keeps the stream; otherwise it is released */

/* Slots of the result of peer_drain*_with. */
#define PEER_CODE 0             /* errno of the first failing call, or 0 */
#define PEER_BATCHES 1
#define PEER_ROWS 2
#define PEER_CHECKSUM 3         /* as if all chunks were one array; 0 with two threads or unreadable devices */
#define PEER_ROW_SUM 4          /* the sum of the rows' hashes, in any order */
#define PEER_SCHEMA_CALLS 5
#define PEER_SCHEMA_DIFFERS 6   /* later schemas that failed or differ from the first */
#define PEER_EXTRA_SAME 7       /* extra pulls that gave the same code (and, after the end, the end) */
#define PEER_EXTRA_OTHER 8      /* extra pulls that gave another result */
#define PEER_HAD_TEXT 9         /* 1 if get_last_error was not NULL */
#define PEER_TYPE_DIFFERS 10    /* device chunks whose type is not the stream's */
#define PEER_RESERVED_DIRTY 11  /* device chunks whose reserved is not zero */
#define PEER_CPU_ID_ODD 12      /* device chunks on CPU whose id is not -1 */
#define PEER_EVENTS 13          /* device chunks with a sync_event (the reader does not wait for it) */
#define PEER_ENDED 14           /* 1 if the end was reached */
#define PEER_RESULT_SLOTS 16

/* Consumes the stream and releases it. Outputs may be NULL; error gets the text, zero-terminated, or "". */
int32_t peer_drain_stream(struct ArrowArrayStream* stream, int64_t* batches, int64_t* rows, int64_t* checksum,
                          char* error, int64_t error_len);
int32_t peer_drain_device_stream(struct ArrowDeviceArrayStream* stream, int64_t* batches, int64_t* rows,
                                 int64_t* checksum, char* error, int64_t error_len);
/* The same with options: stop after stop_after chunks (-1: never), pull `extra` more times after an error or the end.
   result has PEER_RESULT_SLOTS slots. Returns result[PEER_CODE]. */
int32_t peer_drain_stream_with(struct ArrowArrayStream* stream, int32_t flags, int64_t stop_after, int64_t extra,
                               int64_t* result, char* error, int64_t error_len);
int32_t peer_drain_device_stream_with(struct ArrowDeviceArrayStream* stream, int32_t flags, int64_t stop_after,
                                      int64_t extra, int64_t* result, char* error, int64_t error_len);

#ifdef __cplusplus
}
#endif

#endif
