// SPDX-License-Identifier: Apache-2.0
/* Ends the work of a driver at the end of the process. If this takes more than five seconds, a thread hangs: the exit
   code is then 99. */
#define _GNU_SOURCE
#include "exit.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

struct thread {
  pthread_t id;
  struct thread* next;
};

static struct thread* threads;
static int joins, begun;
static int64_t called;

int exit_has_begun(void) { return begun; }
void exit_called_back(void) { called += begun; }

void exit_keep(pthread_t id) {
  struct thread* thread = malloc(sizeof(struct thread));
  if (thread == NULL) abort();
  gpu_lock();
  if (joins) {
    *thread = (struct thread){id, threads};
    threads = thread;
  } else {
    pthread_detach(id);
    free(thread);
  }
  gpu_unlock();
}

static void end(void) {
  struct timespec limit;
  int joined = 0;
  gpu_lock();
  begun = 1;
  gpu_progress();
  struct thread* thread = threads;
  gpu_unlock();
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 5;
  for (; thread != NULL; thread = thread->next, joined++) {
    if (pthread_timedjoin_np(thread->id, NULL, &limit) == 0) continue;
    dprintf(STDOUT_FILENO, "a thread of the driver does not end\n");
    _exit(99);
  }
  dprintf(STDOUT_FILENO, "the driver ends: %lld host functions called, %d threads joined\n", (long long)called, joined);
}

/* From now on, and for streams that are created from now on. */
DOUBLE void double_end_with_process(void) {
  gpu_lock();
  if (!joins && atexit(end) != 0) abort();
  joins = 1;
  gpu_unlock();
}
