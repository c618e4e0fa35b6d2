/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of the producer that its consumer calls, and the tasks for it: the parts that the driver needs.
 *
 * Included by: source.c driver.c
 */
#ifndef ARBALEST_PEER_ASYNC_SOURCE_H
#define ARBALEST_PEER_ASYNC_SOURCE_H

#include "producer.h"

#pragma GCC visibility push(hidden)

struct task {
  struct record head;
  struct producer* own;
  int64_t index;
  struct ArrowAsyncTask given; /* the argument of on_next_task; invalid after it */
};

void source_fill(struct producer* p); /* the ArrowAsyncProducer */
struct task* source_task(struct producer* p, int64_t index);
void source_task_returned(struct task* task, int status); /* on_next_task returned; lock not held */
void source_go(struct producer* p); /* the struct is gone; lock held */
void source_check_gone(struct producer* p); /* with GONE_EARLY; lock held */

#pragma GCC visibility pop

#endif
