/* What the files of the selftest share. */
#include <stdio.h>

#include "async.h"
#include "peer.h"

extern int failures;

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      printf("  %s:%d: %s [%s]\n", __FILE__, __LINE__, #condition, peer_violation_text()); \
      failures++;                                                                         \
    }                                                                                     \
  } while (0)

void test(const char* name, void (*body)(void));
void async_tests(void);
