/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The base of all files of the peer: counted memory, records that outlive their structs, counted calls, and the gate.
 *
 * Included by: adbc/driver.h async/metadata.h checks/checksum.c tracker.c nodes.c streams.c threads.c
 */
#ifndef ARBALEST_PEER_TRACKER_H
#define ARBALEST_PEER_TRACKER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "peer.h"

#pragma GCC visibility push(hidden)

/* Zeroed or copied memory of exactly `size` bytes. Never NULL: without memory the process ends. */
void* tracker_alloc(size_t size);
void tracker_free(void* block); /* NULL is permitted */
void tracker_count(int64_t blocks); /* blocks from another allocator */

/* The start of every private_data. It stays readable after release, until peer_reset. A second release, or a call on a
   released stream, is therefore detected and does not crash. */
struct record {
  atomic_int released;
  int kind;
  struct record* next;
};

/* Kinds in addition to those of peer.h. */
#define TRACKER_TASK 5
#define TRACKER_PRODUCER 6
#define TRACKER_HANDLER 7
#define TRACKER_OTHERS 8 /* from here on: kinds of a user of this file alone, adbc/ */
#define TRACKER_KINDS 16

void* tracker_open(size_t size, int kind);  /* a new zeroed record, live */
int tracker_close(struct record* record);   /* 1 for the first release; 0, counted, for any other */
int tracker_retire(struct record* record);  /* the same, but not counted as a call of a release function */
int64_t tracker_live(int kind);
void tracker_stream_call(int which);        /* as in peer_stream_calls */
void tracker_forget(void); /* zeroes the counters, not the live ones; the quarantine stays */
void tracker_violation(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Children and dictionaries are in slots. Releasing one in place, and not through its parent, is a violation. */
void* slot_new(void);
void slot_free(void* slot);
void slots_enter(void); /* this thread is inside a parent's release */
void slots_leave(void);
void slot_check(const void* self, const char* what);

void gate_wait(void);

#define HANG_MS 5000
void deadline(struct timespec* at, int64_t timeout_ms); /* of CLOCK_REALTIME; a negative timeout means HANG_MS */

#pragma GCC visibility pop

#endif
