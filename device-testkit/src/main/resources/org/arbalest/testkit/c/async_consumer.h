/* What the consumer's two files share: async_consumer.c is called by the producer, async_reader.c calls it. */
#ifndef ARBALEST_PEER_ASYNC_CONSUMER_H
#define ARBALEST_PEER_ASYNC_CONSUMER_H

#include <pthread.h>

#include "async_metadata.h"

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
  pthread_mutex_t lock; /* around everything below; never held while calling anyone */
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

enum calling { NO_CALLING, REQUESTING, CANCELLING };
extern _Thread_local struct consumer* calling; /* whose producer this thread is calling */
extern _Thread_local enum calling calling_what;

static inline int wants(const struct consumer* c, int64_t flag) { return (c->options.flags & flag) != 0; }

void entries_add(struct entries* entries, struct entry* entry);
void* reader_run(void* consumer); /* the body of its threads */
void reader_request(struct consumer* c, int64_t n); /* at once */
void reader_cancel(struct consumer* c);             /* once */
void reader_window(struct consumer* c);             /* the first request */
void reader_ask(struct consumer* c, int64_t index); /* for what follows task `index` */
void reader_cancel_as_told(struct consumer* c);     /* with the switches */
void reader_extract(struct consumer* c, struct ArrowAsyncTask* task, int64_t index, int discard);

#pragma GCC visibility pop

#endif
