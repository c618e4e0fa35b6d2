// SPDX-License-Identifier: Apache-2.0
/* The tests' own books. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

static int failed_checks;

void failed(void) { failed_checks++; }
int failures(void) { return failed_checks; }

/* Every test ends at zero. */
void test(const char* name, void (*body)(void)) {
  int before = failed_checks;
  const char* only = getenv("ONLY"); /* tests with this in their name */
  if (only != NULL && strstr(name, only) == NULL) return;
  peer_reset();
  body();
  CHECK(peer_live_allocations() == 0 && peer_live_arrays() == 0);
  CHECK(peer_live_schemas() == 0 && peer_live_streams() == 0);
  CHECK(peer_live_tasks() == 0 && peer_live_producers() == 0 && peer_live_handlers() == 0);
  peer_reset();
  printf("%s  %s\n", failed_checks == before ? "ok  " : "FAIL", name);
}
