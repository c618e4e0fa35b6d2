/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of language.c that Java calls.
 *
 * Included by: language.c
 */
#ifndef ARBALEST_LANGUAGE_H
#define ARBALEST_LANGUAGE_H

#include <stdint.h>

struct small {
  int64_t x, y;
};
struct large {
  int64_t first, more[3];
};
typedef int64_t callback(struct large*, struct small);

struct small add_small(struct small a, int64_t more);
struct large add_large(struct large a, struct small b, int32_t more);
int64_t ten(int64_t a, int8_t b, uint8_t c, int16_t d, uint16_t e, int32_t f, uint32_t g, struct small h, double i, int8_t j);
double half(int64_t number, double other);
int64_t call_back(callback* function, struct large* argument);
const char* describe(void);

#endif
