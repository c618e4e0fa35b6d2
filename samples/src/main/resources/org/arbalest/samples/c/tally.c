// SPDX-License-Identifier: Apache-2.0
/*
 * A consumer of the async device stream interface. The callbacks only store the tasks. A separate thread extracts them,
 * adds up their quotes, and requests more. At most AT_ONCE tasks are requested at a time.
 *
 * The thread calls the producer without the lock, and `asking` is set during the call. on_release waits for the end of
 * the call, because the producer's struct is freed after on_release has returned.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "ticker.h"

#define AT_ONCE 8
#define MOST_SYMBOLS 256
#define MOST_LETTERS 15

struct total {
  char symbol[MOST_LETTERS + 1];
  double value;
};

struct tally {
  struct ArrowAsyncDeviceStreamHandler handler; /* the first field: a pointer to the tally also points to it */
  int64_t stop_after;
  pthread_t thread;

  /* Used by the thread only, until it is joined. */
  int64_t batches;
  int32_t symbols;
  struct total totals[MOST_SYMBOLS];

  pthread_mutex_t lock; /* guards the fields below */
  pthread_cond_t changed;
  struct ArrowAsyncTask tasks[AT_ONCE]; /* a ring */
  int32_t first, waiting;
  int asking;   /* the thread is calling the producer */
  int started;  /* the schema has arrived */
  int over;     /* the thread must not call the producer any more */
  int released; /* the producer has released the handler */
  int error;
  char message[160];
};

/* Stores the first error of the stream. The caller holds the lock. */
static int failed(struct tally* tally, int code, const char* why) {
  if (tally->error == 0) {
    tally->error = code;
    snprintf(tally->message, sizeof tally->message, "%s", why);
  }
  return code;
}

/* ---- the callbacks ---- */

/* Returns whether the schema has this column at index i, without nulls. */
static int has(const struct ArrowSchema* schema, int64_t i, const char* name, const char* format) {
  if (schema->n_children <= i) return 0;
  const struct ArrowSchema* column = schema->children[i];
  return column->name != NULL && strcmp(column->name, name) == 0 && strcmp(column->format, format) == 0 &&
         (column->flags & ARROW_FLAG_NULLABLE) == 0;
}

static int on_schema(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowSchema* schema) {
  struct tally* tally = self->private_data;
  int known = strcmp(schema->format, "+s") == 0 && has(schema, 0, "symbol", "i") && has(schema, 1, "price", "g") &&
              has(schema, 2, "size", "i") && schema->children[0]->dictionary != NULL &&
              strcmp(schema->children[0]->dictionary->format, "u") == 0;
  schema->release(schema);
  pthread_mutex_lock(&tally->lock);
  int code = 0;
  if (!known) {
    code = failed(tally, EINVAL, "not quotes: symbol (dictionary<int32, utf8>), price (float64), size (int32), no nulls");
    tally->over = 1;
  } else if (self->producer->device_type != ARROW_DEVICE_CPU) {
    code = failed(tally, EINVAL, "the quotes are not in main memory");
    tally->over = 1;
  }
  tally->started = 1;
  pthread_cond_broadcast(&tally->changed);
  pthread_mutex_unlock(&tally->lock);
  return code;
}

static int on_next_task(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowAsyncTask* task, const char* metadata) {
  (void)metadata;
  struct tally* tally = self->private_data;
  int code = 0;
  pthread_mutex_lock(&tally->lock);
  if (task == NULL) {
    tally->over = 1;
  } else if (tally->waiting == AT_ONCE) {
    code = failed(tally, EINVAL, "the producer announced more than was requested");
    tally->over = 1;
  } else {
    tally->tasks[(tally->first + tally->waiting++) % AT_ONCE] = *task; /* the producer owns the struct */
  }
  pthread_cond_broadcast(&tally->changed);
  pthread_mutex_unlock(&tally->lock);
  return code;
}

static void on_error(struct ArrowAsyncDeviceStreamHandler* self, int code, const char* message, const char* metadata) {
  (void)metadata;
  struct tally* tally = self->private_data;
  pthread_mutex_lock(&tally->lock);
  failed(tally, code != 0 ? code : EIO, message != NULL ? message : "the producer failed without a word");
  tally->over = 1;
  pthread_cond_broadcast(&tally->changed);
  pthread_mutex_unlock(&tally->lock);
}

static void on_release(struct ArrowAsyncDeviceStreamHandler* self) {
  struct tally* tally = self->private_data;
  pthread_mutex_lock(&tally->lock);
  tally->over = 1;
  while (tally->asking) pthread_cond_wait(&tally->changed, &tally->lock);
  tally->released = 1; /* tally_close may free the tally as soon as the lock is released, not earlier */
  self->release = NULL;
  pthread_cond_broadcast(&tally->changed);
  pthread_mutex_unlock(&tally->lock);
}

/* ---- the thread ---- */

/* Requests n > 0 tasks, or cancels the stream if n is 0. Does nothing after the end of the stream. */
static void ask(struct tally* tally, int64_t n) {
  pthread_mutex_lock(&tally->lock);
  tally->asking = !tally->over;
  int asking = tally->asking;
  pthread_mutex_unlock(&tally->lock);
  if (!asking) return;
  struct ArrowAsyncProducer* producer = tally->handler.producer;
  if (n > 0) {
    producer->request(producer, n);
  } else {
    producer->cancel(producer);
  }
  pthread_mutex_lock(&tally->lock);
  tally->asking = 0;
  pthread_cond_broadcast(&tally->changed);
  pthread_mutex_unlock(&tally->lock);
}

