/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native side of the Arrow C interfaces: a C program for tests that call it through FFM.
 *
 * As a producer it makes valid and invalid structs, and checks how they are used. As a consumer it uses the library's
 * structs like C programs do. The caller owns the memory of structs named `out` or `to`; the peer owns the memory that
 * they point to, until their release. No function may be called while peer_reset runs.
 *
 * The C peer has three folders, each of which includes only earlier ones: peer/ (this one: structs, streams, and
 * actions on them), checks/ (reading: checks.h), async/ (the async stream: async.h). In each folder, the header with
 * the folder's name is for callers, and the others are internal. In peer/ all files use tracker.c, which owns the
 * counters; streams.c also uses nodes.c, and threads.c uses moves.c. CSourcesSpec enforces this.
 *
 * Included by: checks/checks.h tracker.h moves.h nodes.c streams.c
 */
#ifndef ARBALEST_PEER_H
#define ARBALEST_PEER_H

#include "arbalest/arrow_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tracker.c: the counters and the gate ---- */

int64_t peer_live_allocations(void); /* blocks and records that are not freed, without quarantine */
int64_t peer_live_arrays(void);      /* arrays made here and not released, children and dictionaries included */
int64_t peer_live_schemas(void);     /* the same for schemas */
int64_t peer_live_streams(void);     /* the same for streams, device streams included */
int64_t peer_live_tasks(void);       /* tasks of async/ sent and neither extracted, discarded nor taken back */
int64_t peer_live_producers(void);   /* those of async/: not closed, still driving, or with tasks outstanding */
int64_t peer_live_handlers(void);    /* consumers of async/ that are not closed */
int64_t peer_release_calls(void);    /* calls of the peer's release functions, by any caller, also repeated */
int64_t peer_double_releases(void);  /* calls for a struct that was already released; they had no other effect */
int64_t peer_violations(void);       /* broken rules, see peer_violation_text; without double releases */
const char* peer_violation_text(void); /* the first violation, or ""; valid until peer_reset */
/* Calls on all streams since peer_reset: 0 get_schema, 1 get_next, 2 get_last_error, 3 release. */
int64_t peer_stream_calls(int32_t which);
void peer_reset(void); /* sets the counters to 0 (not the live ones), shuts the gate, frees the quarantine */

void peer_gate_open(void);       /* lets all threads at the gate through, until it is shut */
void peer_gate_shut(void);       /* at the start the gate is shut */
int64_t peer_gate_waiting(void); /* threads that wait there now */

/* ---- nodes.c: schemas and arrays, well-formed or not ---- */

/* Fills `out` and copies the arguments; format, name and metadata may be NULL. Children are blank (released) structs at
   out->children[i]; the same function fills them. */
void peer_schema_init(struct ArrowSchema* out, const char* format, const char* name, const void* metadata,
                      int64_t metadata_len, int64_t flags, int64_t n_children);
void peer_schema_set_dictionary(struct ArrowSchema* out); /* a blank struct at out->dictionary, to fill */
void peer_schema_null_children(struct ArrowSchema* out);  /* children = NULL, n_children kept: malformed */

/* Fills `out`. Buffers are NULL until set; children are blank structs as above. Negative counts stay in the struct,
   which is then malformed. A caller may overwrite fields: release does not read them. */
void peer_array_init(struct ArrowArray* out, int64_t length, int64_t null_count, int64_t offset,
                     int64_t n_buffers, int64_t n_children);
/* Copies len bytes to memory of exactly that size, which becomes buffer i; bytes NULL makes the buffer NULL. 0, or
   EINVAL if there is no buffer i. */
int32_t peer_array_set_buffer(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len);
int32_t peer_array_set_buffer_unaligned(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len);
/* The byte after the buffer cannot be read: a read beyond the end crashes. The length determines the address's
   alignment. */
int32_t peer_array_set_buffer_guarded(struct ArrowArray* out, int64_t i, const void* bytes, int64_t len);
/* A pointer that the peer does not own, such as a device address. Never freed here. */
int32_t peer_array_set_buffer_foreign(struct ArrowArray* out, int64_t i, const void* address);
void peer_array_set_dictionary(struct ArrowArray* out);
void peer_array_null_children(struct ArrowArray* out);
void peer_array_null_buffers(struct ArrowArray* out);

/* Moves `moved` into out->array. The caller keeps the event. */
void peer_device_array_wrap(struct ArrowDeviceArray* out, struct ArrowArray* moved, int64_t device_id,
                            int32_t device_type, void* sync_event, int32_t dirty_reserved);

/* ---- streams.c: streams of struct<id: int64, name: utf8 nullable> ---- */

