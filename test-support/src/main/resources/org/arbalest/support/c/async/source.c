// SPDX-License-Identifier: Apache-2.0
/* The part of the producer that its consumer calls: request, cancel and extract_data. */
#include "source.h"

#include <errno.h>
#include <string.h>

static const unsigned char junk[64] = {0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5}; /* a negative count */

/* ---- request and cancel ---- */

/* Lock held. 0 if the call must do nothing. */
static int admit(struct producer* p, const void* self, const char* what, int ended, int released) {
  int64_t* result = p->result;
  int64_t sent = result[PEER_ASYNC_SENT];
  if (self != p->bytes) tracker_violation("%s was called on a copy of the producer struct", what);
  enum callback inside = producer_callback(p);
  if (inside == ON_ERROR || inside == RELEASE)
    tracker_violation("ASY-20 %s was called from inside %s", what, inside == RELEASE ? "release" : "on_error");
  if (p->released) {
    result[released]++;
    if (!has(p, PEER_ASYNC_TOLERANT))
      tracker_violation("ASY-22 %s was called after release, %lld tasks sent", what, (long long)sent);
  } else if (p->gone) {
    result[PEER_ASYNC_GONE_CALLS]++;
    if (!has(p, PEER_ASYNC_TOLERANT))
      tracker_violation("%s was called on a producer struct that is gone, %lld tasks sent", what, (long long)sent);
  } else if (p->over && has(p, PEER_ASYNC_STRICT)) {
    tracker_violation("%s was called after the end, %lld tasks sent", what, (long long)sent);
  }
  result[ended] += p->over && !p->released;
  return !p->gone && !p->released;
}

/* seen: it is already a violation. */
static void crash(struct producer* p, const char* what, int seen) {
  p->result[PEER_ASYNC_CRASHES]++;
  if (!seen && !has(p, PEER_ASYNC_TOLERANT)) tracker_violation("%s would have crashed such a producer", what);
}

static int64_t add(int64_t a, int64_t b) { return b > 0 && a > INT64_MAX - b ? INT64_MAX : a + b; }

/* Lock held; it may be released. Like arrow-go: checks only the space in the queue, not n. */
static void enqueue(struct producer* p, int64_t n) {
  if (p->queued == SLOTS_OF_QUEUE) p->result[PEER_ASYNC_BLOCKED_REQUESTS]++;
  while (p->queued == SLOTS_OF_QUEUE && !p->gone && !p->cancelled && !p->stop && !p->done)
    pthread_cond_wait(&p->moved, &p->lock);
  if (p->gone) crash(p, "request, blocked until the end,", 0);
  if (p->queued == SLOTS_OF_QUEUE) return;
  p->queue[p->queued++] = n;
}

static void request(struct producer* p, const void* self, int64_t n) {
  int64_t* result = p->result;
  if (atomic_fetch_add(&p->in_request, 1) > 0) tracker_violation("request was called while another request was running");
  pthread_mutex_lock(&p->lock);
  int64_t index = result[PEER_ASYNC_REQUESTS]++;
  pthread_mutex_unlock(&p->lock);
  if (has(p, PEER_ASYNC_GATE_REQUEST) && index == p->options.at) gate_wait();
  pthread_mutex_lock(&p->lock);
  int live = admit(p, self, "request", PEER_ASYNC_REQUESTS_ENDED, PEER_ASYNC_REQUESTS_RELEASED);
  result[PEER_ASYNC_REQUESTS_INSIDE] += producer_callback(p) != NO_CALL;
  if (n <= 0) {
    result[PEER_ASYNC_BAD_REQUESTS]++;
    tracker_violation("ASY-05 request(%lld)", (long long)n);
  }
  if (p->cancelled) {
    result[PEER_ASYNC_REQUESTS_CANCELLED]++;
  } else if (!live) {
    if (has(p, PEER_ASYNC_REQUEST_QUEUE)) crash(p, "request after the end", 1);
  } else {
    if (n > 0) result[PEER_ASYNC_REQUESTED] = add(result[PEER_ASYNC_REQUESTED], n);
    if (has(p, PEER_ASYNC_REQUEST_QUEUE))
      enqueue(p, n);
    else if (n > 0)
      p->demand = add(p->demand, n);
    else if (has(p, PEER_ASYNC_WRAP_REQUESTS))
      p->demand = INT64_MAX;
    else
      p->bad_request = 1;
  }
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
  atomic_fetch_sub(&p->in_request, 1);
}

