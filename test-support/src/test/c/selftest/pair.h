/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A producer and a consumer of async/ that drive each other, and their results. pair.c owns both; the tests use them.
 *
 * Included by: pair.c async_tests.c async_sins.c
 */
#include "async/async.h"

#define LIMIT 60000 /* milliseconds */

extern int64_t p[PEER_ASYNC_SLOTS], c[PEER_ACON_SLOTS]; /* results, after finish */
extern struct peer_async_options from;
extern struct peer_async_consumer_options to;
extern struct ArrowAsyncDeviceStreamHandler* handler;
extern void* producer;

void begin(int64_t batches, int64_t window, int64_t producer_flags, int64_t consumer_flags);
void launch(void);
void finish(void);
void await_gate(int64_t n);
