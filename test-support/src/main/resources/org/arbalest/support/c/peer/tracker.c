// SPDX-License-Identifier: Apache-2.0
/* The counters: allocations, live objects, double releases, and broken rules. */
#include "tracker.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_llong allocations, release_calls, double_releases, violations;
static atomic_llong live[TRACKER_KINDS];
static atomic_llong stream_calls[4];
static char first_violation[512];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record* quarantine;

void* tracker_alloc(size_t size) {
  void* block = calloc(1, size);
  if (block == NULL && size > 0) abort();
  if (block != NULL) atomic_fetch_add(&allocations, 1);
  return block;
}

void tracker_free(void* block) {
  if (block == NULL) return;
  atomic_fetch_sub(&allocations, 1);
  free(block);
}

void tracker_count(int64_t blocks) { atomic_fetch_add(&allocations, blocks); }

void* tracker_open(size_t size, int kind) {
  struct record* record = tracker_alloc(size);
  record->kind = kind;
  atomic_fetch_add(&live[kind], 1);
  return record;
}

int tracker_close(struct record* record) {
  atomic_fetch_add(&release_calls, 1);
  if (tracker_retire(record)) return 1;
  atomic_fetch_add(&double_releases, 1);
  return 0;
}

int tracker_retire(struct record* record) {
  if (atomic_exchange(&record->released, 1)) return 0;
  atomic_fetch_sub(&live[record->kind], 1);
  atomic_fetch_sub(&allocations, 1);
  pthread_mutex_lock(&lock);
  record->next = quarantine;
  quarantine = record;
  pthread_mutex_unlock(&lock);
  return 1;
}

int64_t tracker_live(int kind) { return atomic_load(&live[kind]); }

void tracker_stream_call(int which) { atomic_fetch_add(&stream_calls[which], 1); }

void tracker_violation(const char* format, ...) {
  va_list args;
  va_start(args, format);
  pthread_mutex_lock(&lock);
  if (first_violation[0] == 0) vsnprintf(first_violation, sizeof first_violation, format, args);
  pthread_mutex_unlock(&lock);
  va_end(args);
  atomic_fetch_add(&violations, 1);
}

int64_t peer_live_allocations(void) { return atomic_load(&allocations); }
int64_t peer_live_arrays(void) { return atomic_load(&live[PEER_ARRAY]); }
int64_t peer_live_schemas(void) { return atomic_load(&live[PEER_SCHEMA]); }
int64_t peer_live_streams(void) { return atomic_load(&live[PEER_STREAM]) + atomic_load(&live[PEER_DEVICE_STREAM]); }
int64_t peer_live_tasks(void) { return atomic_load(&live[TRACKER_TASK]); }
int64_t peer_live_producers(void) { return atomic_load(&live[TRACKER_PRODUCER]); }
int64_t peer_live_handlers(void) { return atomic_load(&live[TRACKER_HANDLER]); }
int64_t peer_release_calls(void) { return atomic_load(&release_calls); }
int64_t peer_double_releases(void) { return atomic_load(&double_releases); }
int64_t peer_stream_calls(int32_t which) { return which < 0 || which > 3 ? -1 : atomic_load(&stream_calls[which]); }
int64_t peer_violations(void) { return atomic_load(&violations); }

const char* peer_violation_text(void) {
  pthread_mutex_lock(&lock); /* the text is complete once this thread has the lock, and then never changes */
  pthread_mutex_unlock(&lock);
  return first_violation;
}

/* ---- slots ---- */

struct slot {
  union {
    struct ArrowArray array;
    struct ArrowSchema schema;
  } node; /* first, so that a slot has the address of its struct */
  struct slot* next;
};

#define BUCKETS 8192
static pthread_mutex_t slots_lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot* slots[BUCKETS];
static _Thread_local int depth;

static struct slot** bucket(const void* address) {
  return &slots[(((uintptr_t)address >> 4) * 0x9E3779B97F4A7C15u) >> 51];
}

void* slot_new(void) {
  struct slot* slot = tracker_alloc(sizeof *slot);
  struct slot** head = bucket(slot);
  pthread_mutex_lock(&slots_lock);
  slot->next = *head;
  *head = slot;
  pthread_mutex_unlock(&slots_lock);
  return slot;
}

void slot_free(void* address) {
  if (address == NULL) return;
  pthread_mutex_lock(&slots_lock);
  for (struct slot** at = bucket(address); *at != NULL; at = &(*at)->next) {
    if (*at != address) continue;
    *at = (*at)->next;
    break;
  }
  pthread_mutex_unlock(&slots_lock);
  tracker_free(address);
}

void slots_enter(void) { depth++; }
void slots_leave(void) { depth--; }

void slot_check(const void* self, const char* what) {
  int found = 0;
  if (depth > 0) return;
  pthread_mutex_lock(&slots_lock);
  for (struct slot* at = *bucket(self); at != NULL && !found; at = at->next) found = (const void*)at == self;
  pthread_mutex_unlock(&slots_lock);
  if (found) tracker_violation("%s was released in place, not by its parent and not moved out first", what);
}

/* ---- the gate ---- */

static pthread_mutex_t gate_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t gate_moved = PTHREAD_COND_INITIALIZER;
static int gate_is_open;
static int64_t gate_waiting;
static uint64_t gate_openings;

/* A thread that waits when the gate opens gets through, even if the gate is shut again at once. */
void gate_wait(void) {
  pthread_mutex_lock(&gate_lock);
  uint64_t opening = gate_openings;
  gate_waiting++;
  while (!gate_is_open && gate_openings == opening) pthread_cond_wait(&gate_moved, &gate_lock);
  gate_waiting--;
  pthread_mutex_unlock(&gate_lock);
}

void peer_gate_open(void) {
  pthread_mutex_lock(&gate_lock);
  gate_is_open = 1;
  gate_openings++;
  pthread_cond_broadcast(&gate_moved);
  pthread_mutex_unlock(&gate_lock);
}

void peer_gate_shut(void) {
  pthread_mutex_lock(&gate_lock);
  gate_is_open = 0;
  pthread_mutex_unlock(&gate_lock);
}

int64_t peer_gate_waiting(void) {
  pthread_mutex_lock(&gate_lock);
  int64_t waiting = gate_waiting;
  pthread_mutex_unlock(&gate_lock);
  return waiting;
}

void deadline(struct timespec* at, int64_t timeout_ms) {
  if (timeout_ms < 0) timeout_ms = HANG_MS;
  clock_gettime(CLOCK_REALTIME, at);
  at->tv_sec += timeout_ms / 1000;
  at->tv_nsec += timeout_ms % 1000 * 1000000;
  if (at->tv_nsec < 1000000000) return;
  at->tv_sec++;
  at->tv_nsec -= 1000000000;
}

void tracker_forget(void) {
  pthread_mutex_lock(&lock);
  memset(first_violation, 0, sizeof first_violation);
  pthread_mutex_unlock(&lock);
  atomic_store(&release_calls, 0);
  atomic_store(&double_releases, 0);
  atomic_store(&violations, 0);
  for (int i = 0; i < 4; i++) atomic_store(&stream_calls[i], 0);
}

void peer_reset(void) {
  pthread_mutex_lock(&lock);
  struct record* record = quarantine;
  quarantine = NULL;
  pthread_mutex_unlock(&lock);
  while (record != NULL) {
    struct record* next = record->next;
    free(record); /* not counted: tracker_close removed it from the counters */
    record = next;
  }
  tracker_forget();
  peer_gate_shut();
}