static void cancel(struct producer* p, const void* self) {
  pthread_mutex_lock(&p->lock);
  int64_t index = p->result[PEER_ASYNC_CANCELS]++;
  int live = admit(p, self, "cancel", PEER_ASYNC_CANCELS_ENDED, PEER_ASYNC_CANCELS_RELEASED);
  if (has(p, PEER_ASYNC_CANCEL_ONCE) && (index > 0 || !live)) crash(p, "a second cancel", !live);
  p->cancelled = 1;
  pthread_cond_broadcast(&p->moved);
  pthread_mutex_unlock(&p->lock);
}

/* private_data is at 32 or, in the layout of the specification's text, at 40. It remains when the struct is gone. */
static struct producer* at_32(const void* self) { return ((void* const*)self)[4]; }
static struct producer* at_40(const void* self) { return ((void* const*)self)[5]; }
static void h_request(struct ArrowAsyncProducer* self, int64_t n) { request(at_32(self), self, n); }
static void v_request(struct ArrowAsyncProducer* self, int64_t n) { request(at_40(self), self, n); }
static void h_cancel(struct ArrowAsyncProducer* self) { cancel(at_32(self), self); }
static void v_cancel(struct ArrowAsyncProducer* self) { cancel(at_40(self), self); }

static void v_release(struct ArrowAsyncProducer* self) {
  (void)self;
  tracker_violation("the consumer called release of the producer struct, which is the producer's");
}

void source_fill(struct producer* p) {
  struct ArrowAsyncProducer* out = (void*)p->bytes;
  void** words = (void**)(void*)p->bytes;
  int v = has(p, PEER_ASYNC_V_LAYOUT);
  out->device_type = (ArrowDeviceType)p->options.device_type;
  out->request = v ? v_request : h_request;
  out->cancel = v ? v_cancel : h_cancel;
  if (v) words[3] = (void*)v_release;
  words[v ? 4 : 3] = p->stream_metadata.data;
  words[v ? 5 : 4] = p;
  if (!v) words[5] = (void*)junk; /* not part of the struct */
}

void source_go(struct producer* p) {
  if (p->gone) return;
  p->gone = p->result[PEER_ASYNC_GONE] = 1;
  if (has(p, PEER_ASYNC_GONE_TRASHED | PEER_ASYNC_GONE_ZEROED)) {
    memset(p->bytes, has(p, PEER_ASYNC_GONE_TRASHED) ? 0xA5 : 0, sizeof p->bytes);
  } else { /* request and cancel stay, to detect their callers */
    memset(p->bytes, 0xA5, 8);
    ((const void**)(void*)p->bytes)[has(p, PEER_ASYNC_V_LAYOUT) ? 4 : 3] = junk;
  }
  if (p->stream_metadata.data != NULL) memset(p->stream_metadata.data, 0xA5, (size_t)p->stream_metadata.len);
  pthread_cond_broadcast(&p->moved);
}

void source_check_gone(struct producer* p) {
  if (has(p, PEER_ASYNC_GONE_EARLY) && p->exhausted && p->result[PEER_ASYNC_OUTSTANDING] == 0) source_go(p);
}

/* ---- tasks ---- */

