/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of the process, if a test requests it. Like a driver in a static destructor, the simulator releases work that
 * was held until then. It does queued work, which calls host functions although the JVM has ended, and joins its
 * threads.
 *
 * Included by: exit.c queue.c
 */
#ifndef ARBALEST_GPU_EXIT_H
#define ARBALEST_GPU_EXIT_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

int exit_has_begun(void);         /* locked */
void exit_called_back(void);      /* a host function has returned; locked */
void exit_keep(pthread_t thread); /* it is joined then, or detached now */

#pragma GCC visibility pop

#endif
