// SPDX-License-Identifier: Apache-2.0
/* Creates the pair, runs it, and closes it. */
#include "pair.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

int64_t p[PEER_ASYNC_SLOTS], c[PEER_ACON_SLOTS];
struct peer_async_options from;
struct peer_async_consumer_options to;
struct ArrowAsyncDeviceStreamHandler* handler;
void* producer;

void begin(int64_t batches, int64_t window, int64_t producer_flags, int64_t consumer_flags) {
  memset(p, 0, sizeof p);
  memset(c, 0, sizeof c);
  from = (struct peer_async_options){.flags = producer_flags, .batches = batches, .rows = 10, .at = 2, .code = EIO, .device_id = -1,
                                     .device_type = ARROW_DEVICE_CPU};
  to = (struct peer_async_consumer_options){.flags = consumer_flags, .window = window, .at = 2, .code = ENOMEM};
}

void launch(void) {
  handler = peer_async_handler(&to);
  producer = peer_async_producer(&from);
  peer_async_produce(producer, handler);
}

void finish(void) {
  CHECK(peer_async_consumer_join(handler, LIMIT) == 0);
  CHECK(peer_async_join(producer, LIMIT) == 0);
  peer_async_extract_dropped(handler);
  peer_async_results(producer, p);
  peer_async_consumer_results(handler, c);
  CHECK(p[PEER_ASYNC_OUTSTANDING] == 0 && peer_live_tasks() == 0);
  CHECK(peer_async_close(producer, LIMIT) == 0);
  CHECK(peer_async_consumer_close(handler, LIMIT) == 0);
  CHECK(peer_live_producers() == 0 && peer_live_handlers() == 0);
}

void await_gate(int64_t n) {
  for (int i = 0; i < LIMIT && peer_gate_waiting() < n; i++) usleep(1000);
  CHECK(peer_gate_waiting() == n);
}
