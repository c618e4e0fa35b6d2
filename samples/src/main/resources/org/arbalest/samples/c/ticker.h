/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native half of the sample Ticker: a producer of quotes (ticker.c, quotes.c) and a consumer of them (tally.c),
 * both of the async device stream interface.
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
 * Starts a stream of `batches` batches, each of `rows` quotes, that drives the handler from its own threads, beginning
 * with on_schema on the calling one. Returns 0, or an errno: the handler was then not touched.
 */
int ticker_start(struct ArrowAsyncDeviceStreamHandler* handler, int32_t symbols, int32_t rows, int64_t batches, int64_t seed);

/* What became of the tasks of all streams of this process, and how many of our blocks of memory are in use. */
enum ticker_count { TICKER_SENT, TICKER_EXTRACTED, TICKER_DISCARDED, TICKER_LIVE, TICKER_COUNTS };

int64_t ticker_count(int32_t which);
void ticker_add(enum ticker_count which, int64_t n);

/* Zeroed memory, aligned to 64 bytes as Arrow recommends, and counted; NULL if there is none. */
void* ticker_alloc(size_t size);
void ticker_free(void* block);

/* ---- quotes.c: the data ---- */

/* Where the prices are. Copying it takes a note of that, from which the quotes can be made later. */
struct walk {
  uint64_t random;
  int32_t symbols;
  int32_t price[TICKER_MOST_SYMBOLS]; /* in 1/64 */
};

void walk_begin(struct walk* walk, int32_t symbols, int64_t seed);

/* Moves each price by a random step. */
void walk_step(struct walk* walk);

/* Fills `out` with the schema or with a batch of quotes around the prices of the walk. 0, or ENOMEM. */
int quotes_schema(struct ArrowSchema* out);
int quotes_batch(const struct walk* walk, int32_t rows, int64_t time, struct ArrowDeviceArray* out);

/* ---- tally.c: the consumer ---- */

/*
 * A consumer that adds up price * size by symbol, on a thread of its own. A pointer to it is also a pointer to its
 * handler, to be given to a producer. It cancels the stream after `stop_after` batches. NULL if there is no memory.
 */
struct tally* tally_open(int64_t stop_after);

/* Waits until the handler was released and everything that arrived is added up. 0, or an errno. */
int tally_join(struct tally* tally);

/* After tally_join: what was counted, and why the stream failed, or "". */
int64_t tally_batches(const struct tally* tally);
int32_t tally_symbols(const struct tally* tally);
const char* tally_symbol(const struct tally* tally, int32_t i);
double tally_total(const struct tally* tally, int32_t i);
const char* tally_error(const struct tally* tally);

/* After tally_join. A handler that no producer gets is released first, as a producer would. */
void tally_close(struct tally* tally);

#endif /* TICKER_H */
