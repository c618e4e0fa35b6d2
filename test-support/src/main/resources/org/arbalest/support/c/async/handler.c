// SPDX-License-Identifier: Apache-2.0
/* The part of the consumer that its producer calls: a handler that detects forbidden calls. */
#include <errno.h>
#include <string.h>

#include "checks/checks.h"
#include "reader.h"

static void late(const char* what, const char* after) { tracker_violation("ASY-19 %s was called after %s", what, after); }

/* The lock is held on return. 0 if the call must do nothing: the handler is released. */
static int enter(struct consumer* c, const char* what, int slot) {
  pthread_t self = pthread_self();
  int is_error = slot == PEER_ACON_ERRORS;
  enum calling calling = consumer_calling(c);
  if (calling != NO_CALLING && !(calling == CANCELLING && is_error))
    tracker_violation("ASY-04 %s was called from inside %s", what, calling == CANCELLING ? "cancel" : "request");
  if (atomic_fetch_add(&c->in_callback, 1) > 0) tracker_violation("ASY-19 %s was called while another callback was running", what);
  pthread_mutex_lock(&c->lock);
  if (c->called++ && !pthread_equal(c->last_thread, self)) c->result[PEER_ACON_THREADS_SEEN]++;
  c->last_thread = self;
  c->result[slot]++;
  if (c->released) {
    late(what, "release");
    return 0;
  }
  return 1;
}

/* The lock is released. */
static int leave(struct consumer* c, int status) {
  if (status != 0) c->refused = 1;
  pthread_cond_broadcast(&c->moved);
  pthread_mutex_unlock(&c->lock);
  atomic_fetch_sub(&c->in_callback, 1);
  return status;
}

/* Lock held. For a callback other than release. */
static void check_open(struct consumer* c, const char* what, int is_end) {
  if (c->refused) {
    c->result[PEER_ACON_AFTER_REFUSAL]++;
    if (!(is_end && wants(c, PEER_ACON_TOLERANT))) tracker_violation("ASY-11 %s was called after a non-zero status", what);
  }
  if (c->ended) late(what, "the NULL task");
  if (c->failed) late(what, "on_error");
}

static void keep(struct consumer* c, int which, const char* metadata, int is_metadata) {
  int64_t len = metadata == NULL ? -1 : is_metadata ? metadata_length(metadata) : (int64_t)strlen(metadata);
  bytes_free(&c->bytes[which]);
  c->bytes[which] = bytes_copy(metadata, len);
  c->bytes[which].len = len;
}

static int any(const unsigned char* bytes, int from, int to) {
  for (int i = from; i < to; i++)
    if (bytes[i] != 0) return 1;
  return 0;
}

static void look_at(struct consumer* c, struct ArrowAsyncProducer* producer) {
  c->producer = producer;
  c->result[PEER_ACON_DEVICE_TYPE] = producer->device_type;
  if (producer->request == NULL || producer->cancel == NULL) tracker_violation("ASY-01 the producer lacks request or cancel");
  const unsigned char* bytes = (const unsigned char*)producer;
  if (wants(c, PEER_ACON_CHECK_TAIL) && any(bytes, producer->additional_metadata == NULL ? 24 : 32, 48))
    tracker_violation("the producer struct is not zero from its private_data to byte 47");
  const char* metadata = wants(c, PEER_ACON_V_LAYOUT) ? ((const char* const*)(const void*)producer)[4] : producer->additional_metadata;
  keep(c, PEER_ACON_STREAM_METADATA, metadata, 1);
}

static int on_schema(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowSchema* schema) {
  struct consumer* c = consumer_of(self);
  if (!enter(c, "on_schema", PEER_ACON_SCHEMAS)) return leave(c, EINVAL);
  check_open(c, "on_schema", 0);
  if (c->result[PEER_ACON_SCHEMAS] > 1) tracker_violation("ASY-02 on_schema was called twice");
  if (c->result[PEER_ACON_TASKS] > 0) tracker_violation("ASY-02 on_schema was not first");
  if (self->producer == NULL) {
    tracker_violation("ASY-01 the producer is NULL at on_schema");
    return leave(c, EINVAL);
  }
  if (schema == NULL || schema->release == NULL) {
    tracker_violation("on_schema came without a schema");
    return leave(c, EINVAL);
  }
  look_at(c, self->producer);
  int refuses = wants(c, PEER_ACON_REFUSE_SCHEMA);
  c->result[PEER_ACON_SCHEMA_HASH] = peer_schema_checksum(schema);
  if (!wants(c, PEER_ACON_LEAVE_SCHEMA) && (!refuses || wants(c, PEER_ACON_REFUSE_TAKING)) && !c->has_schema) {
    c->schema = *schema;
    schema->release = NULL;
    c->has_schema = 1;
  }
  if (refuses) return leave(c, (int)c->options.code);
  pthread_cond_broadcast(&c->moved);
  pthread_mutex_unlock(&c->lock);
  if (!wants(c, PEER_ACON_REQUEST_LATER)) reader_window(c);
  if (wants(c, PEER_ACON_CANCEL_SCHEMA)) reader_cancel_as_told(c);
  if (wants(c, PEER_ACON_GATE_SCHEMA)) gate_wait();
  pthread_mutex_lock(&c->lock);
  return leave(c, 0);
}

