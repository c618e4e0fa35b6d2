// SPDX-License-Identifier: Apache-2.0
/* What a test asks of the driver, and what it reads of it. */
#include "knobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FUNCTIONS 96
#define MOST_RULES 32

struct rule {
  char name[48]; /* of the function; empty: any that releases nothing */
  int64_t left;  /* calls until it is due, itself among them; 0: none */
  int code;      /* what the call fails with; 0: it waits at the gate */
  int lasts;     /* whether all after it fail as well */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;

static struct { char name[48]; int64_t calls; } called[MOST_FUNCTIONS];
static struct rule rules[MOST_RULES];
static int64_t until_gone; /* calls until the server is gone; 0: it is there */
static int gone, style, init_mode, threads, binds_on_thread, binding_ends_failed, entered_version;
static char missing[1024], entered[64];
static void (*foreign)(void);
static uint64_t openings;
static int64_t held, races;
static char first_race[256];

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

int gate_hold(const int* cancelled) {
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

struct knob knob_call(const char* name, const int* cancelled, int is_release) {
  struct knob knob = {0, 0};
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
    else knob.code = rule->code;
    if (!rule->lasts) rule->left = 0;
  }
  if (waits) wait_locked(cancelled);
  if (!is_release) {
    if (until_gone > 0 && --until_gone == 0) gone = 1;
    if (gone) knob.gone = 1;
  }
  state_unlock();
  return knob;
}

int knob_style(void) { return __atomic_load_n(&style, __ATOMIC_SEQ_CST); }
int knob_binds_on_thread(void) { return __atomic_load_n(&binds_on_thread, __ATOMIC_SEQ_CST); }
int knob_binding_ends_failed(void) { return __atomic_load_n(&binding_ends_failed, __ATOMIC_SEQ_CST); }
int knob_init(void) { return __atomic_load_n(&init_mode, __ATOMIC_SEQ_CST); }
int knob_threads(void) { return __atomic_load_n(&threads, __ATOMIC_SEQ_CST); }

void (*knob_foreign(void))(void) {
  state_lock();
  void (*function)(void) = foreign;
  state_unlock();
  return function;
}

int knob_is_missing(const char* member) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, ",%s,", member);
  state_lock();
  int is = strstr(missing, quoted) != NULL;
  state_unlock();
  return is;
}

void knob_entered(const char* entry, int version) {
  state_lock();
  snprintf(entered, sizeof entered, "%s", entry);
  entered_version = version;
  state_unlock();
}

/* ---- who is in an object ---- */

int guard_enter(struct guard* guard, int shared, const char* what) {
  int race = 0;
  state_lock();
  guard->inside++;
  if (!shared) {
    race = threads != THREADS_ANY && guard->exclusive > 0 && !pthread_equal(guard->thread, pthread_self());
    if (race && races++ == 0) snprintf(first_race, sizeof first_race, "%s was called while another thread was in the same object", what);
    if (guard->exclusive++ == 0) guard->thread = pthread_self();
  }
  state_unlock();
  return race;
}

void guard_leave(struct guard* guard, int shared) {
  state_lock();
  guard->inside--;
  if (!shared) guard->exclusive--;
  state_unlock();
}

int guard_inside(struct guard* guard) {
  state_lock();
  int inside = guard->inside;
  state_unlock();
  return inside;
}

/* ---- for tests ---- */

