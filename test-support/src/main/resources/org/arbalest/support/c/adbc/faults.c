// SPDX-License-Identifier: Apache-2.0
/* The interface for tests: planned faults and counters. Kotlin calls the exported functions named faulty_…. */
#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 96
#define MOST_RULES 32

struct rule {
  char name[48]; /* of the function; empty: any function that is not a release */
  int64_t left;  /* the number of calls until the fault, that one included; 0: no fault */
  int code;      /* the code of the failure; 0: it waits at the gate */
  int lasts;     /* whether all later calls fail as well */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static struct { char name[48]; int64_t calls; } called[MOST_FUNCTIONS];
static struct rule rules[MOST_RULES];
static int settings[SETTINGS];
static int64_t until_gone, held, races, overlaps; /* until_gone: calls until the server is gone; 0: it is available */
static int gone, entered_version, inside; /* inside: objects in which calls are, and new calls */
static char missing[1024], entered_name[64], first_race[256];
static void (*foreign)(void);
static uint64_t openings;

void state_lock(void) { pthread_mutex_lock(&lock); }
void state_unlock(void) { pthread_mutex_unlock(&lock); }
void state_moved(void) { pthread_cond_broadcast(&moved); }

static int wait_locked(const int* cancelled) {
  uint64_t opening = openings;
  held++;
  while (openings == opening && (cancelled == NULL || !*cancelled)) pthread_cond_wait(&moved, &lock);
  held--;
  return cancelled != NULL && *cancelled;
}

int gate_wait_cancelled(const int* cancelled) {
  state_lock();
  int was = wait_locked(cancelled);
  state_unlock();
  return was;
}

static void count(const char* name) {
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (called[i].name[0] == 0) snprintf(called[i].name, sizeof called[i].name, "%s", name);
    if (strcmp(called[i].name, name) != 0) continue;
    called[i].calls++;
    return;
  }
  abort();
}

struct fault fault_of(const char* name, const int* cancelled, int is_release) {
  struct fault fault = {0, 0};
  int waits = 0;
  state_lock();
  count(name);
  for (int i = 0; i < MOST_RULES; i++) {
    struct rule* rule = &rules[i];
    if (rule->left == 0 || (rule->name[0] ? strcmp(rule->name, name) != 0 : is_release)) continue;
    if (rule->left > 1) {
      rule->left--;
      continue;
    }
    if (rule->code == 0) waits = 1;
    else fault.code = rule->code;
    if (!rule->lasts) rule->left = 0;
  }
  if (waits) wait_locked(cancelled);
  if (!is_release) {
    if (until_gone > 0 && --until_gone == 0) gone = 1;
    fault.gone = gone;
  }
  state_unlock();
  return fault;
}

int setting(enum setting which) { return __atomic_load_n(&settings[which], __ATOMIC_SEQ_CST); }

void (*foreign_filler(void))(void) { return __atomic_load_n(&foreign, __ATOMIC_SEQ_CST); }

int is_missing(const char* member) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, ",%s,", member);
  state_lock();
  int is = strstr(missing, quoted) != NULL;
  state_unlock();
  return is;
}

void entered(const char* entry, int version) {
  state_lock();
  snprintf(entered_name, sizeof entered_name, "%s", entry);
  entered_version = version;
  state_unlock();
}

/* ---- the threads in an object ---- */

int guard_enter(struct guard* guard, int shared, int is_rule, int is_connection, const char* what) {
  int overlap = 0;
  state_lock();
  guard->inside++;
  inside++;
  if (!shared) {
    overlap = guard->exclusive > 0 && !pthread_equal(guard->thread, pthread_self());
    if (overlap && is_connection) overlaps++;
    if (overlap && is_rule && races++ == 0) {
      snprintf(first_race, sizeof first_race, "%s was called while another thread was in the same object", what);
    }
    if (guard->exclusive++ == 0) guard->thread = pthread_self();
  }
  state_unlock();
  return overlap;
}

void calls_count(int more) {
  state_lock();
  inside += more;
  if (inside == 0) state_moved();
  state_unlock();
}

int guard_leave(struct guard* guard, int shared) {
  state_lock();
  int others = --guard->inside;
  if (!shared) guard->exclusive--;
  if (--inside == 0) state_moved();
  state_unlock();
  return others;
}

/* ---- for tests ---- */

/* The nth call from now on of a function fails, or waits at the gate if the code is 0. 0 if there is no space for
   another rule. */
