// SPDX-License-Identifier: Apache-2.0
/* Copies that are slow, spoilt or stuck, as tests ask for them. */
#include "trouble.h"

#include <pthread.h>
#include <time.h>

#include "gpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t times;
static int64_t until_spoilt; /* copies until one is spoilt; 0: none is */
static int64_t until_stuck;

static __thread int spared;

/* Each copy takes so many times as long. */
DOUBLE void double_slow(int64_t more) {
  pthread_mutex_lock(&lock);
  times = more;
  pthread_mutex_unlock(&lock);
}

/* The nth copy from now on has one wrong byte in its middle. */
DOUBLE void double_spoil(int64_t nth) {
  pthread_mutex_lock(&lock);
  until_spoilt = nth;
  pthread_mutex_unlock(&lock);
}

/* The nth copy from now on never ends, nor does what is behind it in its stream. */
DOUBLE void double_stick(int64_t nth) {
  pthread_mutex_lock(&lock);
  until_stuck = nth;
  pthread_mutex_unlock(&lock);
}

/* Whether the copies that the calling thread queues from now on are as they should be, and are not counted. */
DOUBLE void double_spare(int is_spared) { spared = is_spared; }

static int comes_due(int64_t* left) { return *left > 0 && --*left == 0; }

struct trouble trouble_of_copy(void) {
  struct trouble trouble = {0};
  if (spared) return trouble;
  pthread_mutex_lock(&lock);
  trouble.times = times;
  trouble.spoils = comes_due(&until_spoilt);
  trouble.hangs = comes_due(&until_stuck);
  pthread_mutex_unlock(&lock);
  return trouble;
}

void trouble_wait(int64_t more, int64_t nanos) {
  int64_t left = (more - 1) * nanos;
  struct timespec time = {left / 1000000000, left % 1000000000};
  nanosleep(&time, NULL);
}
