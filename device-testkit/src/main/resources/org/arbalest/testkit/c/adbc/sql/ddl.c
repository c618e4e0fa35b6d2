// SPDX-License-Identifier: Apache-2.0
/* CREATE TABLE, as it is read. */
#include "ddl.h"

#include <string.h>

#include "adbc/data/cells.h"

static struct constraint_text* constraint(struct lexer* lexer, struct query* query, int kind) {
  struct constraint_text** last = &query->constraints;
  while (*last != NULL) last = &(*last)->next;
  *last = arena_take(lexer->arena, sizeof **last);
  (*last)->kind = kind;
  return *last;
}

static struct names* one(struct lexer* lexer, const char* name) {
  struct names* names = arena_take(lexer->arena, sizeof *names);
  names->name = name;
  return names;
}

static void references(struct lexer* lexer, struct constraint_text* key) {
  key->other = lexer_table(lexer);
  key->others = lexer_names(lexer);
}

/* What is between two places of the text. */
static const char* between(struct lexer* lexer, const char* from, const char* to) {
  while (to > from && to[-1] == ' ') to--;
  return arena_copy(lexer->arena, from, (size_t)(to - from));
}

static void column(struct lexer* lexer, struct query* query, struct column_text* column) {
  column->name = lexer_name(lexer);
  column->type = lexer->text;
  column->format = format_of_type(lexer->text);
  if (column->format == NULL) lexer_wrong(lexer, "a type");
  lexer_next(lexer);
  if (lexer_skip(lexer, "(")) { /* VARCHAR(20) */
    lexer_int(lexer);
    lexer_expect(lexer, ")");
  }
  while (lexer->wrong[0] == 0) {
    if (lexer_skip(lexer, "NOT")) {
      lexer_expect(lexer, "NULL");
      column->not_null = 1;
    } else if (lexer_skip(lexer, "PRIMARY")) {
      lexer_expect(lexer, "KEY");
      column->not_null = 1;
      constraint(lexer, query, PRIMARY_KEY)->columns = one(lexer, column->name);
    } else if (lexer_skip(lexer, "UNIQUE")) {
      constraint(lexer, query, UNIQUE)->columns = one(lexer, column->name);
    } else if (lexer_skip(lexer, "DEFAULT")) {
      const char* from = lexer->start;
      lexer_expr(lexer);
      column->fallback = between(lexer, from, lexer->start);
    } else if (lexer_skip(lexer, "COMMENT")) {
      column->remarks = lexer->text;
      lexer_next(lexer);
    } else if (lexer_skip(lexer, "REFERENCES")) {
      struct constraint_text* key = constraint(lexer, query, FOREIGN_KEY);
      key->columns = one(lexer, column->name);
      references(lexer, key);
    } else {
      return;
    }
  }
}

/* Whatever is in the brackets; nobody looks at it again. */
static void condition(struct lexer* lexer) {
  int depth = 0;
  do {
    depth += lexer_is(lexer, "(") - lexer_is(lexer, ")");
    if (lexer->kind == WORD_END) lexer_wrong(lexer, ")");
    lexer_next(lexer);
  } while (depth > 0 && lexer->wrong[0] == 0);
}

static int table_constraint(struct lexer* lexer, struct query* query) {
  const char* name = lexer_skip(lexer, "CONSTRAINT") ? lexer_name(lexer) : NULL;
  struct constraint_text* made;
  if (lexer_skip(lexer, "PRIMARY")) {
    lexer_expect(lexer, "KEY");
    made = constraint(lexer, query, PRIMARY_KEY);
    made->columns = lexer_names(lexer);
  } else if (lexer_skip(lexer, "UNIQUE")) {
    made = constraint(lexer, query, UNIQUE);
    made->columns = lexer_names(lexer);
  } else if (lexer_skip(lexer, "FOREIGN")) {
    lexer_expect(lexer, "KEY");
    made = constraint(lexer, query, FOREIGN_KEY);
    made->columns = lexer_names(lexer);
    lexer_expect(lexer, "REFERENCES");
    references(lexer, made);
  } else if (lexer_skip(lexer, "CHECK")) {
    made = constraint(lexer, query, CHECK);
    condition(lexer);
  } else {
    if (name != NULL) lexer_wrong(lexer, "a constraint");
    return name != NULL;
  }
  made->name = name;
  return 1;
}

void ddl_create(struct lexer* lexer, struct query* query) {
  struct column_text** last = &query->columns;
  query->kind = QUERY_CREATE;
  query->temporary = lexer_skip(lexer, "TEMPORARY") || lexer_skip(lexer, "TEMP");
  lexer_expect(lexer, "TABLE");
  if (lexer_skip(lexer, "IF")) {
    lexer_expect(lexer, "NOT");
    lexer_expect(lexer, "EXISTS");
    query->lenient = 1;
  }
  query->table = lexer_table(lexer);
  lexer_expect(lexer, "(");
  do {
    if (table_constraint(lexer, query)) continue;
    *last = arena_take(lexer->arena, sizeof **last);
    column(lexer, query, *last);
    last = &(*last)->next;
  } while (lexer_skip(lexer, ",") && lexer->wrong[0] == 0);
  lexer_expect(lexer, ")");
}
