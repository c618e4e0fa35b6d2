/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AdbcError: what a failing call says. A test chooses what it looks like (knobs.h, STYLE_…).
 *
 * Included by: adbc/driver.c errors.c handles.h
 */
#ifndef ARBALEST_ADBC_ERRORS_H
#define ARBALEST_ADBC_ERRORS_H

#include "adbc.h"

#define DOUBLE_VENDOR_CODE 4711

#pragma GCC visibility push(hidden)

#define LEDGER_ERROR (LEDGER_OTHERS + 0)

/* Fills an error that its caller has zeroed, or initialised for 1.1.0; NULL is fine. sqlstate has 5 letters. */
void error_set(struct AdbcError* error, const char* function, const char* sqlstate, const char* message);
/* The same for an error that a stream owns: nobody else may release it. It is not counted. */
void error_set_owned(struct AdbcError* error, const char* function, const char* sqlstate, const char* message);
void error_drop_owned(struct AdbcError* error);

int error_detail_count(const struct AdbcError* error);
struct AdbcErrorDetail error_detail(const struct AdbcError* error, int index);

#pragma GCC visibility pop

#endif
