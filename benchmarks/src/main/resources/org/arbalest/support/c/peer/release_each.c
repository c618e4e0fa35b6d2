// SPDX-License-Identifier: Apache-2.0
/* A consumer that has nothing else to do. */
#include "arbalest/arrow_abi.h"

void release_each(struct ArrowArray* arrays, int64_t n) {
  for (int64_t i = 0; i < n; i++) arrays[i].release(&arrays[i]);
}