#define PEER_FAIL 0x1           /* get_next number `at` (from 0) fails with `code`, and so do all later calls */
#define PEER_FAIL_ONCE 0x2      /* with PEER_FAIL: later calls continue as if it had not failed */
#define PEER_TEXT_NULL 0x4      /* get_last_error returns NULL */
#define PEER_TEXT_VOLATILE 0x8  /* the error text is overwritten with '#' at the next call */
#define PEER_FAIL_GARBAGE 0x10  /* a failing call fills `out` with garbage, its release too */
#define PEER_FAIL_SCHEMA 0x20   /* get_schema fails with `code` */
#define PEER_SCHEMA_ONCE 0x40   /* the second get_schema fails with `code` */
#define PEER_END_GARBAGE 0x80   /* at the end only release is written, the rest of `out` is garbage */
#define PEER_BAD_CHILDREN 0x100 /* batch `at` has n_children 1 */
#define PEER_BAD_BUFFERS 0x200  /* batch `at`: column name has n_buffers 2 */
#define PEER_BAD_OFFSETS 0x400  /* batch `at`: the last offset of column name is 1000 too high; only full validation detects it, peer_drain does not */
#define PEER_GATE 0x800         /* get_next number `at` waits at the gate */
#define PEER_SLICED 0x1000      /* offsets: 2 in the struct, 1 in id, 3 in name; the values stay the same */
#define PEER_OTHER_DEVICE 0x2000   /* device stream: chunk `at` has device_type + 1 */
#define PEER_DIRTY_RESERVED 0x4000 /* device stream: reserved is garbage in every chunk */
#define PEER_UNALIGNED 0x8000      /* every buffer is at an odd address */

/* `batches` batches of `rows` rows: id = batch * rows + row, name = "row-<id>", NULL where id % 7 is 6. */
void peer_stream(struct ArrowArrayStream* out, int64_t batches, int64_t rows, int32_t flavour, int64_t at,
                 int32_t code);
void peer_device_stream(struct ArrowDeviceArrayStream* out, int64_t batches, int64_t rows, int32_t flavour,
                        int64_t at, int32_t code, int64_t device_id, int32_t device_type);
/* One such batch and its schema, outside of a stream. PEER_SLICED, PEER_UNALIGNED and PEER_BAD_* apply. */
void peer_batch(struct ArrowArray* out, int64_t first_id, int64_t rows, int32_t flavour);
void peer_batch_schema(struct ArrowSchema* out);

/* ---- moves.c: moving, copying and releasing structs of any owner ---- */

#define PEER_ARRAY 0
#define PEER_SCHEMA 1
#define PEER_STREAM 2
#define PEER_DEVICE_ARRAY 3
#define PEER_DEVICE_STREAM 4

/* Each calls release on this thread, if it is not NULL; 1 if it called, 0 if release was NULL. */
int32_t peer_release(void* ptr, int32_t kind);
int32_t peer_release_array(struct ArrowArray* ptr);
int32_t peer_release_schema(struct ArrowSchema* ptr);
int32_t peer_release_stream(struct ArrowArrayStream* ptr);
int32_t peer_release_device_array(struct ArrowDeviceArray* ptr);
int32_t peer_release_device_stream(struct ArrowDeviceArrayStream* ptr);
/* Calls the struct's release function twice; 1 if release was NULL after the first call. */
int32_t peer_release_twice(void* ptr, int32_t kind);
/* Moves the struct to new memory, releases it there, and returns 1 if release was then NULL. */
int32_t peer_release_moved(void* ptr, int32_t kind);

void peer_move(void* from, void* to, int32_t kind);       /* copies the bytes and marks `from` as released */
void peer_copy(const void* from, void* to, int32_t kind); /* copies and marks neither: two owners, illegal */
void peer_move_array(struct ArrowArray* from, struct ArrowArray* to);
void peer_copy_array(const struct ArrowArray* from, struct ArrowArray* to);
void peer_move_schema(struct ArrowSchema* from, struct ArrowSchema* to);
/* Move a part out of its parent, which stays valid without it. */
void peer_move_child(struct ArrowArray* parent, int64_t i, struct ArrowArray* to);
void peer_move_dictionary(struct ArrowArray* parent, struct ArrowArray* to);
void peer_move_schema_child(struct ArrowSchema* parent, int64_t i, struct ArrowSchema* to);
void peer_move_schema_dictionary(struct ArrowSchema* parent, struct ArrowSchema* to);

/* ---- threads.c: releases on other threads ---- */

int32_t peer_release_on_thread(void* ptr, int32_t kind); /* peer_release on a new pthread; joins it */
/* Moves the struct to memory of the peer. A pthread releases it there: after delay_ms, or at the gate if that is
   negative. peer_join_all waits for all such threads. */
void peer_release_later(void* ptr, int32_t kind, int64_t delay_ms);
void peer_join_all(void);
/* Releases n structs from several pthreads at the same time, in random order; returns the number of releases. */
int64_t peer_release_many(void** ptrs, int64_t n, int32_t threads, int32_t kind);

#define PEER_EXIT_HERE 0   /* in an atexit handler, on the thread that exits */
#define PEER_EXIT_WAIT 1   /* on a pthread that such a handler wakes; the handler waits up to a second for it */
#define PEER_EXIT_RACE 2   /* on a pthread that such a handler wakes; the handler does not wait */
/* Moves the struct to memory of the peer and releases it while the process exits. */
void peer_exit_with_release(void* ptr, int32_t kind, int32_t mode);

#ifdef __cplusplus
}
#endif

#endif
