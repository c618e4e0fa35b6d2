// SPDX-License-Identifier: Apache-2.0
/* libforeign: another library whose errors the driver passes on, such as the library of a driver behind a driver. An
   error's private_data contains nothing of it. */
#include <stdlib.h>
#include <string.h>

#include "adbc.h"

static int64_t live;

static void release(struct AdbcError* error) {
  free(error->message);
  error->message = NULL;
  error->release = NULL;
  __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
}

void foreign_fill(struct AdbcError* error, const char* message);
void foreign_fill(struct AdbcError* error, const char* message) {
  error->message = strdup(message);
  error->release = release;
  __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
}

int64_t foreign_live(void);
int64_t foreign_live(void) { return __atomic_load_n(&live, __ATOMIC_SEQ_CST); }
