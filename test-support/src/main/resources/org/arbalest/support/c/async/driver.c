// SPDX-License-Identifier: Apache-2.0
/* The part of the producer that drives a handler, one callback at a time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"

/* ---- callbacks ---- */

struct call {
  struct producer* own;
  enum callback which;
  struct ArrowSchema* schema;
  struct ArrowAsyncTask* task;
  const char *message, *metadata;
  int code, status;
  pthread_barrier_t* together;
};

static void* perform(void* argument) {
  struct call* call = argument;
  struct ArrowAsyncDeviceStreamHandler* handler = call->own->handler;
  struct inside outer = producer_inside((struct inside){call->own, call->which});
  if (call->together != NULL) pthread_barrier_wait(call->together);
  switch (call->which) {
    case ON_SCHEMA: call->status = handler->on_schema(handler, call->schema); break;
    case ON_NEXT_TASK: call->status = handler->on_next_task(handler, call->task, call->metadata); break;
    case ON_ERROR: handler->on_error(handler, call->code, call->message, call->metadata); break;
    case RELEASE: handler->release(handler); break;
    case NO_CALL: break;
  }
  producer_inside(outer);
  return NULL;
}

static pthread_t start(void* (*body)(void*), void* argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, body, argument) != 0) abort();
  return thread;
}

static int dispatch(struct call* call) {
  if (has(call->own, PEER_ASYNC_MANY_THREADS))
    pthread_join(start(perform, call), NULL);
  else
    perform(call);
  return call->status;
}

/* A request that is in progress while the last callback begins is permitted; a later one is not. */
static void set_over(struct producer* p) {
  pthread_mutex_lock(&p->lock);
  p->over = 1;
  pthread_mutex_unlock(&p->lock);
}

static void send_error(struct producer* p, int code, const char* what) {
  char text[160];
  struct call call = {.own = p, .which = ON_ERROR, .code = code};
  struct bytes metadata = bytes_copy(p->error_metadata.data, p->error_metadata.len), message;
  snprintf(text, sizeof text, "peer: %s failed \xE2\x80\x94 code %d", what, code);
  message = p->message.data != NULL ? bytes_copy(p->message.data, p->message.len) : bytes_copy(text, (int64_t)strlen(text) + 1);
  if (!has(p, PEER_ASYNC_MESSAGE_NULL)) call.message = message.data;
  call.metadata = metadata.data;
  producer_count(p, PEER_ASYNC_ERRORS);
  pthread_mutex_lock(&p->lock);
  p->result[PEER_ASYNC_ERROR_CODE] = code;
  pthread_mutex_unlock(&p->lock);
  dispatch(&call);
  set_over(p);
  bytes_free(&message);
  bytes_free(&metadata);
}

static void send_null(struct producer* p);

static int at_end(const struct producer* p) { return p->options.batches >= 0 && p->next >= p->options.batches; }

static void source_exhausted(struct producer* p) {
  pthread_mutex_lock(&p->lock);
  p->exhausted = 1;
  source_check_gone(p);
  pthread_mutex_unlock(&p->lock);
}

/* Arrow C++'s reaction to a cancellation or a refusal: an error in place of the next batch; at the end, the end. */
static void give_up(struct producer* p, const char* what) {
  source_exhausted(p);
  if (at_end(p))
    send_null(p);
  else
    send_error(p, EINVAL, what);
}

/* 1 to continue. */
static int refused(struct producer* p, const char* what) {
  if (has(p, PEER_ASYNC_IGNORE_REFUSAL)) return 1;
  if (has(p, PEER_ASYNC_ERROR_AFTER_REFUSAL)) give_up(p, what);
  return 0;
}

static int send_schema(struct producer* p) {
  struct ArrowSchema schema;
  struct call call = {.own = p, .which = ON_SCHEMA, .schema = &schema};
  if (has(p, PEER_ASYNC_BAD_SCHEMA)) {
    peer_schema_init(&schema, "+s", "", NULL, 0, 0, 2);
    peer_schema_init(schema.children[0], "l", "id", NULL, 0, 0, 0);
    peer_schema_init(schema.children[1], "?!", "name", NULL, 0, 0, 0);
  } else {
    peer_batch_schema(&schema);
  }
  int status = dispatch(&call);
  pthread_mutex_lock(&p->lock);
  p->result[PEER_ASYNC_SCHEMA_STATUS] = status;
  p->result[PEER_ASYNC_SCHEMA_KEPT] |= status == 0 && schema.release != NULL;
  pthread_mutex_unlock(&p->lock);
  if (schema.release != NULL) {
    if (status == 0) tracker_violation("ASY-03 on_schema returned 0 and left the schema where it was");
    schema.release(&schema);
  }
  return status == 0 || refused(p, "on_schema");
}

