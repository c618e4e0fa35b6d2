// SPDX-License-Identifier: Apache-2.0
/*
 * A producer of the async device stream interface. Each exchange has a thread, which announces a batch of quotes when
 * the consumer has requested one. The task stores only the prices. The thread that extracts the task makes the batch. A
 * discarded task makes no batch.
 *
 * One thread at a time calls the handler, and it holds no lock: `calling` is set during the call. So the consumer may
 * call request and cancel, which hold the lock for a short time, both inside and outside a callback.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ticker.h"

/* ---- metadata: a number of pairs, then for each pair the key and the value, each after its length ---- */

struct metadata {
  _Alignas(int32_t) char bytes[256];
  size_t size;
};

static void add_text(struct metadata* to, const char* text) {
  int32_t length = (int32_t)strlen(text);
  memcpy(to->bytes + to->size, &length, sizeof length);
  memcpy(to->bytes + to->size + sizeof length, text, (size_t)length);
  to->size += sizeof length + (size_t)length;
}

/* Adds a pair, or nothing if the pair does not fit: the buffer is for few and short pairs. */
__attribute__((format(printf, 3, 4))) static void add_pair(struct metadata* to, const char* key, const char* format, ...) {
  char value[64];
  int32_t pairs;
  va_list args;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  if (to->size == 0) to->size = sizeof pairs;
  if (to->size + 2 * sizeof(int32_t) + strlen(key) + strlen(value) > sizeof to->bytes) return;
  memcpy(&pairs, to->bytes, sizeof pairs);
  pairs++;
  memcpy(to->bytes, &pairs, sizeof pairs);
  add_text(to, key);
  add_text(to, value);
}

/* ---- the stream ---- */

struct exchange {
  struct stream* stream;
  const char* name;
  pthread_t thread;
};

struct stream {
  struct ArrowAsyncProducer producer;
  struct ArrowAsyncDeviceStreamHandler* handler; /* NULL until ticker_start takes it */
  int32_t rows;
  int64_t batches;
  struct metadata metadata;
  struct exchange exchanges[TICKER_EXCHANGES];
  struct walk walk;   /* of the thread that is calling the handler */
  atomic_int callers; /* the threads that may call the handler: the last one releases it */
  atomic_int holders; /* the references to this memory: one of all callers, and one of each task */

  pthread_mutex_t lock; /* guards the fields below; no thread holds it while it calls the handler */
  pthread_cond_t changed;
  int calling;      /* a thread is calling the handler */
  int64_t demand;   /* tasks that were requested and not announced */
  int64_t sequence; /* tasks that were announced */
  int ended;        /* no more tasks, for one of the reasons below, or because the consumer cancelled */
  int finished;     /* the last task was announced */
  int refused;      /* the consumer returned an error */
  int error;        /* an errno of this producer */
  char message[96];
};

static void let_go(struct stream* stream) {
  if (atomic_fetch_sub(&stream->holders, 1) != 1) return;
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->lock);
  ticker_free(stream);
}

/* Ends the stream, unless it has ended. The caller holds the lock. */
static void end(struct stream* stream) {
  stream->ended = 1;
  pthread_cond_broadcast(&stream->changed);
}

/* Ends the stream with an error, unless it has ended. The last caller reports the error to the consumer. */
__attribute__((format(printf, 3, 4))) static void fail(struct stream* stream, int code, const char* format, ...) {
  pthread_mutex_lock(&stream->lock);
  if (!stream->ended) {
    va_list args;
    va_start(args, format);
    vsnprintf(stream->message, sizeof stream->message, format, args);
    va_end(args);
    stream->error = code;
    end(stream);
  }
  pthread_mutex_unlock(&stream->lock);
}

/* ---- the calls of the consumer ---- */

static void on_request(struct ArrowAsyncProducer* self, int64_t n) {
  struct stream* stream = self->private_data;
  if (n <= 0) {
    fail(stream, EINVAL, "request(%lld): a consumer requests at least 1", (long long)n);
    return;
  }
  pthread_mutex_lock(&stream->lock);
  stream->demand = n > INT64_MAX - stream->demand ? INT64_MAX : stream->demand + n;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
}

static void on_cancel(struct ArrowAsyncProducer* self) {
  struct stream* stream = self->private_data;
  pthread_mutex_lock(&stream->lock);
  end(stream);
  pthread_mutex_unlock(&stream->lock);
}

/* ---- tasks ---- */

struct quote_task {
  struct stream* stream;
  struct walk walk;
  int64_t time;
  atomic_int extracted;
  atomic_int holders; /* the references of the announcing thread and of the consumer */
};

static struct quote_task* new_task(struct stream* stream) {
  struct quote_task* task = ticker_alloc(sizeof *task);
  if (task == NULL) return NULL;
  task->stream = stream;
  atomic_init(&task->holders, 2);
  atomic_fetch_add(&stream->holders, 1);
  return task;
}

static void note_prices(struct quote_task* task) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  walk_step(&task->stream->walk);
  task->walk = task->stream->walk;
  task->time = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void drop_task(struct quote_task* task) {
  if (atomic_fetch_sub(&task->holders, 1) != 1) return;
  let_go(task->stream);
  ticker_free(task);
}

/* Implements extract_data. The consumer may call it on any thread, also after the stream has ended. */
static int extract(struct ArrowAsyncTask* self, struct ArrowDeviceArray* out) {
  struct quote_task* task = self->private_data;
  int code = 0;
  atomic_store(&task->extracted, 1);
  if (out == NULL) {
    ticker_add(TICKER_DISCARDED, 1);
  } else if ((code = quotes_batch(&task->walk, task->stream->rows, task->time, out)) == 0) {
    ticker_add(TICKER_EXTRACTED, 1);
  } else {
    fail(task->stream, code, "no memory for %d quotes", task->stream->rows);
  }
  drop_task(task);
  return code;
}

