/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Key-value metadata as bytes: int32 pairs, then per pair int32 length + bytes, twice.
 *
 * Included by: metadata.c consumer.h producer.h
 */
#ifndef ARBALEST_PEER_ASYNC_METADATA_H
#define ARBALEST_PEER_ASYNC_METADATA_H

#include "peer/tracker.h"

#pragma GCC visibility push(hidden)

struct bytes {
  void* data; /* NULL without metadata */
  int64_t len;
};

int64_t metadata_length(const void* metadata);  /* -1 if NULL, -2 if malformed */
struct bytes metadata_pair(const char* key, const char* value);
struct bytes metadata_bad(void);                /* a count of -1 */
struct bytes bytes_copy(const void* data, int64_t len); /* empty for NULL */
void bytes_free(struct bytes* bytes);           /* overwrites them first: late readers see garbage */

#pragma GCC visibility pop

#endif
