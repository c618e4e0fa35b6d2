/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a handle: four kinds of values by key. Gets may come from any thread at any time ("This must always be thread-safe", adbc.h at each GetOption).
 *
 * Included by: handles.h options.c
 */
#ifndef ARBALEST_ADBC_OPTIONS_H
#define ARBALEST_ADBC_OPTIONS_H

#include <pthread.h>
#include <stdint.h>

#include "arena.h"

#pragma GCC visibility push(hidden)

enum option_kind { OPTION_NONE, OPTION_TEXT, OPTION_BYTES, OPTION_INT, OPTION_DOUBLE };

struct option {
  enum option_kind kind;
  const char* text; /* or bytes; of a text, a zero comes behind */
  size_t size;      /* without that zero */
  int64_t integer;
  double number;
};

struct option option_text(const char* text); /* OPTION_NONE of NULL */

struct options {
  pthread_mutex_t lock;
  struct option_entry* entries;
};

void options_init(struct options* options);
void options_free(struct options* options);
void options_put(struct options* options, const char* key, struct option value);
/* The value as another kind, copied into the arena; OPTION_NONE if there is none of that key, or if it cannot be. An int or a double may be got as a text. */
struct option options_get(struct options* options, const char* key, enum option_kind kind, struct arena* arena);
/* What a value is as another kind. */
struct option option_as(struct option value, enum option_kind kind, struct arena* arena);
/* Whether a text is "true" or "false"; -1 if it is neither. */
int option_flag(struct option value);

#pragma GCC visibility pop

#endif
