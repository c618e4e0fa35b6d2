// SPDX-License-Identifier: Apache-2.0
/*
 * A program that runs the code that MachineCode.java writes into a file: atExit at 0, then, from 128 on, answer(125),
 * clear(24), clear(64) and jump(FROM_JUMP_TO_CELL), in 16 bytes each. The argument is the file's name. The program
 * prints "ok" or the line that failed.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 65536

struct pair {
  uint64_t* address;
  uint64_t word;
};

struct data {
  void* vm;
  void* env;
  int (*get_env)(void*, void**, int);
  uint64_t count;
  struct pair pairs[3];
};

static int answer_of_get_env, calls;
static struct data* seen;

#define CHECK(what) \
  if (!(what)) return printf("line %d: %s\n", __LINE__, #what), 1

static int get_env(void* vm, void** env, int version) {
  calls++;
  return vm == &calls && env == &seen->env && version == 0x10008 && ((uintptr_t)__builtin_frame_address(0) & 15) == 0 ? answer_of_get_env : 0;
}

static int64_t sum(int64_t a, int64_t b, int64_t c, int64_t d) { return a + 10 * b + 100 * c + 1000 * d; }

int main(int count, char** arguments) {
  FILE* file = count == 2 ? fopen(arguments[1], "rb") : NULL;
  char* code = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(file != NULL && code != MAP_FAILED && fread(code, 1, PAGE, file) == 192);
  CHECK(mprotect(code, PAGE, PROT_READ | PROT_EXEC) == 0);
  __builtin___clear_cache(code, code + PAGE);

  int (*answer)(void*) = (int (*)(void*))(code + 128);
  CHECK(answer(NULL) == 125);
  uint64_t words[16];
  memset(words, 0xff, sizeof words);
  ((void (*)(void*))(code + 144))(words);
  ((void (*)(void*))(code + 160))(words);
  for (int i = 0; i < 16; i++) CHECK(words[i] == (i == 3 || i == 8 ? 0 : ~0ull));

  int64_t (*jump)(int64_t, int64_t, int64_t, int64_t) = (int64_t (*)(int64_t, int64_t, int64_t, int64_t))(code + 176);
  *(void**)(code + PAGE + 1024) = sum;
  CHECK(jump(1, 2, 3, 4) == 4321);

  uint64_t targets[3] = {1, 2, 3};
  struct data data = {&calls, NULL, get_env, 2, {{&targets[2], 30}, {&targets[0], 10}, {&targets[1], 20}}};
  seen = &data;
  void (*at_exit)(void*) = (void (*)(void*))code;
  at_exit(&data); /* as in a thread that the JVM knows */
  CHECK(calls == 1 && targets[0] == 1 && targets[1] == 2 && targets[2] == 3);
  answer_of_get_env = -2;
  at_exit(&data);
  CHECK(calls == 2 && targets[0] == 10 && targets[1] == 2 && targets[2] == 30);
  data.count = 3;
  at_exit(&data);
  CHECK(calls == 3 && targets[1] == 20);
  puts("ok");
  return 0;
}
