/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The consumer's state. consumer.c owns it; reader.c and handler.c receive it.
 *
 * Included by: consumer.c reader.h
 */
#ifndef ARBALEST_PEER_ASYNC_CONSUMER_H
#define ARBALEST_PEER_ASYNC_CONSUMER_H

#include <pthread.h>

#include "async.h"
#include "metadata.h"

#pragma GCC visibility push(hidden)

/* A task that was copied out of on_next_task. */
struct entry {
  struct ArrowAsyncTask task;
  int64_t index;
  struct entry *next, *previous;
};

struct entries {
  struct entry *first, *last;
};

struct consumer {
  struct record head;
  struct ArrowAsyncDeviceStreamHandler handler;
  struct peer_async_consumer_options options; /* constant */
  struct ArrowAsyncProducer* producer;        /* from on_schema on */
  atomic_int in_callback;
  pthread_t* threads;
  int n_threads;
  pthread_mutex_t calls; /* held by own threads while they call the producer: release waits for it */
  pthread_mutex_t books; /* around the reading of arrays */
  int64_t last_read;
  int unordered, unreadable;
  uint64_t chain, sum;
  pthread_mutex_t lock; /* around everything below; never held during a call of the other side */
  pthread_cond_t moved;
  struct entries queue, dropped;
  struct ArrowSchema schema;
  struct bytes bytes[4];
  int called; /* by any callback */
  int has_schema, first_request, ended, failed, refused, cancelling, cancelled, odd_request, released, stop, joined;
  int extract_failed; /* before release: on_error must follow */
  int running;
  pthread_t last_thread;
  int64_t result[PEER_ACON_SLOTS];
};

/* Which of the producer's functions a thread is calling. */
enum calling { NO_CALLING, REQUESTING, CANCELLING };

/* The function that a thread is calling, and the consumer of its producer. */
struct calls {
  struct consumer* own;
  enum calling what;
};

static inline int wants(const struct consumer* c, int64_t flag) { return (c->options.flags & flag) != 0; }

/* Opens a consumer with its own threads, each of which runs `body` and is one of c->running until it returns. */
struct consumer* consumer_open(const struct peer_async_consumer_options* options, void* (*body)(void* consumer));
struct consumer* consumer_of(struct ArrowAsyncDeviceStreamHandler* handler);
void consumer_count(struct consumer* c, int slot, int64_t by);
struct calls consumer_calls(struct calls now);               /* of this thread: sets the present call, returns the last */
enum calling consumer_calling(const struct consumer* c);     /* of this thread, and this consumer's producer */

void entries_add(struct entries* entries, struct entry* entry);
struct entry* entries_take(struct entries* entries, int newest); /* or the oldest; NULL if the queue is empty */

#pragma GCC visibility pop

#endif
