/* What the producer's two files share: async_source.c is called by the consumer, async_producer.c calls it. */
#ifndef ARBALEST_PEER_ASYNC_PRODUCER_H
#define ARBALEST_PEER_ASYNC_PRODUCER_H

#include <pthread.h>

#include "async_metadata.h"

#pragma GCC visibility push(hidden)

#define SLOTS_OF_QUEUE 5 /* arrow-go's */

enum callback { NO_CALL, ON_SCHEMA, ON_NEXT_TASK, ON_ERROR, RELEASE };

struct producer {
  struct record head;
  struct peer_async_options options; /* constant, as are the bytes it points to */
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

struct task {
  struct record head;
  struct producer* own;
  int64_t index;
  struct ArrowAsyncTask given; /* what on_next_task gets; not good after it */
};

extern _Thread_local struct producer* inside; /* whose callback this thread is in */
extern _Thread_local enum callback inside_call;

static inline int has(const struct producer* p, int64_t flag) { return (p->options.flags & flag) != 0; }

void source_fill(struct producer* p); /* the ArrowAsyncProducer */
struct task* source_task(struct producer* p, int64_t index);
void source_task_returned(struct task* task, int status); /* on_next_task returned; lock not held */
void source_go(struct producer* p); /* the struct is gone; lock held */
void source_check_gone(struct producer* p); /* with GONE_EARLY; lock held */
void source_settle(struct producer* p); /* gives the record up if nothing needs it; lock held */

#pragma GCC visibility pop

#endif
