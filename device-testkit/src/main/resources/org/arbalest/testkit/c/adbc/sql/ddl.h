/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CREATE TABLE, as it is read.
 *
 * Included by: ddl.c sql.c
 */
#ifndef ARBALEST_ADBC_DDL_H
#define ARBALEST_ADBC_DDL_H

#include "lexer.h"

#pragma GCC visibility push(hidden)

void ddl_create(struct lexer* lexer, struct query* query); /* what comes after CREATE */

#pragma GCC visibility pop

#endif
