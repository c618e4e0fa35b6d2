/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the selftest's tests. A test fails by CHECK, and must leave no live object of the peer.
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

void failed(void); /* counts a failed check */
int failures(void);
void test(const char* name, void (*body)(void));
