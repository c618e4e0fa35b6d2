// SPDX-License-Identifier: Apache-2.0
/* Copies that are slow, corrupted or stuck, on a test's request. */
#include "trouble.h"

#include <pthread.h>
#include <time.h>

#include "gpu.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t times;
static int64_t until_spoilt; /* copies until a corrupted one; 0: none */
static int64_t until_stuck;

static __thread int spared;

/* Makes each copy take longer by this factor, and at most 0.4 seconds. */
DOUBLE void double_slow(int64_t more) {
  pthread_mutex_lock(&lock);
  times = more;
  pthread_mutex_unlock(&lock);
}

/* Makes the nth copy from now on have one wrong byte in its middle. */
DOUBLE void double_spoil(int64_t nth) {
  pthread_mutex_lock(&lock);
  until_spoilt = nth;
  pthread_mutex_unlock(&lock);
}

/* Makes the nth copy from now on never end, with all later work in its stream. */
DOUBLE void double_stick(int64_t nth) {
  pthread_mutex_lock(&lock);
  until_stuck = nth;
  pthread_mutex_unlock(&lock);
}

/* Sets whether copies that the calling thread queues from now on are correct, and are not counted. */
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

/* On a busy machine a copy may take 50 times as long as usual, and a thousand of these times would take minutes. */
#define LONGEST 400000000

void trouble_wait(int64_t more, int64_t nanos) {
  int64_t left = (more - 1) * nanos;
  if (left > LONGEST) left = LONGEST;
  struct timespec time = {left / 1000000000, left % 1000000000};
  nanosleep(&time, NULL);
}
