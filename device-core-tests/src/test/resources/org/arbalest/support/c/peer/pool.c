// SPDX-License-Identifier: Apache-2.0
/*
 * Thread pools like the one of Arrow C++ (cpp/src/arrow/util/thread_pool.cc, GetCpuThreadPool). The first use of a pool
 * starts its thread, which runs the pool's jobs, and registers a static destructor. The destructor ends the thread and
 * joins it. A thread that does not end within some seconds hangs. The exit code is then 99, after the other pools have
 * ended. The destructor also reports if the JVM's table of functions (jni.h: a JavaVM points to it) has changed since
 * the start.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define POOLS 16

typedef int64_t (*function)(int64_t, int64_t, int64_t, int64_t); /* callbacks take up to four words, some fewer */

static struct pool {
  pthread_mutex_t lock;
  pthread_cond_t moved;
  pthread_t thread;
  function job, last;
  int64_t arguments[3], answer;
  int busy, ending;
} pools[POOLS];

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static struct pool* started[POOLS];
static int count, hung, patience = 5;
static void **vm, *functions;

static void* work(void* argument) {
  struct pool* pool = argument;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (!pool->busy && !pool->ending) pthread_cond_wait(&pool->moved, &pool->lock);
    if (pool->ending) break;
    pthread_mutex_unlock(&pool->lock);
    int64_t answer = pool->job(pool->arguments[0], pool->arguments[1], pool->arguments[2], 0);
    pthread_mutex_lock(&pool->lock);
    pool->answer = answer;
    pool->busy = 0;
    pthread_cond_broadcast(&pool->moved);
  }
  pthread_mutex_unlock(&pool->lock);
  if (pool->last != NULL) pool->last(pool->arguments[0], pool->arguments[1], pool->arguments[2], 0);
  return NULL;
}

/* Runs once for each started pool, in reverse order of their start, as destructors do. */
static void destroy(void) {
  struct pool* pool = started[--count];
  int number = (int)(pool - pools);
  pthread_mutex_lock(&pool->lock);
  pool->ending = 1;
  pthread_cond_broadcast(&pool->moved);
  pthread_mutex_unlock(&pool->lock);
  dprintf(STDOUT_FILENO, "pool %d: joining%s\n", number, *vm == functions ? "" : ", with other functions of the JVM");
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += hung ? 1 : patience; /* after one thread that hangs, the others get less time */
  if (pthread_timedjoin_np(pool->thread, NULL, &limit) == 0) {
    dprintf(STDOUT_FILENO, "pool %d: joined\n", number);
  } else {
    dprintf(STDOUT_FILENO, "pool %d: its thread does not end\n", number);
    hung = 1;
  }
  if (hung && count == 0) _exit(99);
}

static void find_jvm(void) {
  typedef int (*find)(void***, int, int*);
  find created = (find)dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs");
  int jvms = 0;
  if (created == NULL || created(&vm, 1, &jvms) != 0 || jvms != 1) abort();
  functions = *vm;
}

static void start(struct pool* pool) {
  pthread_mutex_lock(&starting);
  int is_started = 0;
  for (int i = 0; i < count; i++) is_started |= started[i] == pool;
  if (!is_started) {
    if (count == 0) find_jvm();
    if (pthread_mutex_init(&pool->lock, NULL) != 0 || pthread_cond_init(&pool->moved, NULL) != 0) abort();
    if (pthread_create(&pool->thread, NULL, work, pool) != 0 || atexit(destroy) != 0) abort();
    started[count++] = pool;
  }
  pthread_mutex_unlock(&starting);
}

/* Calls a function on a pool's thread, and returns its result. */
int64_t pool_call(int32_t number, function function, int64_t a, int64_t b, int64_t c) {
  struct pool* pool = &pools[number];
  start(pool);
  pthread_mutex_lock(&pool->lock);
  pool->job = function;
  pool->arguments[0] = a;
  pool->arguments[1] = b;
  pool->arguments[2] = c;
  pool->busy = 1;
  pthread_cond_broadcast(&pool->moved);
  while (pool->busy) pthread_cond_wait(&pool->moved, &pool->lock);
  int64_t answer = pool->answer;
  pthread_mutex_unlock(&pool->lock);
  return answer;
}

/* Sets the function that a pool's thread calls when it ends, with the arguments of its last call. */
void pool_end_with(int32_t number, function function) { pools[number].last = function; }

/* Sets the number of seconds after which a thread that does not end counts as hanging. */
void pool_patience(int32_t seconds) { patience = seconds; }
