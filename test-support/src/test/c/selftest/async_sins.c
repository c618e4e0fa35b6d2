// SPDX-License-Identifier: Apache-2.0
/* Consumers and producers with violations that no switch of the peer makes. The peer must detect each of them. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "pair.h"
#include "tests.h"

static int (*real_next_task)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowAsyncTask*, const char*);
static void (*real_release)(struct ArrowAsyncDeviceStreamHandler*);
static struct ArrowAsyncTask* kept;

static int keep_pointer(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowAsyncTask* task, const char* bytes) {
  if (task != NULL && kept == NULL) {
    kept = task;
    return 0;
  }
  if (task == NULL && kept != NULL) kept->extract_data(kept, NULL);
  kept = NULL;
  return real_next_task(self, task, bytes);
}

static int refuse_extracted(struct ArrowAsyncDeviceStreamHandler* self, struct ArrowAsyncTask* task, const char* bytes) {
  if (task == NULL) return real_next_task(self, task, bytes);
  task->extract_data(task, NULL);
  return EIO;
}

static void call_from_release(struct ArrowAsyncDeviceStreamHandler* self) {
  self->producer->cancel(self->producer);
  real_release(self);
}

static void swapped(int (*next)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowAsyncTask*, const char*),
                    void (*release)(struct ArrowAsyncDeviceStreamHandler*), const char* text) {
  peer_reset();
  begin(1, 3, 0, PEER_ACON_TOLERANT);
  handler = peer_async_handler(&to);
  real_next_task = handler->on_next_task;
  real_release = handler->release;
  if (next != NULL) handler->on_next_task = next;
  if (release != NULL) handler->release = release;
  producer = peer_async_producer(&from);
  peer_async_produce(producer, handler);
  finish();
  CHECK(peer_violations() == 1 && strstr(peer_violation_text(), text));
}

static struct ArrowAsyncDeviceStreamHandler* target;

static void calls_back(struct ArrowAsyncProducer* self, int64_t n) {
  (void)self, (void)n;
  target->on_next_task(target, NULL, NULL);
}

static void does_nothing(struct ArrowAsyncProducer* self) { (void)self; }

/* A producer whose request calls on_next_task before it returns. */
static void reentrant(void) {
  struct ArrowAsyncProducer own = {.device_type = ARROW_DEVICE_CPU, .request = calls_back, .cancel = does_nothing};
  struct ArrowSchema schema;
  begin(0, 1, 0, 0);
  target = peer_async_handler(&to);
  target->producer = &own;
  peer_batch_schema(&schema);
  CHECK(target->on_schema(target, &schema) == 0 && strstr(peer_violation_text(), "ASY-04"));
  target->release(target);
  CHECK(target->release == NULL && peer_async_consumer_close(target, LIMIT) == 0);
}

void async_other_sins(void) {
  reentrant();
  swapped(keep_pointer, NULL, "ASY-15");
  swapped(refuse_extracted, NULL, "extracted and then refused");
  swapped(NULL, call_from_release, "ASY-20");
  peer_reset();
  begin(3, 3, PEER_ASYNC_STRICT | PEER_ASYNC_GATE_RELEASE, PEER_ACON_EXTRACT_RELEASED);
  launch();
  await_gate(1);
  CHECK(peer_violations() == 0);
  peer_async_request(handler, 1);
  CHECK(strstr(peer_violation_text(), "after the end"));
  peer_gate_open();
  finish();
  peer_reset();
  begin(1, 1, 0, PEER_ACON_LATE_REQUEST);
  launch();
  CHECK(peer_async_join(producer, LIMIT) == 0);
  CHECK(peer_async_consumer_join(handler, LIMIT) == 0); /* its own late request is over */
  peer_async_request(handler, 1);
  CHECK(strstr(peer_violation_text(), "ASY-22"));
  finish();
  peer_reset();
  begin(9, 1, PEER_ASYNC_GATE_REQUEST, 0);
  from.at = 1;
  launch();
  await_gate(1);
  peer_async_request(handler, 1);
  CHECK(strstr(peer_violation_text(), "another request was running"));
  peer_gate_open();
  finish();
}
