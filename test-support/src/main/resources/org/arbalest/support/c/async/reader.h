/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the consumer that calls its producer: requests, cancels, extractions, and the threads that do them.
 *
 * Included by: reader.c handler.c
 */
#ifndef ARBALEST_PEER_ASYNC_READER_H
#define ARBALEST_PEER_ASYNC_READER_H

#include "consumer.h"

#pragma GCC visibility push(hidden)

void* reader_run(void* consumer); /* the body of its threads */
void reader_request(struct consumer* c, int64_t n); /* at once */
void reader_cancel(struct consumer* c);             /* once */
void reader_window(struct consumer* c);             /* the first request */
void reader_ask(struct consumer* c, int64_t index); /* for the tasks after task `index` */
void reader_cancel_as_told(struct consumer* c);     /* with the switches */
void reader_extract(struct consumer* c, struct ArrowAsyncTask* task, int64_t index, int discard);

#pragma GCC visibility pop

#endif
