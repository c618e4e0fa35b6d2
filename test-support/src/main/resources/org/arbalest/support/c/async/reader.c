// SPDX-License-Identifier: Apache-2.0
/* The part of the consumer that calls its producer: requests, cancels, and threads that extract queued tasks. */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "checks/checksum.h"

/* ---- request and cancel ---- */

void reader_request(struct consumer* c, int64_t n) {
  pthread_mutex_lock(&c->lock);
  int64_t* sum = &c->result[PEER_ACON_REQUESTED];
  c->result[PEER_ACON_REQUESTS]++;
  if (n > 0) *sum = *sum > INT64_MAX - n ? INT64_MAX : *sum + n;
  else c->odd_request = 1;
  pthread_mutex_unlock(&c->lock);
  struct calls outer = consumer_calls((struct calls){c, REQUESTING});
  c->producer->request(c->producer, n);
  consumer_calls(outer);
}

void reader_cancel(struct consumer* c) {
  pthread_mutex_lock(&c->lock);
  c->result[PEER_ACON_CANCELS]++;
  c->cancelling = 1;
  pthread_mutex_unlock(&c->lock);
  struct calls outer = consumer_calls((struct calls){c, CANCELLING});
  c->producer->cancel(c->producer);
  consumer_calls(outer);
  pthread_mutex_lock(&c->lock);
  c->cancelled = 1;
  pthread_cond_broadcast(&c->moved);
  pthread_mutex_unlock(&c->lock);
}

static void* cancel_too(void* consumer) {
  reader_cancel(consumer);
  return NULL;
}

void reader_cancel_as_told(struct consumer* c) {
  pthread_t other;
  int race = wants(c, PEER_ACON_CANCEL_RACE);
  if (race && pthread_create(&other, NULL, cancel_too, c) != 0) abort();
  reader_cancel(c);
  if (wants(c, PEER_ACON_CANCEL_TWICE)) reader_cancel(c);
  if (race) pthread_join(other, NULL);
  if (wants(c, PEER_ACON_REQUEST_CANCELLED)) reader_request(c, 1);
}

void reader_window(struct consumer* c) {
  int64_t window = c->options.window;
  if (wants(c, PEER_ACON_NO_DEMAND)) return;
  if (wants(c, PEER_ACON_REQUEST_MAX)) {
    reader_request(c, INT64_MAX);
    reader_request(c, INT64_MAX);
  } else if (wants(c, PEER_ACON_REQUEST_BURSTS)) {
    for (int64_t i = 0; i < window; i++) reader_request(c, 1);
  } else if (window > 0) {
    reader_request(c, window);
  }
}

void reader_ask(struct consumer* c, int64_t index) {
  int here = index == c->options.at;
  if (here && wants(c, PEER_ACON_REQUEST_ZERO)) reader_request(c, 0);
  else if (here && wants(c, PEER_ACON_REQUEST_NEGATIVE)) reader_request(c, -1);
  else if (!wants(c, PEER_ACON_NO_DEMAND | PEER_ACON_REQUEST_MAX)) reader_request(c, 1);
}

/* Calls from one of the consumer's threads. Release waits until the call is over, or the call does not begin. */
static void call_from_outside(struct consumer* c, void (*call)(struct consumer*, int64_t), int64_t index) {
  if (wants(c, PEER_ACON_LATE_REQUEST)) {
    call(c, index);
    return;
  }
  pthread_mutex_lock(&c->calls);
  pthread_mutex_lock(&c->lock);
  int over = c->ended || c->failed || c->refused || c->cancelling || c->released;
  pthread_mutex_unlock(&c->lock);
  if (!over) call(c, index);
  pthread_mutex_unlock(&c->calls);
}

static void cancel_here(struct consumer* c, int64_t index) {
  (void)index;
  reader_cancel_as_told(c);
}

static void window_here(struct consumer* c, int64_t index) {
  (void)index;
  reader_window(c);
}

/* ---- extraction ---- */

static int readable(int32_t device_type) {
  return device_type == ARROW_DEVICE_CPU || device_type == ARROW_DEVICE_CUDA_HOST || device_type == ARROW_DEVICE_CUDA_MANAGED ||
         device_type == ARROW_DEVICE_ROCM_HOST;
}

/* Takes over *out. */
static void read_array(struct consumer* c, struct ArrowDeviceArray* out, int64_t index) {
  pthread_mutex_lock(&c->books);
  if (index < c->last_read) c->unordered = 1;
  c->last_read = index;
  if (!c->has_schema || !readable(out->device_type) || !checksum_rows(&out->array, &c->schema, &c->chain, &c->sum)) c->unreadable = 1;
  pthread_mutex_lock(&c->lock);
  c->result[PEER_ACON_BATCHES]++;
  c->result[PEER_ACON_ROWS] += out->array.length;
  c->result[PEER_ACON_CHECKSUM] = c->unordered || c->unreadable ? 0 : (int64_t)c->chain;
  c->result[PEER_ACON_ROW_SUM] = c->unreadable ? 0 : (int64_t)c->sum;
  int32_t type = (int32_t)c->result[PEER_ACON_DEVICE_TYPE];
  c->result[PEER_ACON_TYPE_DIFFERS] += out->device_type != type;
  if (out->device_type != type && !wants(c, PEER_ACON_TOLERANT))
    tracker_violation("task %lld is on device type %d, its producer on %d", (long long)index, out->device_type, type);
  c->result[PEER_ACON_RESERVED_DIRTY] += (out->reserved[0] | out->reserved[1] | out->reserved[2]) != 0;
  pthread_mutex_unlock(&c->lock);
  pthread_mutex_unlock(&c->books);
  out->array.release(&out->array);
}

