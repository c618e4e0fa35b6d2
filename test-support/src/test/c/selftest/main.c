// SPDX-License-Identifier: Apache-2.0
/* Tests of the peer's producer with the peer's consumer, without a JVM. `selftest exit MODE` tests a process exit. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "tests.h"

static int exit_mode;

static void after_exit(void) {
  int64_t live = peer_live_arrays();
  printf("exit mode %d: %lld arrays live\n", exit_mode, (long long)live);
  fflush(stdout);
  if (live != 0 && exit_mode != PEER_EXIT_RACE) _exit(1);
}

int main(int argc, char** argv) {
  if (argc == 3) {
    struct ArrowArray array;
    exit_mode = atoi(argv[2]);
    atexit(after_exit); /* runs after the peer's own handler, which comes later */
    peer_batch(&array, 0, 10, 0);
    peer_exit_with_release(&array, PEER_ARRAY, exit_mode);
    return array.release == NULL ? 0 : 1;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  peer_tests();
  async_tests();
  printf("%d failed\n", failures());
  return failures() != 0;
}