/* Waits for a task, and takes it from the ring. Returns 0 if no more tasks can arrive. */
static int next_task(struct tally* tally, struct ArrowAsyncTask* out) {
  pthread_mutex_lock(&tally->lock);
  while (tally->waiting == 0 && !tally->released) pthread_cond_wait(&tally->changed, &tally->lock);
  int found = tally->waiting > 0;
  if (found) {
    *out = tally->tasks[tally->first];
    tally->first = (tally->first + 1) % AT_ONCE;
    tally->waiting--;
  }
  pthread_mutex_unlock(&tally->lock);
  return found;
}

/* Returns the index of a symbol's total, or -1 if there are too many symbols. */
static int32_t place(struct tally* tally, const char* text, int32_t length) {
  if (length > MOST_LETTERS) length = MOST_LETTERS;
  for (int32_t i = 0; i < tally->symbols; i++) {
    const char* known = tally->totals[i].symbol;
    if (strncmp(known, text, (size_t)length) == 0 && known[length] == '\0') return i;
  }
  if (tally->symbols == MOST_SYMBOLS) return -1;
  memcpy(tally->totals[tally->symbols].symbol, text, (size_t)length);
  return tally->symbols++;
}

/* Adds up a batch. Returns 0, or an errno. */
static int add_batch(struct tally* tally, const struct ArrowArray* batch) {
  const struct ArrowArray *symbols = batch->children[0], *prices = batch->children[1], *sizes = batch->children[2];
  const struct ArrowArray* words = symbols->dictionary;
  const int32_t* symbol = (const int32_t*)symbols->buffers[1] + symbols->offset + batch->offset;
  const double* price = (const double*)prices->buffers[1] + prices->offset + batch->offset;
  const int32_t* size = (const int32_t*)sizes->buffers[1] + sizes->offset + batch->offset;
  const int32_t* offsets = (const int32_t*)words->buffers[1] + words->offset;
  const char* text = words->buffers[2];

  int32_t places[MOST_SYMBOLS]; /* because each batch may have its own dictionary */
  if (words->length > MOST_SYMBOLS) return ERANGE;
  for (int64_t i = 0; i < words->length; i++) {
    places[i] = place(tally, text + offsets[i], offsets[i + 1] - offsets[i]);
    if (places[i] < 0) return ERANGE;
  }
  for (int64_t row = 0; row < batch->length; row++) {
    tally->totals[places[symbol[row]]].value += price[row] * size[row];
  }
  tally->batches++;
  return 0;
}

static void* add_up(void* argument) {
  struct tally* tally = argument;
  pthread_mutex_lock(&tally->lock);
  while (!tally->started && !tally->released) pthread_cond_wait(&tally->changed, &tally->lock);
  pthread_mutex_unlock(&tally->lock);
  int done = tally->stop_after <= 0;
  int code = 0;
  const char* why = "";
  int64_t taken = 0;
  struct ArrowAsyncTask task;
  ask(tally, done ? 0 : AT_ONCE);
  while (next_task(tally, &task)) {
    struct ArrowDeviceArray batch;
    batch.array.release = NULL;
    int failure = task.extract_data(&task, done ? NULL : &batch); /* after cancel, tasks are discarded */
    if (done) continue;
    if (failure == 0 && batch.array.release == NULL) failure = EIO;
    if (failure == 0) {
      code = add_batch(tally, &batch.array);
      why = "the batches have too many different symbols";
      batch.array.release(&batch.array);
    } else { /* on_error of the producer may have stored a better reason */
      code = failure;
      why = "a batch could not be extracted";
    }
    done = code != 0 || tally->batches == tally->stop_after;
    if (done) {
      ask(tally, 0);
    } else if (++taken % AT_ONCE == 0) {
      ask(tally, AT_ONCE);
    }
  }
  pthread_mutex_lock(&tally->lock);
  if (code != 0) failed(tally, code, why);
  pthread_mutex_unlock(&tally->lock);
  return NULL;
}

/* ---- the functions of ticker.h ---- */

struct tally* tally_open(int64_t stop_after) {
  struct tally* tally = ticker_alloc(sizeof *tally);
  if (tally == NULL) return NULL;
  tally->handler = (struct ArrowAsyncDeviceStreamHandler){
      .on_schema = on_schema,
      .on_next_task = on_next_task,
      .on_error = on_error,
      .release = on_release,
      .private_data = tally,
  };
  tally->stop_after = stop_after;
  pthread_mutex_init(&tally->lock, NULL);
  pthread_cond_init(&tally->changed, NULL);
  if (pthread_create(&tally->thread, NULL, add_up, tally) == 0) return tally;
  ticker_free(tally);
  return NULL;
}

int tally_join(struct tally* tally) {
  pthread_join(tally->thread, NULL);
  return tally->error;
}

int64_t tally_batches(const struct tally* tally) { return tally->batches; }
int32_t tally_symbols(const struct tally* tally) { return tally->symbols; }
const char* tally_symbol(const struct tally* tally, int32_t i) { return tally->totals[i].symbol; }
double tally_total(const struct tally* tally, int32_t i) { return tally->totals[i].value; }
const char* tally_error(const struct tally* tally) { return tally->message; }

void tally_close(struct tally* tally) {
  pthread_cond_destroy(&tally->changed);
  pthread_mutex_destroy(&tally->lock);
  ticker_free(tally);
}
