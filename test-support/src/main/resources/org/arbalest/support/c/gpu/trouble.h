/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a GPU may do wrong with copies, so that a check of GPUs can be checked: be slow, spoil a byte, never go on. trouble.c knows of no stream; queue.c
 * asks it about each copy.
 *
 * Included by: trouble.c queue.c
 */
#ifndef ARBALEST_GPU_TROUBLE_H
#define ARBALEST_GPU_TROUBLE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct trouble {
  int64_t times; /* how many times as long as usual; 0 or 1: as usual */
  int spoils;    /* whether a byte arrives wrong */
  int hangs;     /* whether it never ends */
};

struct trouble trouble_of_copy(void); /* what befalls the copy that the calling thread queues now */
void trouble_wait(int64_t times, int64_t nanos); /* as much longer as a copy takes that took so long; not locked */

#pragma GCC visibility pop

#endif
