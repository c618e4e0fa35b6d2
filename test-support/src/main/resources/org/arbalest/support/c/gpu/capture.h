/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graph capture, as those meet it who capture nothing: another thread does, and what they call may be forbidden meanwhile.
 *
 * Included by: capture.c cuda.c hip.c
 */
#ifndef ARBALEST_GPU_CAPTURE_H
#define ARBALEST_GPU_CAPTURE_H

#include "gpu.h"

#pragma GCC visibility push(hidden)

enum capture_call {
  CAPTURE_SAFE,   /* has its place in a stream, or touches none: never forbidden */
  CAPTURE_UNSAFE, /* "potentially unsafe": forbidden to a thread in another mode than relaxed */
  CAPTURE_ASKS    /* the same, of an event */
};

int capture_check(const char* name, enum capture_call call); /* 0, or the code that the call is answered with */
int capture_exchange(int* mode);

#pragma GCC visibility pop

#endif
