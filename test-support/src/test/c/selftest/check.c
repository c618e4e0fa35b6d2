// SPDX-License-Identifier: Apache-2.0
/* Counts failures and runs the tests. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static int failed_checks;

void failed(void) { failed_checks++; }
int failures(void) { return failed_checks; }

/* Runs a test, which must leave no live object. */
void test(const char* name, void (*body)(void)) {
  int before = failed_checks;
  const char* only = getenv("ONLY"); /* runs only tests with this in their names */
  if (only != NULL && strstr(name, only) == NULL) return;
  peer_reset();
  body();
  CHECK(peer_live_allocations() == 0 && peer_live_arrays() == 0);
  CHECK(peer_live_schemas() == 0 && peer_live_streams() == 0);
  CHECK(peer_live_tasks() == 0 && peer_live_producers() == 0 && peer_live_handlers() == 0);
  peer_reset();
  printf("%s  %s\n", failed_checks == before ? "ok  " : "FAIL", name);
}
