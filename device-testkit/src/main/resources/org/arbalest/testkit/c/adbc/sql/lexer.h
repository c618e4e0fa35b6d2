/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a query, and the first thing that is wrong with it.
 *
 * Included by: ddl.h lexer.c sql.c
 */
#ifndef ARBALEST_ADBC_LEXER_H
#define ARBALEST_ADBC_LEXER_H

#include "tree.h"

#pragma GCC visibility push(hidden)

enum word_kind { WORD_END, WORD_NAME, WORD_QUOTED, WORD_TEXT, WORD_INT, WORD_DOUBLE, WORD_SIGN };

struct lexer {
  struct arena* arena;
  const char *at, *start; /* behind the current word, and where it begins */
  enum word_kind kind;
  const char* text; /* the current word, without quotes */
  int parameters;   /* `?` that have been seen, or the highest $n */
  char* wrong;      /* what is wrong; empty while nothing is */
  size_t room;
};

void lexer_next(struct lexer* lexer);
void lexer_wrong(struct lexer* lexer, const char* expected); /* only the first is kept */
int lexer_is(const struct lexer* lexer, const char* keyword_or_sign);
int lexer_skip(struct lexer* lexer, const char* keyword_or_sign); /* 1 if it was there */
void lexer_expect(struct lexer* lexer, const char* keyword_or_sign);
const char* lexer_name(struct lexer* lexer);
int64_t lexer_int(struct lexer* lexer);
struct table_name lexer_table(struct lexer* lexer);
struct names* lexer_names(struct lexer* lexer); /* (a, b, …) */
struct expr* lexer_expr(struct lexer* lexer);

#pragma GCC visibility pop

#endif
