// SPDX-License-Identifier: Apache-2.0
/* Releases on threads that the exporter does not know, at times that it does not choose. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tracker.h"
#include "moves.h"

static pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, argument) != 0) abort();
  return thread;
}

static void sleep_ms(int64_t ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* ---- at once ---- */

struct errand {
  void* ptr;
  int32_t kind, called;
};

static void* run_errand(void* argument) {
  struct errand* errand = argument;
  errand->called = peer_release(errand->ptr, errand->kind);
  return NULL;
}

int32_t peer_release_on_thread(void* ptr, int32_t kind) {
  struct errand errand = {ptr, kind, 0};
  pthread_join(start(run_errand, &errand), NULL);
  return errand.called;
}

/* ---- later ---- */

struct parcel {
  _Alignas(16) char bytes[sizeof(struct ArrowDeviceArray)]; /* the largest of the kinds */
  int32_t kind, mode;
  int64_t delay_ms;
  int woken, done;
  pthread_t thread;
  struct parcel* next;
};

static pthread_mutex_t parcels_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t parcels_moved = PTHREAD_COND_INITIALIZER;
static struct parcel *to_join, *at_exit;

static struct parcel* pack(void* ptr, int32_t kind) {
  struct parcel* parcel = tracker_alloc(sizeof *parcel);
  peer_move(ptr, parcel->bytes, kind);
  parcel->kind = kind;
  return parcel;
}

static void* release_later(void* argument) {
  struct parcel* parcel = argument;
  if (parcel->delay_ms < 0)
    gate_wait();
  else
    sleep_ms(parcel->delay_ms);
  peer_release(parcel->bytes, parcel->kind);
  return NULL;
}

void peer_release_later(void* ptr, int32_t kind, int64_t delay_ms) {
  struct parcel* parcel = pack(ptr, kind);
  parcel->delay_ms = delay_ms;
  pthread_mutex_lock(&parcels_lock);
  parcel->thread = start(release_later, parcel);
  parcel->next = to_join;
  to_join = parcel;
  pthread_mutex_unlock(&parcels_lock);
}

void peer_join_all(void) {
  pthread_mutex_lock(&parcels_lock);
  struct parcel* parcel = to_join;
  to_join = NULL;
  pthread_mutex_unlock(&parcels_lock);
  while (parcel != NULL) {
    struct parcel* next = parcel->next;
    pthread_join(parcel->thread, NULL);
    tracker_free(parcel);
    parcel = next;
  }
}

/* ---- many ---- */

struct crowd {
  void** ptrs;
  int64_t n;
  int32_t kind;
  atomic_llong next, called;
};

static void* release_some(void* argument) {
  struct crowd* crowd = argument;
  for (;;) {
    int64_t i = atomic_fetch_add(&crowd->next, 1);
    if (i >= crowd->n) return NULL;
    if (peer_release(crowd->ptrs[i], crowd->kind)) atomic_fetch_add(&crowd->called, 1);
  }
}

int64_t peer_release_many(void** ptrs, int64_t n, int32_t threads, int32_t kind) {
  if (n <= 0) return 0;
  if (threads < 1) threads = 1;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  unsigned seed = (unsigned)now.tv_nsec;
  void** shuffled = tracker_alloc((size_t)n * sizeof *shuffled);
  pthread_t* crew = tracker_alloc((size_t)threads * sizeof *crew);
  memcpy(shuffled, ptrs, (size_t)n * sizeof *shuffled);
  for (int64_t i = n - 1; i > 0; i--) {
    int64_t j = rand_r(&seed) % (i + 1);
    void* swap = shuffled[i];
    shuffled[i] = shuffled[j];
    shuffled[j] = swap;
  }
  struct crowd crowd = {.ptrs = shuffled, .n = n, .kind = kind};
  for (int32_t i = 0; i < threads; i++) crew[i] = start(release_some, &crowd);
  for (int32_t i = 0; i < threads; i++) pthread_join(crew[i], NULL);
  tracker_free(shuffled);
  tracker_free(crew);
  return atomic_load(&crowd.called);
}

/* ---- while the process exits ---- */

static void* release_when_woken(void* argument) {
  struct parcel* parcel = argument;
  pthread_mutex_lock(&parcels_lock);
  while (!parcel->woken) pthread_cond_wait(&parcels_moved, &parcels_lock);
  pthread_mutex_unlock(&parcels_lock);
  peer_release(parcel->bytes, parcel->kind);
  pthread_mutex_lock(&parcels_lock);
  parcel->done = 1;
  pthread_cond_broadcast(&parcels_moved);
  pthread_mutex_unlock(&parcels_lock);
  return NULL;
}

/* The parcels stay: a thread may still use them when the process ends. */
static void exiting(void) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec++;
  pthread_mutex_lock(&parcels_lock);
  struct parcel* first = at_exit;
  for (struct parcel* parcel = first; parcel != NULL; parcel = parcel->next) parcel->woken = 1;
  pthread_cond_broadcast(&parcels_moved);
  pthread_mutex_unlock(&parcels_lock);
  for (struct parcel* parcel = first; parcel != NULL; parcel = parcel->next) {
    if (parcel->mode == PEER_EXIT_HERE) peer_release(parcel->bytes, parcel->kind);
    if (parcel->mode != PEER_EXIT_WAIT) continue;
    pthread_mutex_lock(&parcels_lock);
    while (!parcel->done && pthread_cond_timedwait(&parcels_moved, &parcels_lock, &limit) == 0) {
    }
    pthread_mutex_unlock(&parcels_lock);
  }
}

void peer_exit_with_release(void* ptr, int32_t kind, int32_t mode) {
  static int registered;
  struct parcel* parcel = pack(ptr, kind);
  parcel->mode = mode;
  pthread_mutex_lock(&parcels_lock);
  if (!registered && atexit(exiting) != 0) abort();
  registered = 1;
  parcel->next = at_exit;
  at_exit = parcel;
  if (mode != PEER_EXIT_HERE) pthread_detach(start(release_when_woken, parcel));
  pthread_mutex_unlock(&parcels_lock);
}
