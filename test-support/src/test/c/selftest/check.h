/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test of the selftest needs: it fails by CHECK, and ends with the peer's ledger at zero.
 *
 * Included by: check.c main.c pair.c peer_tests.c async_tests.c async_sins.c
 */
#include <stdio.h>

#include "peer/peer.h"

#define CHECK(condition)                                                                    \
  do {                                                                                      \
    if (!(condition)) {                                                                     \
      printf("  %s:%d: %s [%s]\n", __FILE__, __LINE__, #condition, peer_violation_text()); \
      failed();                                                                             \
    }                                                                                       \
  } while (0)

void failed(void); /* once more */
int failures(void);
void test(const char* name, void (*body)(void));
