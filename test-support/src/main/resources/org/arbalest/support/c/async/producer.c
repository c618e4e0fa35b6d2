// SPDX-License-Identifier: Apache-2.0
/* The owner of the producer's state: creates it, waits for it, releases it. */
#include "producer.h"

#include <errno.h>
#include <string.h>

static _Thread_local struct inside inside;

struct producer* producer_open(const struct peer_async_options* options) {
  struct producer* p = tracker_open(sizeof *p, TRACKER_PRODUCER);
  const struct peer_async_options* o = options;
  p->options = *o;
  pthread_mutex_init(&p->lock, NULL);
  pthread_cond_init(&p->moved, NULL);
  p->message = bytes_copy(o->message, o->message == NULL ? 0 : (int64_t)strlen(o->message) + 1);
  p->error_metadata = bytes_copy(o->error_metadata, o->error_metadata_len);
  p->stream_metadata = has(p, PEER_ASYNC_BAD_STREAM_METADATA) ? metadata_bad() : bytes_copy(o->stream_metadata, o->stream_metadata_len);
  p->task_metadata = bytes_copy(o->task_metadata, o->task_metadata_len);
  return p;
}

void producer_count(struct producer* p, int slot) {
  pthread_mutex_lock(&p->lock);
  p->result[slot]++;
  pthread_mutex_unlock(&p->lock);
}

void producer_settle(struct producer* p) {
  if (!p->closed || !p->done || p->result[PEER_ASYNC_OUTSTANDING] > 0) return;
  if (!tracker_retire(&p->head)) return;
  bytes_free(&p->message);
  bytes_free(&p->error_metadata);
  bytes_free(&p->stream_metadata);
  bytes_free(&p->task_metadata);
}

struct inside producer_inside(struct inside now) {
  struct inside before = inside;
  inside = now;
  return before;
}

enum callback producer_callback(const struct producer* p) { return inside.own == p ? inside.call : NO_CALL; }

/* ---- for the test ---- */

/* Lock held. 1 if it is finished. */
static int await(struct producer* p, int64_t timeout_ms) {
  struct timespec limit;
  deadline(&limit, timeout_ms);
  while (!p->done && pthread_cond_timedwait(&p->moved, &p->lock, &limit) == 0) {
  }
  return p->done;
}

int32_t peer_async_join(void* producer, int64_t timeout_ms) {
  struct producer* p = producer;
  int64_t* result = p->result;
  pthread_mutex_lock(&p->lock);
  int finished = await(p, timeout_ms), join = finished && p->threaded && !p->joined;
  if (join) p->joined = 1;
  if (!finished)
    tracker_violation("hang: the producer is not finished; requested %lld, sent %lld, outstanding %lld, cancels %lld, in %s",
                     (long long)result[PEER_ASYNC_REQUESTED], (long long)result[PEER_ASYNC_SENT],
                     (long long)result[PEER_ASYNC_OUTSTANDING], (long long)result[PEER_ASYNC_CANCELS],
                     p->over ? "the end or after it" : "the middle");
  pthread_mutex_unlock(&p->lock);
  if (join) pthread_join(p->thread, NULL);
  return finished ? 0 : ETIMEDOUT;
}

void peer_async_results(void* producer, int64_t* slots) {
  struct producer* p = producer;
  pthread_mutex_lock(&p->lock);
  memcpy(slots, p->result, sizeof p->result);
  pthread_mutex_unlock(&p->lock);
}

void peer_async_stop(void* producer) {
  struct producer* p = producer;
  pthread_mutex_lock(&p->lock);
  p->stop = 1;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
}

int32_t peer_async_close(void* producer, int64_t timeout_ms) {
  struct producer* p = producer;
  int32_t code = 0;
  int detach = 0;
  if (p->started && (code = peer_async_join(p, timeout_ms)) != 0) {
    peer_async_stop(p);
    pthread_mutex_lock(&p->lock);
    int stopped = await(p, 2000);
    detach = !stopped && p->threaded;
    pthread_mutex_unlock(&p->lock);
    if (stopped) peer_async_join(p, 0);
  }
  if (detach) pthread_detach(p->thread);
  pthread_mutex_lock(&p->lock);
  if (!p->started) p->done = 1;
  p->closed = 1;
  producer_settle(p);
  pthread_mutex_unlock(&p->lock);
  return code;
}
