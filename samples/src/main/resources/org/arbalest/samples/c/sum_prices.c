// SPDX-License-Identifier: Apache-2.0
/*
 * A consumer of an Arrow C stream, for the README's Java program. FOLDER contains arbalest/arrow_abi.h:
 *
 *     cc -std=gnu11 -O2 -shared -fPIC -I FOLDER -o libsum_prices.so sum_prices.c
 */
#include <math.h>
#include <stddef.h>

#include "arbalest/arrow_abi.h"

/* Returns the sum of the first column, which is float64 without nulls; NaN if the stream fails. Releases the stream. */
double sum_prices(struct ArrowArrayStream* stream) {
  double total = 0;
  for (;;) {
    struct ArrowArray batch;
    if (stream->get_next(stream, &batch) != 0) {
      total = NAN;
      break;
    }
    if (batch.release == NULL) break; /* the end of the stream */
    const struct ArrowArray* prices = batch.children[0];
    const double* values = (const double*)prices->buffers[1] + prices->offset + batch.offset;
    for (int64_t row = 0; row < batch.length; row++) total += values[row];
    batch.release(&batch);
  }
  stream->release(stream);
  return total;
}
