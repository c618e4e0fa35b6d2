/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The row-by-row form of peer_array_checksum, for chunks that count as one array.
 *
 * Included by: checksum.c drain.c async/reader.c
 */
#ifndef ARBALEST_PEER_CHECKSUM_H
#define ARBALEST_PEER_CHECKSUM_H

#include "checks.h"

#pragma GCC visibility push(hidden)

#define CHECKSUM_START 0x4172726F77u

/* Continues *chain (in order) and *sum (in any order); 0 if a value could not be read. */
int checksum_rows(const struct ArrowArray* array, const struct ArrowSchema* schema, uint64_t* chain, uint64_t* sum);

#pragma GCC visibility pop

#endif
