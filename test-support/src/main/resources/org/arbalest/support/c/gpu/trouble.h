/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The faults of a GPU's copies, for tests of the check of GPUs: slow copies, a wrong byte, a copy that never ends.
 * trouble.c does not use streams; queue.c queries it about each copy.
 *
 * Included by: trouble.c queue.c
 */
#ifndef ARBALEST_GPU_TROUBLE_H
#define ARBALEST_GPU_TROUBLE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct trouble {
  int64_t times; /* the factor of the usual time; 0 or 1: the usual time */
  int spoils;    /* whether a byte is wrong */
  int hangs;     /* whether it never ends */
};

struct trouble trouble_of_copy(void); /* the fault of the copy that the calling thread queues now */
void trouble_wait(int64_t times, int64_t nanos); /* waits for the extra time of a slow copy; not locked */

#pragma GCC visibility pop

#endif
