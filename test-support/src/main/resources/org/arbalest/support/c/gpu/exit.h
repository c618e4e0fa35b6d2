/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of the process, if a test asks for it: as a driver may in a static destructor, the double lets go what was held back until then, does
 * what is queued, which calls host functions though the JVM is over, and joins its threads.
 *
 * Included by: exit.c queue.c
 */
#ifndef ARBALEST_GPU_EXIT_H
#define ARBALEST_GPU_EXIT_H

#include <pthread.h>

#pragma GCC visibility push(hidden)

int exit_has_begun(void);         /* locked */
void exit_called_back(void);      /* a host function has returned; locked */
void exit_keep(pthread_t thread); /* which is joined then, or else detached now */

#pragma GCC visibility pop

#endif
