/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table's definition out of CREATE TABLE.
 *
 * Included by: change.c create.c sample.c
 */
#ifndef ARBALEST_ADBC_CREATE_H
#define ARBALEST_ADBC_CREATE_H

#include "adbc/core/handles.h"
#include "adbc/sql/sql.h"
#include "adbc/data/tables.h"

#pragma GCC visibility push(hidden)

/* In full, but for catalog, schema and name, which are the caller's to set; NULL, and an error in *status, if a name is there twice or not at all. */
struct definition* definition_of(struct call* call, const struct query* query, AdbcStatusCode* status);

#pragma GCC visibility pop

#endif
