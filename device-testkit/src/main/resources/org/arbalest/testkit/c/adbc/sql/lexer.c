// SPDX-License-Identifier: Apache-2.0
/* The words of a query, names and expressions. */
#include "lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "adbc/data/cells.h"

void lexer_wrong(struct lexer* lexer, const char* expected) {
  if (lexer->wrong[0] != 0) return;
  snprintf(lexer->wrong, lexer->room, "expected %s before \"%.40s\"", expected, lexer->kind == WORD_END ? "the end" : lexer->start);
}

/* To the quote that ends it; one that is there twice is one of the text's. */
static void quoted(struct lexer* lexer, char quote) {
  const char* from = ++lexer->at;
  size_t size = 0;
  while (*lexer->at != 0 && (*lexer->at != quote || lexer->at[1] == quote)) lexer->at += *lexer->at == quote ? 2 : 1, size++;
  if (*lexer->at == 0) lexer_wrong(lexer, "the end of what is quoted");
  char* text = arena_take(lexer->arena, size + 1);
  for (size_t i = 0; i < size; i++, from++) {
    text[i] = *from;
    if (*from == quote) from++;
  }
  if (*lexer->at != 0) lexer->at++;
  lexer->text = text;
}

static void number(struct lexer* lexer) {
  const char* from = lexer->at;
  lexer->kind = WORD_INT;
  while (isdigit((unsigned char)*lexer->at) || *lexer->at == '.') {
    if (*lexer->at++ == '.') lexer->kind = WORD_DOUBLE;
  }
  lexer->text = arena_copy(lexer->arena, from, (size_t)(lexer->at - from));
}

void lexer_next(struct lexer* lexer) {
  while (isspace((unsigned char)*lexer->at)) lexer->at++;
  lexer->start = lexer->at;
  char c = *lexer->at;
  if (c == 0) {
    lexer->kind = WORD_END;
    lexer->text = "";
  } else if (c == '"' || c == '\'') {
    lexer->kind = c == '"' ? WORD_QUOTED : WORD_TEXT;
    quoted(lexer, c);
  } else if (isdigit((unsigned char)c)) {
    number(lexer);
  } else if (isalpha((unsigned char)c) || c == '_' || c == '$' || c & 0x80) {
    while (isalnum((unsigned char)*lexer->at) || *lexer->at == '_' || *lexer->at == '$' || *lexer->at & 0x80) lexer->at++;
    lexer->kind = WORD_NAME;
    lexer->text = arena_copy(lexer->arena, lexer->start, (size_t)(lexer->at - lexer->start));
  } else {
    int two = strchr("<>", c) != NULL && (lexer->at[1] == '=' || (c == '<' && lexer->at[1] == '>'));
    lexer->at += two ? 2 : 1;
    lexer->kind = WORD_SIGN;
    lexer->text = arena_copy(lexer->arena, lexer->start, two ? 2 : 1);
  }
}

int lexer_is(const struct lexer* lexer, const char* word) {
  return (lexer->kind == WORD_NAME || lexer->kind == WORD_SIGN) && strcasecmp(lexer->text, word) == 0;
}

int lexer_skip(struct lexer* lexer, const char* word) {
  if (!lexer_is(lexer, word)) return 0;
  lexer_next(lexer);
  return 1;
}

void lexer_expect(struct lexer* lexer, const char* word) {
  if (!lexer_skip(lexer, word)) lexer_wrong(lexer, word);
}

const char* lexer_name(struct lexer* lexer) {
  const char* name = lexer->text;
  if (lexer->kind != WORD_NAME && lexer->kind != WORD_QUOTED) lexer_wrong(lexer, "a name");
  lexer_next(lexer);
  return name;
}

int64_t lexer_int(struct lexer* lexer) {
  int64_t value = strtoll(lexer->text, NULL, 10);
  if (lexer->kind != WORD_INT) lexer_wrong(lexer, "a whole number");
  lexer_next(lexer);
  return value;
}

struct table_name lexer_table(struct lexer* lexer) {
  struct table_name name = {NULL, NULL, lexer_name(lexer)};
  for (int i = 0; i < 2 && lexer_skip(lexer, "."); i++) {
    name.catalog = name.schema;
    name.schema = name.table;
    name.table = lexer_name(lexer);
  }
  return name;
}

struct names* lexer_names(struct lexer* lexer) {
  struct names *first = NULL, **last = &first;
  lexer_expect(lexer, "(");
  do {
    *last = arena_take(lexer->arena, sizeof **last);
    (*last)->name = lexer_name(lexer);
    last = &(*last)->next;
  } while (lexer_skip(lexer, ",") && lexer->wrong[0] == 0);
  lexer_expect(lexer, ")");
  return first;
}

static void cast(struct lexer* lexer, struct expr* expr) {
  lexer_expect(lexer, "(");
  *expr = *lexer_expr(lexer);
  lexer_expect(lexer, "AS");
  expr->cast = format_of_type(lexer->text);
  if (expr->cast == NULL) lexer_wrong(lexer, "a type");
  lexer_next(lexer);
  lexer_expect(lexer, ")");
}

struct expr* lexer_expr(struct lexer* lexer) {
  struct expr* expr = arena_take(lexer->arena, sizeof *expr);
  int negative = lexer_skip(lexer, "-");
  expr->as = expr->text = lexer->text;
  if (lexer->kind == WORD_INT) {
    expr->kind = EXPR_INT;
    expr->integer = strtoll(lexer->text, NULL, 10) * (negative ? -1 : 1);
  } else if (lexer->kind == WORD_DOUBLE) {
    expr->kind = EXPR_DOUBLE;
    expr->number = strtod(lexer->text, NULL) * (negative ? -1 : 1);
  } else if (negative) {
    lexer_wrong(lexer, "a number");
  } else if (lexer->kind == WORD_TEXT) {
    expr->kind = EXPR_TEXT;
  } else if (lexer_is(lexer, "?")) {
    expr->kind = EXPR_PARAMETER;
    expr->integer = lexer->parameters++;
  } else if (lexer->kind == WORD_NAME && lexer->text[0] == '$') {
    expr->kind = EXPR_PARAMETER;
    expr->integer = strtoll(lexer->text + 1, NULL, 10) - 1;
    if (expr->integer < 0 || expr->integer > 999) lexer_wrong(lexer, "a parameter's number from 1 on");
    else if (expr->integer >= lexer->parameters) lexer->parameters = (int)expr->integer + 1;
  } else if (lexer_is(lexer, "NULL")) {
    expr->kind = EXPR_NULL;
  } else if (lexer_is(lexer, "TRUE") || lexer_is(lexer, "FALSE")) {
    expr->kind = EXPR_BOOL;
    expr->integer = lexer_is(lexer, "TRUE");
  } else if (lexer_is(lexer, "current_date")) {
    expr->kind = EXPR_TODAY;
  } else if (lexer_is(lexer, "CAST")) {
    lexer_next(lexer);
    cast(lexer, expr);
    return expr;
  } else if (lexer->kind == WORD_NAME || lexer->kind == WORD_QUOTED) {
    expr->kind = EXPR_COLUMN;
  } else {
    lexer_wrong(lexer, "a value");
  }
  lexer_next(lexer);
  return expr;
}
