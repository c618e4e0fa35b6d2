// SPDX-License-Identifier: Apache-2.0
/*
 * The C compiler's layout of the structs of adbc.h: checked against the sizes of 64-bit platforms, and as text, which a
 * test compares with its own layouts. Compiled with -DADBC_HEADER='<arrow-adbc/adbc.h>', it checks Apache's own header.
 */
#ifdef ADBC_HEADER
#include ADBC_HEADER
#include "functions.h"
#else
#include "adbc_draft.h"
#endif

#include <stdio.h>

#define SIZES(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type " has another size");
SIZES(AdbcError, 48)
SIZES(AdbcErrorDetail, 24)
SIZES(AdbcDatabase, 16)
SIZES(AdbcConnection, 16)
SIZES(AdbcStatement, 16)
SIZES(AdbcPartitions, 40)
SIZES(AdbcDriver, 464)
_Static_assert(ADBC_ERROR_1_0_0_SIZE == 32 && ADBC_DRIVER_1_0_0_SIZE == 232, "the parts of 1.0.0 have other sizes");
_Static_assert(ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA == INT32_MIN && sizeof(AdbcStatusCode) == 1, "a number differs");

#define F(type, field) {#type "." #field, offsetof(struct type, field)},
#define S(type) {#type, sizeof(struct type)},
#define MEMBER(result, name, parameters) F(AdbcDriver, name)
#define DRAFT_MEMBER(result, name, parameters) F(AdbcDraftDriver, name)

static const struct { const char* what; size_t bytes; } lines[] = {
  F(AdbcError, message) F(AdbcError, vendor_code) F(AdbcError, sqlstate) F(AdbcError, release)
  F(AdbcError, private_data) F(AdbcError, private_driver) S(AdbcError)
  F(AdbcErrorDetail, key) F(AdbcErrorDetail, value) F(AdbcErrorDetail, value_length) S(AdbcErrorDetail)
  F(AdbcPartitions, num_partitions) F(AdbcPartitions, partitions) F(AdbcPartitions, partition_lengths)
  F(AdbcPartitions, private_data) F(AdbcPartitions, release) S(AdbcPartitions)
  F(AdbcDriver, private_data) F(AdbcDriver, private_manager) F(AdbcDriver, release)
  ADBC_FUNCTIONS_1_0_0(MEMBER) ADBC_FUNCTIONS_1_1_0(MEMBER) S(AdbcDriver)
#ifndef ADBC_HEADER
  ADBC_FUNCTIONS_1_2_0(DRAFT_MEMBER) S(AdbcDraftDriver)
#endif
};

/* "Struct.field offset" and "Struct size" lines. One thread at a time. */
const char* adbc_layout(void);
const char* adbc_layout(void) {
  static char text[8192];
  size_t at = 0;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu\n", lines[i].what, lines[i].bytes);
  return text;
}
