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

/* ---- the async tests ---- */

#define LIMIT 10000 /* milliseconds */

extern int64_t p[PEER_ASYNC_SLOTS], c[PEER_ACON_SLOTS]; /* results, after finish */
extern struct peer_async_options from;
extern struct peer_async_consumer_options to;
extern struct ArrowAsyncDeviceStreamHandler* handler;
extern void* producer;

void begin(int64_t batches, int64_t window, int64_t producer_flags, int64_t consumer_flags);
void launch(void);
void finish(void);
void await_gate(int64_t n);
void async_other_sins(void);