static void fill(struct producer* p, int64_t index, struct ArrowDeviceArray* out) {
  const int32_t at_once = PEER_BAD_CHILDREN | PEER_BAD_BUFFERS | PEER_BAD_OFFSETS | PEER_OTHER_DEVICE;
  const struct peer_async_options* o = &p->options;
  int32_t flavour = (int32_t)o->flavour & (index == o->at ? -1 : ~at_once);
  struct ArrowArray array;
  peer_batch(&array, index * o->rows, o->rows, flavour);
  peer_device_array_wrap(out, &array, o->device_id, (int32_t)o->device_type + (flavour & PEER_OTHER_DEVICE ? 1 : 0), NULL,
                         flavour & PEER_DIRTY_RESERVED);
}

static int extract(struct ArrowAsyncTask* self, struct ArrowDeviceArray* out) {
  struct task* task = self->private_data;
  struct producer* p = task->own;
  int64_t* result = p->result;
  int here = task->index == p->options.at, fails = here && out != NULL && has(p, PEER_ASYNC_EXTRACT_FAILS);
  if (here && has(p, PEER_ASYNC_GATE_EXTRACT)) gate_wait();
  if (!tracker_retire(&task->head)) {
    tracker_violation("ASY-16 extract_data came again for task %lld, or after it was taken back", (long long)task->index);
    pthread_mutex_lock(&p->lock);
    result[PEER_ASYNC_SECOND_EXTRACTS]++;
    pthread_mutex_unlock(&p->lock);
    if (out != NULL) out->array.release = NULL;
    return EINVAL;
  }
  if (fails && has(p, PEER_ASYNC_EXTRACT_GARBAGE)) memset(out, 0xA5, sizeof *out);
  if (fails && has(p, PEER_ASYNC_EXTRACT_ZERO)) out->array.release = NULL;
  if (out != NULL && !fails) fill(p, task->index, out);
  pthread_mutex_lock(&p->lock);
  result[producer_callback(p) != NO_CALL ? PEER_ASYNC_EXTRACTED_INSIDE : PEER_ASYNC_EXTRACTED_OUTSIDE]++;
  result[out != NULL ? PEER_ASYNC_EXTRACTED : PEER_ASYNC_DISCARDED]++;
  if (out == NULL && has(p, PEER_ASYNC_NULL_CRASHES)) result[PEER_ASYNC_NULL_EXTRACTS]++;
  if (fails && !has(p, PEER_ASYNC_EXTRACT_SILENT)) p->extract_failed = 1;
  if (here) p->attempted = 1;
  result[PEER_ASYNC_OUTSTANDING]--;
  source_check_gone(p);
  pthread_cond_broadcast(&p->moved);
  producer_settle(p);
  pthread_mutex_unlock(&p->lock);
  return fails && !has(p, PEER_ASYNC_EXTRACT_ZERO) ? (int)p->options.code : 0;
}

static int extract_stale(struct ArrowAsyncTask* self, struct ArrowDeviceArray* out) {
  tracker_violation("ASY-15 extract_data was called on the struct of on_next_task after that returned");
  return extract(self, out);
}

struct task* source_task(struct producer* p, int64_t index) {
  struct task* task = tracker_open(sizeof *task, TRACKER_TASK);
  task->own = p;
  task->index = index;
  task->given.extract_data = extract;
  task->given.private_data = task;
  pthread_mutex_lock(&p->lock);
  p->result[PEER_ASYNC_SENT]++;
  p->result[PEER_ASYNC_OUTSTANDING]++;
  pthread_mutex_unlock(&p->lock);
  return task;
}

void source_task_returned(struct task* task, int status) {
  struct producer* p = task->own;
  task->given.extract_data = extract_stale;
  if (status == 0) return;
  int back = 0;
  if (!has(p, PEER_ASYNC_REFUSED_STAYS)) {
    back = tracker_retire(&task->head);
    if (!back) tracker_violation("task %lld was extracted and then refused: it is the producer's then", (long long)task->index);
  }
  pthread_mutex_lock(&p->lock);
  p->result[PEER_ASYNC_TAKEN_BACK] += back;
  p->result[PEER_ASYNC_OUTSTANDING] -= back;
  source_check_gone(p);
  producer_settle(p);
  pthread_mutex_unlock(&p->lock);
}
