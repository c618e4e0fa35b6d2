/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The producer's state. producer.c owns it; source.c and driver.c receive it.
 *
 * Included by: producer.c source.h
 */
#ifndef ARBALEST_PEER_ASYNC_PRODUCER_H
#define ARBALEST_PEER_ASYNC_PRODUCER_H

#include <pthread.h>

#include "async.h"
#include "metadata.h"

#pragma GCC visibility push(hidden)

#define SLOTS_OF_QUEUE 5 /* the number in arrow-go */

enum callback { NO_CALL, ON_SCHEMA, ON_NEXT_TASK, ON_ERROR, RELEASE };

struct producer {
  struct record head;
  struct peer_async_options options; /* constant, like the bytes it points to */
  struct bytes message, error_metadata, stream_metadata, task_metadata;
  struct ArrowAsyncDeviceStreamHandler* handler;
  _Alignas(16) unsigned char bytes[48]; /* the ArrowAsyncProducer, in either layout */
  atomic_int in_request;
  pthread_t thread;
  int threaded, started;
  pthread_mutex_t lock; /* around everything below; never held in a callback */
  pthread_cond_t moved;
  int cancelled, stop, done, joined, closed;
  int over;     /* the NULL task or on_error has returned */
  int released; /* release returned */
  int gone, exhausted, extract_failed, attempted, bad_request;
  int64_t demand, next;
  int64_t queue[SLOTS_OF_QUEUE];
  int queued;
  int64_t result[PEER_ASYNC_SLOTS];
};

/* The callback that a thread is in, and the producer of its handler. */
struct inside {
  struct producer* own;
  enum callback call;
};

static inline int has(const struct producer* p, int64_t flag) { return (p->options.flags & flag) != 0; }

struct producer* producer_open(const struct peer_async_options* options);
void producer_count(struct producer* p, int slot);
void producer_settle(struct producer* p);                     /* releases it if it is not needed; lock held */
struct inside producer_inside(struct inside now);             /* of this thread: sets the present callback, returns the last */
enum callback producer_callback(const struct producer* p);    /* of this thread, and this producer's handler */

#pragma GCC visibility pop

#endif