/* ---- the calls of the handler ---- */

/* Waits for demand, and until no other thread calls. Returns the number of the task to announce, or -1 at the end. */
static int64_t begin_call(struct stream* stream) {
  int64_t number = -1;
  pthread_mutex_lock(&stream->lock);
  while (!stream->ended && (stream->calling || stream->demand == 0)) pthread_cond_wait(&stream->changed, &stream->lock);
  if (!stream->ended) {
    stream->calling = 1;
    stream->demand--;
    number = stream->sequence++;
  }
  pthread_mutex_unlock(&stream->lock);
  return number;
}

static void end_call(struct stream* stream, int answer) {
  pthread_mutex_lock(&stream->lock);
  stream->calling = 0;
  if (answer != 0) {
    stream->refused = 1;
    end(stream);
  } else if (!stream->ended && stream->sequence == stream->batches) {
    stream->finished = 1;
    end(stream);
  }
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
}

/* Reports the end of the stream and releases the handler, if this is the last caller. No other thread calls the handler
   then. The fields need no lock, because fail does not change them after the end of the stream. */
static void leave(struct stream* stream) {
  if (atomic_fetch_sub(&stream->callers, 1) != 1) return;
  struct ArrowAsyncDeviceStreamHandler* handler = stream->handler;
  if (handler != NULL) {
    if (stream->refused) {
      /* the consumer returned the error itself */
    } else if (stream->error != 0) {
      handler->on_error(handler, stream->error, stream->message, NULL);
    } else if (stream->finished) {
      handler->on_next_task(handler, NULL, NULL);
    }
    handler->release(handler);
  }
  let_go(stream);
}

static int announce(struct exchange* exchange, struct quote_task* task, int64_t number) {
  struct ArrowAsyncDeviceStreamHandler* handler = exchange->stream->handler;
  struct ArrowAsyncTask given = {extract, task};
  note_prices(task);
  struct metadata metadata = {.size = 0};
  add_pair(&metadata, "sequence", "%lld", (long long)number);
  add_pair(&metadata, "exchange", "%s", exchange->name);
  ticker_add(TICKER_SENT, 1);
  int answer = handler->on_next_task(handler, &given, metadata.bytes);
  if (answer != 0 && !atomic_load(&task->extracted)) given.extract_data(&given, NULL); /* the producer still owns it */
  return answer;
}

static void* trade(void* argument) {
  struct exchange* exchange = argument;
  struct stream* stream = exchange->stream;
  for (;;) {
    struct quote_task* task = new_task(stream); /* before begin_call, because other threads wait during the call */
    if (task == NULL) {
      fail(stream, ENOMEM, "no memory for a task");
      break;
    }
    int64_t number = begin_call(stream);
    if (number < 0) {
      drop_task(task); /* the consumer's reference to a task that was not announced */
      drop_task(task);
      break;
    }
    end_call(stream, announce(exchange, task, number));
    drop_task(task);
  }
  leave(stream);
  return NULL;
}

/* ---- the beginning ---- */

static struct stream* new_stream(int32_t symbols, int32_t rows, int64_t batches, int64_t seed) {
  static const char* const names[TICKER_EXCHANGES] = {"north", "south"};
  struct stream* stream = ticker_alloc(sizeof *stream);
  if (stream == NULL) return NULL;
  add_pair(&stream->metadata, "symbols", "%d", symbols);
  add_pair(&stream->metadata, "seed", "%lld", (long long)seed);
  stream->producer = (struct ArrowAsyncProducer){
      .device_type = ARROW_DEVICE_CPU,
      .request = on_request,
      .cancel = on_cancel,
      .additional_metadata = stream->metadata.bytes,
      .private_data = stream,
  };
  walk_begin(&stream->walk, symbols, seed);
  stream->rows = rows;
  stream->batches = batches;
  stream->calling = 1; /* until on_schema has returned */
  atomic_init(&stream->callers, 1 + TICKER_EXCHANGES);
  atomic_init(&stream->holders, 1);
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  for (int32_t i = 0; i < TICKER_EXCHANGES; i++) {
    stream->exchanges[i].stream = stream;
    stream->exchanges[i].name = names[i];
  }
  return stream;
}

int ticker_start(struct ArrowAsyncDeviceStreamHandler* handler, int32_t symbols, int32_t rows, int64_t batches, int64_t seed) {
  if (symbols < 1 || symbols > TICKER_MOST_SYMBOLS || rows < 1 || rows > TICKER_MOST_ROWS || batches < 0) return EINVAL;
  /* Calls that can fail come first. The threads wait until then, because `calling` is set. */
  struct ArrowSchema schema;
  int code = quotes_schema(&schema);
  if (code != 0) return code;
  struct stream* stream = new_stream(symbols, rows, batches, seed);
  if (stream == NULL) code = ENOMEM;
  for (int i = 0; code == 0 && i < TICKER_EXCHANGES; i++) {
    struct exchange* exchange = &stream->exchanges[i];
    code = pthread_create(&exchange->thread, NULL, trade, exchange);
    if (code == 0) pthread_detach(exchange->thread);
    else atomic_fetch_sub(&stream->callers, TICKER_EXCHANGES - i);
  }
  if (code != 0) {
    schema.release(&schema);
    if (stream != NULL) {
      fail(stream, code, "no thread");
      leave(stream);
    }
    return code;
  }
  stream->handler = handler;
  handler->producer = &stream->producer;
  int answer = handler->on_schema(handler, &schema);
  if (schema.release != NULL) schema.release(&schema); /* the consumer neither moved nor released it */
  end_call(stream, answer);
  leave(stream);
  return 0;
}
