/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graph capture, for threads that do not capture: another thread does, and some of their calls may be forbidden
 * meanwhile.
 *
 * Included by: capture.c cuda.c hip.c
 */
#ifndef ARBALEST_GPU_CAPTURE_H
#define ARBALEST_GPU_CAPTURE_H

#include "gpu.h"

#pragma GCC visibility push(hidden)

enum capture_call {
  CAPTURE_SAFE,   /* takes its place in a stream, or uses none: never forbidden */
  CAPTURE_UNSAFE, /* "potentially unsafe": forbidden on a thread in any mode except relaxed */
  CAPTURE_ASKS    /* the same, for an event */
};

int capture_check(const char* name, enum capture_call call); /* 0, or the code that the call returns */
int capture_exchange(int* mode);

#pragma GCC visibility pop

#endif
