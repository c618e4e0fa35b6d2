// SPDX-License-Identifier: Apache-2.0
/* The constructs of C that SmallCompiler compiles. A test compares the lines of describe() by it and by the machine's
   compiler. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "language.h"

#define JOINED(a, b) a##b
#define QUOTED(...) #__VA_ARGS__
#define TWICE(x) ((x) + (x))
#define LIST(X) X(red) X(green) X(blue)
#define NAME(name) #name,
#if defined(TWICE) && !defined(NOTHING) && __has_include("language.h") && (1 << 3 | 1) == 9
#define WHERE "here"
#elif 1
#error "the condition is false"
#endif

static char text[8192];
static size_t end;

static void line(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  end += (size_t)vsnprintf(text + end, sizeof text - end, format, arguments);
  va_end(arguments);
  end += (size_t)snprintf(text + end, sizeof text - end, "\n");
}

/* ---- data ---- */

static const char* const colours[] = {LIST(NAME)};
static int sparse[] = {[2] = 7, 9, [0] = -1};
static struct { struct small inner; union { int32_t word; uint8_t bytes[4]; }; const char* name; } nested[] = {
  {{1, 2}, {.bytes = {1, 2, 0, 1}}, "first"}, {.name = "second" + 3, .word = -1},
};
static const int* const inside = &sparse[1];
static char padded[6] = "abc";
static int begun;
static atomic_int atomic;
static __thread int mine;
static __thread int64_t others[3];
_Static_assert(sizeof nested[0] == 32 && offsetof(struct large, more[1]) == 16, "a layout");

static __attribute__((constructor)) void begin(void) { begun = 41 + (int)TWICE(1) - 1; }

/* ---- functions ---- */

struct small add_small(struct small a, int64_t more) { return (struct small){a.x + more, a.y * 2}; }

struct large add_large(struct large a, struct small b, int32_t more) {
  a.first += b.x;
  a.more[1] += b.y + more;
  return a;
}

int64_t ten(int64_t a, int8_t b, uint8_t c, int16_t d, uint16_t e, int32_t f, uint32_t g, struct small h, double i, int8_t j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * (int64_t)g + 8 * h.x + 9 * (int64_t)i + 10 * j + h.y;
}

double half(int64_t number, double other) { return number == 0 ? other : (double)(number / 2); }

int64_t call_back(callback* function, struct large* argument) { return function(argument, (struct small){3, 4}) + (*function)(argument, (struct small){0, 1}); }

static int calls;
static int count(int result) {
  calls++;
  return result;
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static int (*chosen(int other))(int) { return other ? count : fibonacci; }

static void* on_thread(void* argument) {
  mine += 5;
  others[2]--;
  atomic += *(int*)argument;
  for (int i = 0; i < 1000; i++) atomic++;
  return NULL;
}

static void integers(void) {
  int8_t small = 127;
  uint8_t byte = 250;
  int32_t negative = -7;
  uint32_t large = 3000000000U;
  int64_t wide = negative;
  small++;
  byte += 10;
  wide += large;
  line("%d %d %lld %u %d %d", small, byte, (long long)wide, large / 2, negative / 2, negative % 4);
  line("%d %u %d %d %llx", negative >> 1, large >> 4, negative < (int)5U, (uint32_t)negative < 5U, (unsigned long long)~0x0FULL);
  line("%d %d %d %d", (int8_t)large, (uint16_t)negative, !negative, -byte);
  line("%u %lld %llu", large * 2, (long long)(large * 2LL), 1ULL << 40 | 07 | 0x10 | '\n');
  byte <<= 2, small ^= 0x55, negative %= 3, wide /= -2;
  line("%d %d %d %lld", byte, small, negative, (long long)wide);
  _Bool is = 256;
  line("%d %d %d", is, (_Bool)0 + !is, (int)sizeof(char) + (int)sizeof 'a' + (int)sizeof(long));
}

static void pointers(void) {
  int numbers[2][3] = {{1, 2, 3}, {4, 5, 6}}, *at = numbers[0], sum = 0;
  char letters[8] = "hey", *p = letters;
  while (*p) sum += *p++;
  line("%d %d %d %d", sum, (int)(p - letters), at[4], (int)(&numbers[1][2] - at));
  *at++ += 10;
  --*at;
  line("%d %d %d %s %s", numbers[0][0], numbers[0][1], *inside, colours[2], nested[1].name);
  line("%d %x %d %d %s", sparse[3], nested[0].word, nested[1].bytes[2], (int)(sizeof sparse / sizeof sparse[0]), padded);
  struct large big = {.more = {1, 2, 3}}, *to = &big, copy;
  to->more[to->first++]++;
  copy = *to;
  (&copy)->more[2] = 9;
  line("%lld %lld %lld %lld", (long long)big.first, (long long)big.more[0], (long long)big.more[2], (long long)copy.more[2]);
}

static void control(void) {
  for (int i = 0;; i++) {
    if (i == 1) continue;
    switch (i) {
      case 0: line("zero"); /* falls through */
      case 5: line("falls"); break;
      case -1: break;
      default: {
        static int kept = 10;
        line("%d", kept++);
      }
    }
    if (i > 3) break;
  }
  int i = 0;
  do i += 2;
  while (i < 7);
  int none = count(0) && count(1);
  line("%d %d %d", i, none, calls);
  int any = count(2) || count(3);
  line("%d %d %s", any, calls, i > 3 ? i > 7 ? "most" : "more" : "less");
  line("%d %d %d", chosen(0)(10), (*chosen(1))(4), JOINED(cal, ls));
  line("%s %s %s", QUOTED(a + "b\n", c), WHERE, "x" "\x41\101\t.");
}

static void threads(void) {
  pthread_t thread;
  int more = 3;
  mine = 1;
  atomic = 0;
  pthread_create(&thread, NULL, on_thread, &more);
  pthread_join(thread, NULL);
  on_thread(&more);
  int old = atomic_exchange(&atomic, 4), expected = 5, plain = 1;
  int failed = __atomic_compare_exchange_n(&plain, &expected, 7, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  int before = atomic_fetch_sub(&atomic, 1);
  line("%d %lld %d %d %d", mine, (long long)others[2], old, before, atomic_load(&atomic));
  int swapped = __sync_bool_compare_and_swap(&plain, 1, 9);
  line("%d %d %d %d", failed, expected, swapped, plain);
  line("%d %d %d", __atomic_add_fetch(&plain, 2, __ATOMIC_SEQ_CST), atomic++, begun);
}

static void structs(void) {
  struct small two = add_small((struct small){5, 6}, 10);
  struct large big = add_large((struct large){1, {2, 3, 4}}, two, 100);
  line("%lld %lld %lld %lld", (long long)two.x, (long long)two.y, (long long)big.first, (long long)big.more[1]);
  line("%lld %g", (long long)ten(1, -2, 3, -4, 5, -6, 7, two, (double)8, -9), half(9, (double)3));
  line("%g %lld", half(0, (double)3), (long long)add_small(two, 1).x);
}

const char* describe(void) {
  end = 0;
  calls = 0;
  integers();
  pointers();
  control();
  threads();
  structs();
  return text;
}