EXPORT int32_t faulty_rule(const char* name, int64_t nth, int32_t code, int32_t lasts) {
  int32_t found = 0;
  state_lock();
  for (int i = 0; i < MOST_RULES && !found; i++) {
    if (rules[i].left != 0) continue;
    found = 1;
    snprintf(rules[i].name, sizeof rules[i].name, "%s", name);
    rules[i].code = code;
    rules[i].lasts = lasts;
    rules[i].left = nth;
  }
  state_unlock();
  return found;
}

/* Lets all calls continue that wait now. */
EXPORT void faulty_let_go(void) {
  state_lock();
  openings++;
  state_moved();
  state_unlock();
}

EXPORT int64_t faulty_calls(const char* name) {
  int64_t calls = 0;
  state_lock();
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (name[0] == 0 || strcmp(called[i].name, name) == 0) calls += called[i].calls;
  }
  state_unlock();
  return calls;
}

/* 0: waiting calls; 1: rules that have not applied; 2: races; 3: overlaps of one connection's calls; 4: releases of
   released objects; 5: other broken rules; 6: the version that an entry point received. */
EXPORT int64_t faulty_number(int32_t which) {
  int64_t left = 0;
  state_lock();
  for (int i = 0; i < MOST_RULES; i++) left += rules[i].left != 0 && !rules[i].lasts;
  const int64_t numbers[] = {held, left, races, overlaps, peer_double_releases(), peer_violations(), entered_version};
  int64_t number = numbers[which];
  state_unlock();
  return number;
}

/* The functions of the rules that have not applied. */
static const char* outstanding(void) {
  static char names[MOST_RULES * (sizeof rules[0].name + 2)];
  int at = 0;
  names[0] = 0;
  state_lock();
  for (int i = 0; i < MOST_RULES; i++) {
    if (rules[i].left == 0 || rules[i].lasts) continue;
    at += sprintf(names + at, "%s%s", at ? ", " : "", rules[i].name[0] ? rules[i].name : "any function");
  }
  state_unlock();
  return names;
}

/* 0: the first race; 1: the first broken rule; 2: the last entry point that was called; 3: the functions of the rules
   that have not applied, until the next call of this. Each may be empty. */
EXPORT const char* faulty_text(int32_t which) {
  return which == 0 ? first_race : which == 1 ? peer_violation_text() : which == 2 ? entered_name : outstanding();
}

EXPORT int64_t faulty_live(int32_t kind) { return tracker_live(kind); }
EXPORT void faulty_set(int32_t which, int32_t value) { __atomic_store_n(&settings[which], value, __ATOMIC_SEQ_CST); }

/* ",StatementCancel,release,": members of the driver's table that become NULL. */
EXPORT void faulty_missing(const char* members) {
  state_lock();
  snprintf(missing, sizeof missing, "%s", members);
  state_unlock();
}

/* The server is gone after this number of further calls, immediately for 0; negative: it is available again. */
EXPORT void faulty_lose(int64_t after) {
  state_lock();
  gone = after == 0;
  until_gone = after > 0 ? after + 1 : 0;
  state_unlock();
}

/* void f(struct AdbcError*, const char* message) of another library, which fills an error and sets its release. */
EXPORT void faulty_foreign(void (*fill)(void)) { __atomic_store_n(&foreign, fill, __ATOMIC_SEQ_CST); }

/* Undoes all of the above, lets waiting calls continue, and waits up to this number of milliseconds until no call runs;
   returns whether none runs. A running call may use released memory: a later reset frees it. Live objects stay live. */
EXPORT int32_t faulty_reset(int64_t timeout_ms) {
  struct timespec until;
  deadline(&until, timeout_ms);
  state_lock();
  memset(rules, 0, sizeof rules);
  until_gone = gone = 0;
  openings++;
  state_moved();
  while (inside > 0 && pthread_cond_timedwait(&moved, &lock, &until) == 0) {
  }
  int is_idle = inside == 0;
  memset(called, 0, sizeof called);
  memset(settings, 0, sizeof settings);
  memset(missing, 0, sizeof missing);
  memset(entered_name, 0, sizeof entered_name);
  memset(first_race, 0, sizeof first_race);
  entered_version = 0;
  races = overlaps = 0;
  state_unlock();
  if (is_idle) peer_reset();
  else tracker_forget();
  return is_idle;
}