/* Lock held. */
static void note_metadata(struct consumer* c, const char* metadata) {
  keep(c, PEER_ACON_LAST_METADATA, metadata, 1);
  const struct bytes* kept = &c->bytes[PEER_ACON_LAST_METADATA];
  uint64_t hash = (uint64_t)c->result[PEER_ACON_METADATA_HASH];
  if (metadata != NULL) c->result[PEER_ACON_TASK_METADATA]++;
  for (int64_t i = 0; i < kept->len; i++) hash = (hash ^ ((const unsigned char*)kept->data)[i]) * 0x100000001B3u;
  c->result[PEER_ACON_METADATA_HASH] = (int64_t)hash;
}

static int on_end(struct consumer* c) {
  c->ended = 1;
  return leave(c, wants(c, PEER_ACON_REFUSE_END) ? (int)c->options.code : 0);
}

static int on_next_task(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowAsyncTask* task, const char* metadata) {
  struct consumer* c = consumer_of(self);
  int slot = task == NULL ? PEER_ACON_ENDS : PEER_ACON_TASKS;
  if (!enter(c, "on_next_task", slot)) return leave(c, EINVAL);
  check_open(c, "on_next_task", task == NULL);
  if (c->result[PEER_ACON_SCHEMAS] == 0) tracker_violation("ASY-02 on_next_task came before on_schema");
  if (task == NULL) return on_end(c);
  int64_t index = c->result[PEER_ACON_TASKS] - 1;
  int here = index == c->options.at;
  if (index >= c->result[PEER_ACON_REQUESTED] && !c->odd_request)
    tracker_violation("ASY-06 task %lld came, of %lld requested", (long long)index, (long long)c->result[PEER_ACON_REQUESTED]);
  if (task->extract_data == NULL) tracker_violation("a task lacks extract_data");
  c->result[PEER_ACON_AFTER_CANCEL] += c->cancelled;
  note_metadata(c, metadata);
  if (here && wants(c, PEER_ACON_REFUSE_TASK)) return leave(c, (int)c->options.code);
  int discard = c->cancelling;
  pthread_mutex_unlock(&c->lock);
  if (here && wants(c, PEER_ACON_GATE_INSIDE)) gate_wait();
  if (here && wants(c, PEER_ACON_CANCEL_INSIDE)) {
    reader_cancel_as_told(c);
    discard = 1;
  } else if (wants(c, PEER_ACON_REQUEST_INSIDE | PEER_ACON_EXTRACT_INSIDE)) {
    reader_ask(c, index);
  }
  struct entry* entry = NULL;
  if (wants(c, PEER_ACON_EXTRACT_INSIDE)) {
    if (c->options.discard_every > 0 && (index + 1) % c->options.discard_every == 0) discard = 1;
    reader_extract(c, task, index, discard);
  } else {
    entry = tracker_alloc(sizeof *entry);
    entry->task = *task;
    entry->index = index;
  }
  pthread_mutex_lock(&c->lock);
  if (entry != NULL) entries_add(&c->queue, entry);
  return leave(c, 0);
}

static void on_error(struct ArrowAsyncDeviceStreamHandler* self, int code, const char* message, const char* metadata) {
  struct consumer* c = consumer_of(self);
  if (enter(c, "on_error", PEER_ACON_ERRORS)) {
    check_open(c, "on_error", 1);
    if (self->producer == NULL) tracker_violation("ASY-01 on_error was called before the handler's producer was set");
    if (c->cancelled) {
      c->result[PEER_ACON_ERRORS_CANCELLED]++;
      if (!wants(c, PEER_ACON_TOLERANT) && !c->extract_failed && !c->odd_request)
        tracker_violation("ASY-09 on_error(%d) was called after cancel", code);
    }
    if (code == 0) tracker_violation("on_error came with code 0");
    if (!c->failed) {
      c->result[PEER_ACON_CODE] = code;
      keep(c, PEER_ACON_MESSAGE, message, 0);
      keep(c, PEER_ACON_ERROR_METADATA, metadata, 1);
    }
    c->failed = 1;
  }
  leave(c, 0);
}

static void release(struct ArrowAsyncDeviceStreamHandler* self) {
  struct consumer* c = consumer_of(self);
  int waits = consumer_calling(c) == NO_CALLING && !wants(c, PEER_ACON_LATE_REQUEST);
  if (waits) pthread_mutex_lock(&c->calls);
  if (enter(c, "release", PEER_ACON_RELEASES)) {
    if (!c->ended && !c->failed && !c->refused && !c->cancelling && !wants(c, PEER_ACON_TOLERANT))
      tracker_violation("ASY-14 release came without an end, an error or a cancel, %lld tasks seen", (long long)c->result[PEER_ACON_TASKS]);
    c->released = 1;
    if (!wants(c, PEER_ACON_RELEASE_STAYS)) self->release = NULL;
  }
  leave(c, 0);
  if (waits) pthread_mutex_unlock(&c->calls);
}

/* ---- for the test ---- */

struct ArrowAsyncDeviceStreamHandler* peer_async_handler(const struct peer_async_consumer_options* options) {
  struct consumer* c = consumer_open(options, reader_run);
  c->handler.on_schema = on_schema;
  c->handler.on_next_task = on_next_task;
  c->handler.on_error = on_error;
  c->handler.release = release;
  return &c->handler;
}

void peer_async_request(struct ArrowAsyncDeviceStreamHandler* handler, int64_t n) { reader_request(consumer_of(handler), n); }
void peer_async_cancel(struct ArrowAsyncDeviceStreamHandler* handler) { reader_cancel(consumer_of(handler)); }
