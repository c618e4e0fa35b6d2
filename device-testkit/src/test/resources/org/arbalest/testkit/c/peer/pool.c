// SPDX-License-Identifier: Apache-2.0
/*
 * A thread pool like that of Arrow C++ (cpp/src/arrow/util/thread_pool.cc, GetCpuThreadPool): made at the first use, its thread does what it is
 * given, and the static destructor, which that use registered, tells it to end and joins it. Whoever hangs in that for five seconds, hangs.
 * The destructor also says whether the JVM's functions (jni.h: a JavaVM points to their table) are still those of the beginning, as a JDK that is
 * corrected does not need others.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int64_t (*function)(int64_t, int64_t, int64_t, int64_t); /* callbacks take up to four words, some fewer */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static pthread_t worker;
static function job;
static int64_t arguments[3], answer;
static int busy, ending;
static function last;
static void **vm, *functions;

static void* work(void* unused) {
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!busy && !ending) pthread_cond_wait(&moved, &lock);
    if (ending) break;
    pthread_mutex_unlock(&lock);
    int64_t said = job(arguments[0], arguments[1], arguments[2], 0);
    pthread_mutex_lock(&lock);
    answer = said;
    busy = 0;
    pthread_cond_broadcast(&moved);
  }
  pthread_mutex_unlock(&lock);
  if (last != NULL) last(arguments[0], arguments[1], arguments[2], 0);
  return unused;
}

static void say(const char* words) {
  if (write(STDOUT_FILENO, words, __builtin_strlen(words)) < 0) abort();
}

static void destroy(void) {
  pthread_mutex_lock(&lock);
  ending = 1;
  pthread_cond_broadcast(&moved);
  pthread_mutex_unlock(&lock);
  say(*vm == functions ? "joining\n" : "joining, with other functions of the JVM\n");
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_sec += 5;
  if (pthread_timedjoin_np(worker, NULL, &limit) != 0) {
    say("the pool's thread does not end\n");
    _exit(99);
  }
  say("joined\n");
}

static void start(void) {
  int count = 0, (*created)(void***, int, int*) = (int (*)(void***, int, int*))dlsym(RTLD_DEFAULT, "JNI_GetCreatedJavaVMs");
  if (created == NULL || created(&vm, 1, &count) != 0 || count != 1) abort();
  functions = *vm;
  if (pthread_create(&worker, NULL, work, NULL) != 0 || atexit(destroy) != 0) abort();
}

/* Calls a function on the pool's thread, and waits for its answer. */
int64_t pool_call(function function, int64_t a, int64_t b, int64_t c) {
  static pthread_once_t started = PTHREAD_ONCE_INIT;
  pthread_once(&started, start);
  pthread_mutex_lock(&lock);
  job = function;
  arguments[0] = a;
  arguments[1] = b;
  arguments[2] = c;
  busy = 1;
  pthread_cond_broadcast(&moved);
  while (busy) pthread_cond_wait(&moved, &lock);
  pthread_mutex_unlock(&lock);
  return answer;
}

/* What the pool's thread calls once more, with the arguments of its last call, when it is told to end. */
void pool_end_with(function function) { last = function; }
