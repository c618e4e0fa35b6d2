/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that a database begins with.
 *
 * Included by: adbc/database.c sample.c
 */
#ifndef ARBALEST_ADBC_SAMPLE_H
#define ARBALEST_ADBC_SAMPLE_H

#include "adbc/core/handles.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

/* memory.main.t with so many rows, and memory.main.child, which refers to it. */
struct catalog* sample_catalog(struct call* call, int64_t rows);

#pragma GCC visibility pop

#endif