static void extract_again(struct ArrowAsyncTask* task) {
  struct ArrowDeviceArray out;
  memset(&out, 0xA5, sizeof out);
  out.array.release = NULL;
  if (task->extract_data(task, &out) != 0) return;
  tracker_violation("ASY-16 a second extract_data returned 0");
  if (out.array.release != NULL) out.array.release(&out.array);
}

void reader_extract(struct consumer* c, struct ArrowAsyncTask* task, int64_t index, int discard) {
  struct ArrowDeviceArray out;
  memset(&out, 0xA5, sizeof out);
  out.array.release = NULL;
  int code = task->extract_data(task, discard ? NULL : &out);
  if (wants(c, PEER_ACON_EXTRACT_TWICE) && index == c->options.at) extract_again(task);
  if (discard) consumer_count(c, PEER_ACON_DISCARDED, 1);
  if (code != 0) {
    pthread_mutex_lock(&c->lock);
    if (c->result[PEER_ACON_EXTRACT_FAILURES]++ == 0) c->result[PEER_ACON_EXTRACT_CODE] = code;
    if (!c->released && !discard) c->extract_failed = 1;
    pthread_mutex_unlock(&c->lock);
  } else if (!discard && out.array.release == NULL) {
    consumer_count(c, PEER_ACON_EXTRACT_EMPTY, 1);
    if (!wants(c, PEER_ACON_TOLERANT)) tracker_violation("ASY-17 extract_data of task %lld returned 0 and a released array", (long long)index);
  } else if (!discard) {
    read_array(c, &out, index);
  }
}

/* ---- its threads ---- */

/* Lock held. */
static void drop(struct consumer* c) {
  int now = (wants(c, PEER_ACON_DROP_ON_ERROR) && c->failed) || (wants(c, PEER_ACON_DROP_ON_CANCEL) && c->cancelling);
  struct entry* entry;
  while (now && (entry = entries_take(&c->queue, 0)) != NULL) {
    entries_add(&c->dropped, entry);
    c->result[PEER_ACON_DROPPED]++;
  }
}

/* Returns the next task, or NULL if there will be none. *first: the caller must make the first request. */
static struct entry* take(struct consumer* c, int* first, int* discard) {
  struct entry* entry = NULL;
  *first = 0;
  pthread_mutex_lock(&c->lock);
  for (;;) {
    drop(c);
    *first = wants(c, PEER_ACON_REQUEST_LATER) && c->has_schema && !c->first_request;
    if (*first) {
      c->first_request = 1;
      break;
    }
    if (!wants(c, PEER_ACON_EXTRACT_RELEASED) || c->released) entry = entries_take(&c->queue, wants(c, PEER_ACON_EXTRACT_NEWEST));
    if (entry != NULL || c->released || c->stop) break;
    pthread_cond_wait(&c->moved, &c->lock);
  }
  *discard = c->cancelling;
  pthread_mutex_unlock(&c->lock);
  return entry;
}

static void handle(struct consumer* c, struct entry* entry, int discard) {
  const struct peer_async_consumer_options* o = &c->options;
  int here = entry->index == o->at, asks = !wants(c, PEER_ACON_REQUEST_INSIDE);
  if (here && wants(c, PEER_ACON_GATE_EXTRACT)) gate_wait();
  if (here && wants(c, PEER_ACON_CANCEL_OUTSIDE)) {
    call_from_outside(c, cancel_here, entry->index);
    discard = 1;
    asks = 0;
    if (wants(c, PEER_ACON_DROP_ON_CANCEL)) {
      pthread_mutex_lock(&c->lock);
      entries_add(&c->dropped, entry);
      c->result[PEER_ACON_DROPPED]++;
      pthread_mutex_unlock(&c->lock);
      return;
    }
  }
  if (o->discard_every > 0 && (entry->index + 1) % o->discard_every == 0) discard = 1;
  if (asks && here && wants(c, PEER_ACON_GATE_REQUEST)) gate_wait();
  if (asks && wants(c, PEER_ACON_REQUEST_BEFORE)) call_from_outside(c, reader_ask, entry->index);
  reader_extract(c, &entry->task, entry->index, discard);
  if (asks && !wants(c, PEER_ACON_REQUEST_BEFORE)) call_from_outside(c, reader_ask, entry->index);
  tracker_free(entry);
}

void* reader_run(void* consumer) {
  struct consumer* c = consumer;
  for (;;) {
    int first, discard;
    struct entry* entry = take(c, &first, &discard);
    if (first) call_from_outside(c, window_here, -1);
    else if (entry != NULL) handle(c, entry, discard);
    else break;
  }
  pthread_mutex_lock(&c->lock);
  c->running--;
  pthread_cond_broadcast(&c->moved);
  pthread_mutex_unlock(&c->lock);
  return NULL;
}
