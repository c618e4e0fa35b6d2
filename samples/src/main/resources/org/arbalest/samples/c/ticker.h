/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native half of the sample Ticker: a producer of quotes (ticker.c, quotes.c) and a consumer of quotes (tally.c).
 * Both implement the async device stream interface.
 *
 * A quote is a symbol (dictionary<int32, utf8>), a price (float64, a multiple of 1/64, so that sums are exact), a size
 * (int32) and a time (timestamp[ns, UTC]); nothing is null.
 */
#ifndef TICKER_H
#define TICKER_H

#include <stddef.h>
#include <stdint.h>

#include "arbalest/arrow_abi.h"

#define TICKER_EXCHANGES 2    /* producing threads */
#define TICKER_MOST_SYMBOLS 26
#define TICKER_MOST_ROWS 1000000

/* ---- ticker.c: the producer ---- */

/*
 * Starts a stream of `batches` batches of `rows` quotes each. It calls on_schema on this thread, and the other
 * callbacks on its own threads. Returns 0, or an errno; after an error the handler is unchanged.
 */
int ticker_start(struct ArrowAsyncDeviceStreamHandler* handler, int32_t symbols, int32_t rows, int64_t batches, int64_t seed);

/* The counters of this process: tasks that were sent, extracted and discarded, and allocated blocks of memory. */
enum ticker_count { TICKER_SENT, TICKER_EXTRACTED, TICKER_DISCARDED, TICKER_LIVE, TICKER_COUNTS };

int64_t ticker_count(int32_t which);
void ticker_add(enum ticker_count which, int64_t n);

/* Allocates counted and zeroed memory, aligned to 64 bytes as Arrow recommends. Returns NULL if none is available. */
void* ticker_alloc(size_t size);
void ticker_free(void* block);

/* ---- quotes.c: the data ---- */

/* The state of the prices. Quotes can be made later from a copy of it. */
struct walk {
  uint64_t random;
  int32_t symbols;
  int32_t price[TICKER_MOST_SYMBOLS]; /* in 1/64 */
};

void walk_begin(struct walk* walk, int32_t symbols, int64_t seed);

/* Moves each price by a random step. */
void walk_step(struct walk* walk);

/* Fill `out` with the schema, or with a batch of quotes around the prices of the walk. They return 0, or ENOMEM. */
int quotes_schema(struct ArrowSchema* out);
int quotes_batch(const struct walk* walk, int32_t rows, int64_t time, struct ArrowDeviceArray* out);

/* ---- tally.c: the consumer ---- */

/*
 * Creates a consumer that adds up price * size by symbol on its own thread, and cancels the stream after `stop_after`
 * batches. Returns a pointer to it, which is also a pointer to its handler for a producer, or NULL without memory.
 */
struct tally* tally_open(int64_t stop_after);

/* Waits until the handler is released and all arrived batches are added up. Returns 0, or an errno. */
int tally_join(struct tally* tally);

/* Return the results after tally_join: the counts and sums, and the error of the stream, or "". */
int64_t tally_batches(const struct tally* tally);
int32_t tally_symbols(const struct tally* tally);
const char* tally_symbol(const struct tally* tally, int32_t i);
double tally_total(const struct tally* tally, int32_t i);
const char* tally_error(const struct tally* tally);

/* Frees the consumer after tally_join. The caller must release a handler that it never passed to a producer. */
void tally_close(struct tally* tally);

#endif /* TICKER_H */