/* ---- tasks ---- */

static struct bytes task_metadata(struct producer* p, int64_t index) {
  char text[32];
  if (has(p, PEER_ASYNC_BAD_TASK_METADATA) && index == p->options.at) return metadata_bad();
  if (p->task_metadata.data != NULL || !has(p, PEER_ASYNC_TASK_METADATA))
    return bytes_copy(p->task_metadata.data, p->task_metadata.len);
  snprintf(text, sizeof text, "%lld", (long long)index);
  return metadata_pair("index", text);
}

static int send_one(struct producer* p, int64_t index, pthread_barrier_t* together) {
  struct bytes metadata = task_metadata(p, index);
  struct task* task = source_task(p, index);
  struct call call = {.own = p, .which = ON_NEXT_TASK, .task = &task->given, .metadata = metadata.data, .together = together};
  int status = dispatch(&call);
  bytes_free(&metadata);
  pthread_mutex_lock(&p->lock);
  if (p->result[PEER_ASYNC_TASK_STATUS] == 0) p->result[PEER_ASYNC_TASK_STATUS] = status;
  pthread_mutex_unlock(&p->lock);
  source_task_returned(task, status);
  return status;
}

struct twin {
  struct producer* own;
  int64_t index;
  pthread_barrier_t together;
};

static void* send_twin(void* argument) {
  struct twin* twin = argument;
  send_one(twin->own, twin->index, &twin->together);
  return NULL;
}

static int send_task(struct producer* p) {
  int64_t index = p->next++, at = p->options.at;
  int status;
  if (has(p, PEER_ASYNC_GATE_TASK) && index == at) gate_wait();
  if (has(p, PEER_ASYNC_CONCURRENT) && index == at) {
    struct twin twin = {.own = p, .index = p->next++};
    pthread_barrier_init(&twin.together, NULL, 2);
    pthread_t other = start(send_twin, &twin);
    status = send_one(p, index, &twin.together);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&twin.together);
  } else {
    status = send_one(p, index, NULL);
  }
  return status == 0 || refused(p, "on_next_task");
}

static void send_null(struct producer* p) {
  struct call call = {.own = p, .which = ON_NEXT_TASK};
  producer_count(p, PEER_ASYNC_ENDED);
  int status = dispatch(&call);
  set_over(p);
  pthread_mutex_lock(&p->lock);
  if (p->result[PEER_ASYNC_TASK_STATUS] == 0) p->result[PEER_ASYNC_TASK_STATUS] = status;
  pthread_mutex_unlock(&p->lock);
}

/* ---- the stream ---- */

enum move { SEND, END, FAIL, EXTRACT_FAILED, BAD_REQUEST, CANCELLED, STOP };

/* Lock held. 1, and *move, if there is work. Takes at most one of the queue's requests. */
static int decide(struct producer* p, enum move* move) {
  const struct peer_async_options* o = &p->options;
  if (p->queued > 0) {
    p->demand += p->queue[0];
    memmove(p->queue, p->queue + 1, sizeof p->queue - sizeof p->queue[0]);
    p->queued--;
    pthread_cond_broadcast(&p->moved);
  }
  int failing = has(p, PEER_ASYNC_ERROR) && p->next == o->at;
  int ending = !failing && at_end(p);
  int may_end = p->demand > 0 || !has(p, PEER_ASYNC_END_ON_DEMAND);
  int awaits = has(p, PEER_ASYNC_EXTRACT_FAILS) && !p->attempted && o->at < p->next && !has(p, PEER_ASYNC_EXTRACT_SILENT);
  if (p->stop)
    *move = STOP;
  else if (p->cancelled)
    *move = CANCELLED;
  else if (p->bad_request)
    *move = BAD_REQUEST;
  else if (p->extract_failed)
    *move = EXTRACT_FAILED;
  else if (failing && may_end)
    *move = FAIL;
  else if (ending && may_end && !awaits)
    *move = END;
  else if (!ending && !failing && (p->demand > 0 || (has(p, PEER_ASYNC_OVERSEND) && p->next >= o->at)))
    *move = SEND;
  else
    return 0;
  if (*move == SEND && p->demand > 0) p->demand--;
  if (*move == END || *move == FAIL || *move == EXTRACT_FAILED) {
    p->exhausted = 1;
    source_check_gone(p);
  }
  return 1;
}

