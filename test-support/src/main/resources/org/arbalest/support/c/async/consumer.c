// SPDX-License-Identifier: Apache-2.0
/* The owner of the consumer's state: creates it, waits for it, releases it. */
#include "consumer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct calls calls;

struct consumer* consumer_open(const struct peer_async_consumer_options* options, void* (*body)(void* consumer)) {
  struct consumer* c = tracker_open(sizeof *c, TRACKER_HANDLER);
  c->options = *options;
  c->chain = 0x4172726F77u;
  c->last_read = -1;
  for (int i = 0; i < 4; i++) c->bytes[i].len = -1;
  pthread_mutex_init(&c->calls, NULL);
  pthread_mutex_init(&c->books, NULL);
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->moved, NULL);
  c->n_threads = c->running = options->threads > 1 ? (int)options->threads : 1;
  c->threads = tracker_alloc((size_t)c->n_threads * sizeof *c->threads);
  for (int i = 0; i < c->n_threads; i++)
    if (pthread_create(&c->threads[i], NULL, body, c) != 0) abort();
  return c;
}

struct consumer* consumer_of(struct ArrowAsyncDeviceStreamHandler* handler) {
  return (struct consumer*)(void*)((char*)handler - offsetof(struct consumer, handler));
}

void consumer_count(struct consumer* c, int slot, int64_t by) {
  pthread_mutex_lock(&c->lock);
  c->result[slot] += by;
  pthread_mutex_unlock(&c->lock);
}

struct calls consumer_calls(struct calls now) {
  struct calls before = calls;
  calls = now;
  return before;
}

enum calling consumer_calling(const struct consumer* c) { return calls.own == c ? calls.what : NO_CALLING; }

/* ---- the consumer's queues ---- */

void entries_add(struct entries* entries, struct entry* entry) {
  entry->next = NULL;
  entry->previous = entries->last;
  if (entries->last != NULL) entries->last->next = entry;
  else entries->first = entry;
  entries->last = entry;
}

struct entry* entries_take(struct entries* entries, int newest) {
  struct entry* entry = newest ? entries->last : entries->first;
  if (entry == NULL) return NULL;
  if (entry->next != NULL) entry->next->previous = entry->previous;
  else entries->last = entry->previous;
  if (entry->previous != NULL) entry->previous->next = entry->next;
  else entries->first = entry->next;
  return entry;
}

static void entries_free(struct entries* entries) {
  for (struct entry *entry = entries->first, *next; entry != NULL; entry = next) {
    next = entry->next;
    tracker_free(entry);
  }
  entries->first = entries->last = NULL;
}

/* ---- for the test ---- */

/* Lock held. 1 if it is finished. */
static int await(struct consumer* c, int64_t timeout_ms) {
  struct timespec limit;
  deadline(&limit, timeout_ms);
  while ((!(c->released || c->stop) || c->running > 0) && pthread_cond_timedwait(&c->moved, &c->lock, &limit) == 0) {
  }
  return (c->released || c->stop) && c->running == 0;
}

int32_t peer_async_consumer_join(struct ArrowAsyncDeviceStreamHandler* handler, int64_t timeout_ms) {
  struct consumer* c = consumer_of(handler);
  int64_t* result = c->result;
  pthread_mutex_lock(&c->lock);
  int finished = await(c, timeout_ms), join = finished && !c->joined;
  if (join) c->joined = 1;
  if (!finished)
    tracker_violation("hang: the consumer is not %s; requested %lld, tasks %lld, extracted %lld, ends %lld, errors %lld",
                     c->released ? "drained" : "released", (long long)result[PEER_ACON_REQUESTED], (long long)result[PEER_ACON_TASKS],
                     (long long)(result[PEER_ACON_BATCHES] + result[PEER_ACON_DISCARDED]), (long long)result[PEER_ACON_ENDS],
                     (long long)result[PEER_ACON_ERRORS]);
  if (join && c->extract_failed && !c->failed && !c->cancelling && !c->refused && !wants(c, PEER_ACON_TOLERANT))
    tracker_violation("ASY-18 extract_data failed, and no on_error followed");
  result[PEER_ACON_DONE] |= finished;
  pthread_mutex_unlock(&c->lock);
  for (int i = 0; join && i < c->n_threads; i++) pthread_join(c->threads[i], NULL);
  return finished ? 0 : ETIMEDOUT;
}

void peer_async_consumer_results(struct ArrowAsyncDeviceStreamHandler* handler, int64_t* slots) {
  struct consumer* c = consumer_of(handler);
  pthread_mutex_lock(&c->lock);
  memcpy(slots, c->result, sizeof c->result);
  pthread_mutex_unlock(&c->lock);
}

int64_t peer_async_consumer_bytes(struct ArrowAsyncDeviceStreamHandler* handler, int32_t which, void* out, int64_t len) {
  struct consumer* c = consumer_of(handler);
  pthread_mutex_lock(&c->lock);
  const struct bytes* kept = &c->bytes[which & 3];
  int64_t have = kept->len;
  if (have > 0 && len > 0) memcpy(out, kept->data, (size_t)(have < len ? have : len));
  pthread_mutex_unlock(&c->lock);
  return have;
}

int64_t peer_async_extract_dropped(struct ArrowAsyncDeviceStreamHandler* handler) {
  struct consumer* c = consumer_of(handler);
  pthread_mutex_lock(&c->lock);
  struct entry* entry = c->dropped.first;
  int64_t n = 0;
  c->dropped.first = c->dropped.last = NULL;
  pthread_mutex_unlock(&c->lock);
  for (; entry != NULL; n++) {
    struct entry* next = entry->next;
    entry->task.extract_data(&entry->task, NULL);
    tracker_free(entry);
    entry = next;
  }
  return n;
}

int32_t peer_async_consumer_close(struct ArrowAsyncDeviceStreamHandler* handler, int64_t timeout_ms) {
  struct consumer* c = consumer_of(handler);
  pthread_mutex_lock(&c->lock);
  if (!c->called) c->stop = 1;
  pthread_cond_broadcast(&c->moved);
  pthread_mutex_unlock(&c->lock);
  int32_t code = peer_async_consumer_join(handler, timeout_ms);
  if (code != 0) {
    pthread_mutex_lock(&c->lock);
    c->stop = 1;
    pthread_cond_broadcast(&c->moved);
    int stopped = await(c, 2000);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; !stopped && i < c->n_threads; i++) pthread_detach(c->threads[i]);
    if (!stopped) return code; /* it stays live: a thread is using it */
    peer_async_consumer_join(handler, 0);
  }
  pthread_mutex_lock(&c->lock);
  c->released = 1; /* any later call is late */
  pthread_mutex_unlock(&c->lock);
  if (!tracker_retire(&c->head)) return code;
  if (c->has_schema && c->schema.release != NULL) c->schema.release(&c->schema);
  entries_free(&c->queue);
  entries_free(&c->dropped);
  for (int i = 0; i < 4; i++) bytes_free(&c->bytes[i]);
  tracker_free(c->threads);
  return code;
}