static int32_t add(const char* name, int64_t nth, int32_t code, int lasts) {
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

/* The nth call from now on of a function fails, of any but releases if the name is empty; 0 if there is no more room for rules. */
KNOBS_EXPORT int32_t adbc_double_fail(const char* name, int64_t nth, int32_t code, int32_t lasts) { return add(name, nth, code, lasts); }

/* The nth call from now on waits at the gate. */
KNOBS_EXPORT int32_t adbc_double_hold(const char* name, int64_t nth) { return add(name, nth, 0, 0); }

/* Lets go those who wait now. */
KNOBS_EXPORT void adbc_double_let_go(void) {
  state_lock();
  openings++;
  state_moved();
  state_unlock();
}

KNOBS_EXPORT int64_t adbc_double_held(void) {
  state_lock();
  int64_t now = held;
  state_unlock();
  return now;
}

/* How many rules have not come. */
KNOBS_EXPORT int32_t adbc_double_outstanding(void) {
  int32_t left = 0;
  state_lock();
  for (int i = 0; i < MOST_RULES; i++) left += rules[i].left != 0 && !rules[i].lasts;
  state_unlock();
  return left;
}

KNOBS_EXPORT int64_t adbc_double_calls(const char* name) {
  int64_t calls = 0;
  state_lock();
  for (int i = 0; i < MOST_FUNCTIONS; i++) {
    if (name[0] == 0 || strcmp(called[i].name, name) == 0) calls += called[i].calls;
  }
  state_unlock();
  return calls;
}

KNOBS_EXPORT void adbc_double_errors(int32_t bits) { __atomic_store_n(&style, bits, __ATOMIC_SEQ_CST); }
KNOBS_EXPORT void adbc_double_init(int32_t mode) { __atomic_store_n(&init_mode, mode, __ATOMIC_SEQ_CST); }
KNOBS_EXPORT void adbc_double_bind_on_thread(int32_t is_on) { __atomic_store_n(&binds_on_thread, is_on, __ATOMIC_SEQ_CST); }
KNOBS_EXPORT void adbc_double_binding_ends_failed(int32_t is_on) { __atomic_store_n(&binding_ends_failed, is_on, __ATOMIC_SEQ_CST); }
KNOBS_EXPORT void adbc_double_threads(int32_t mode) { __atomic_store_n(&threads, mode, __ATOMIC_SEQ_CST); }

/* ",StatementCancel,release,": members of the driver's table that are to be NULL. */
KNOBS_EXPORT void adbc_double_missing(const char* members) {
  state_lock();
  snprintf(missing, sizeof missing, "%s", members);
  state_unlock();
}

/* The server is gone after so many more calls, at once if that is 0; negative: it is back. */
KNOBS_EXPORT void adbc_double_lose(int64_t after) {
  state_lock();
  gone = after == 0;
  until_gone = after > 0 ? after + 1 : 0;
  state_unlock();
}

/* void f(struct AdbcError*, const char* message) of another library, which fills an error and brings the release along. */
KNOBS_EXPORT void adbc_double_foreign(void (*fill)(void)) {
  state_lock();
  foreign = fill;
  state_unlock();
}

KNOBS_EXPORT const char* adbc_double_entered(void) { return entered; }
KNOBS_EXPORT int32_t adbc_double_entered_version(void) { return entered_version; }
KNOBS_EXPORT int64_t adbc_double_live(int32_t kind) { return kind < 0 ? peer_live_allocations() : ledger_live(kind); }
KNOBS_EXPORT int64_t adbc_double_double_releases(void) { return peer_double_releases(); }
KNOBS_EXPORT int64_t adbc_double_violations(void) { return peer_violations(); }
KNOBS_EXPORT const char* adbc_double_violation(void) { return peer_violation_text(); }

KNOBS_EXPORT int64_t adbc_double_races(void) {
  state_lock();
  int64_t now = races;
  state_unlock();
  return now;
}

KNOBS_EXPORT const char* adbc_double_race(void) { return first_race; }

/* Undoes all of the above, and lets go those who wait. What is live stays so. While nobody is in a call, but for those. */
KNOBS_EXPORT void adbc_double_reset(void) {
  state_lock();
  memset(rules, 0, sizeof rules);
  memset(called, 0, sizeof called);
  memset(missing, 0, sizeof missing);
  memset(entered, 0, sizeof entered);
  memset(first_race, 0, sizeof first_race);
  until_gone = gone = entered_version = 0;
  races = 0;
  style = init_mode = threads = binds_on_thread = binding_ends_failed = 0;
  openings++;
  state_moved();
  state_unlock();
  peer_reset();
}