static enum move next_move(struct producer* p) {
  enum move move;
  pthread_mutex_lock(&p->lock);
  while (!decide(p, &move))
    if (p->queued == 0) pthread_cond_wait(&p->moved, &p->lock);
  pthread_mutex_unlock(&p->lock);
  return move;
}

static void after_cancel(struct producer* p) {
  const struct peer_async_options* o = &p->options;
  for (int64_t i = 0; has(p, PEER_ASYNC_LATE) && i < o->late; i++) {
    pthread_mutex_lock(&p->lock);
    int owed = p->demand > 0 && (o->batches < 0 || p->next < o->batches);
    if (owed) p->demand--;
    pthread_mutex_unlock(&p->lock);
    if (!owed) break;
    if (!send_task(p)) return;
  }
  if (has(p, PEER_ASYNC_ERROR_AFTER_CANCEL)) give_up(p, "the stream");
  else if (has(p, PEER_ASYNC_END_AFTER_CANCEL)) send_null(p);
}

static void stream(struct producer* p) {
  char what[64];
  for (;;) switch (next_move(p)) {
      case SEND:
        if (!send_task(p)) return;
        break;
      case END:
        if (has(p, PEER_ASYNC_GATE_END)) gate_wait();
        if (!has(p, PEER_ASYNC_NO_END)) send_null(p);
        if (has(p, PEER_ASYNC_TASK_AFTER_END)) send_task(p);
        return;
      case FAIL:
      case EXTRACT_FAILED:
        if (has(p, PEER_ASYNC_GATE_END)) gate_wait();
        snprintf(what, sizeof what, "batch %lld", (long long)p->options.at);
        send_error(p, (int)p->options.code, what);
        return;
      case BAD_REQUEST: send_error(p, EINVAL, "request(n <= 0)"); return;
      case CANCELLED: after_cancel(p); return;
      case STOP: return;
    }
}

static void release(struct producer* p) {
  struct call call = {.own = p, .which = RELEASE};
  if (has(p, PEER_ASYNC_GONE_BEFORE_RELEASE)) {
    pthread_mutex_lock(&p->lock);
    source_go(p);
    pthread_mutex_unlock(&p->lock);
  }
  if (has(p, PEER_ASYNC_GATE_RELEASE)) gate_wait();
  struct ArrowAsyncDeviceStreamHandler again = *p->handler;
  if (again.release == NULL) {
    tracker_violation("the handler's release is NULL before it was called");
    return;
  }
  dispatch(&call);
  producer_count(p, PEER_ASYNC_RELEASED);
  if (has(p, PEER_ASYNC_RELEASE_TWICE)) {
    again.release(p->handler);
    producer_count(p, PEER_ASYNC_RELEASED);
  }
}

static void* drive(void* argument) {
  struct producer* p = argument;
  p->handler->producer = has(p, PEER_ASYNC_NO_PRODUCER) ? NULL : (struct ArrowAsyncProducer*)(void*)p->bytes;
  if (has(p, PEER_ASYNC_GATE_SCHEMA)) gate_wait();
  if (has(p, PEER_ASYNC_ERROR_FIRST))
    send_error(p, (int)p->options.code, "the source");
  else if (send_schema(p) && (!has(p, PEER_ASYNC_SCHEMA_TWICE) || send_schema(p)))
    stream(p);
  release(p);
  pthread_mutex_lock(&p->lock);
  p->released = p->done = p->result[PEER_ASYNC_DONE] = 1;
  pthread_cond_broadcast(&p->moved);
  source_go(p);
  producer_settle(p);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* ---- for the test ---- */

void* peer_async_producer(const struct peer_async_options* options) {
  struct producer* p = producer_open(options);
  source_fill(p);
  return p;
}

void peer_async_produce(void* producer, struct ArrowAsyncDeviceStreamHandler* handler) {
  struct producer* p = producer;
  if (p->started) abort();
  p->started = 1;
  p->handler = handler;
  if (has(p, PEER_ASYNC_ON_CALLER)) {
    drive(p);
  } else {
    p->threaded = 1;
    p->thread = start(drive, p);
  }
}
