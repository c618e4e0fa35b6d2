// SPDX-License-Identifier: Apache-2.0
/* Queries, as they are read. */
#include "sql.h"

#include <string.h>

#include "ddl.h"
#include "lexer.h"
#include "peer/ledger.h"

static struct expr* exprs(struct lexer* lexer, int named) {
  struct expr *first = NULL, **last = &first;
  do {
    *last = lexer_expr(lexer);
    if (named && lexer_skip(lexer, "AS")) (*last)->as = lexer_name(lexer);
    last = &(*last)->next;
  } while (lexer_skip(lexer, ",") && lexer->wrong[0] == 0);
  return first;
}

static void where(struct lexer* lexer, struct query* query) {
  static const char* const signs[] = {"=", "<>", "<", "<=", ">", ">="};
  if (!lexer_skip(lexer, "WHERE")) return;
  query->left = lexer_expr(lexer);
  for (int i = 0; i < 6 && query->comparison == COMPARE_NONE; i++) {
    if (lexer_skip(lexer, signs[i])) query->comparison = (enum comparison)(COMPARE_EQUAL + i);
  }
  if (query->comparison == COMPARE_NONE) lexer_wrong(lexer, "one of = <> < <= > >=");
  query->right = lexer_expr(lexer);
}

static void from(struct lexer* lexer, struct query* query) {
  query->table = lexer_table(lexer);
  if (!lexer_skip(lexer, "(")) return;
  query->function = query->table.table;
  query->table = (struct table_name){NULL, NULL, NULL};
  while (!lexer_is(lexer, ")") && lexer->wrong[0] == 0) {
    if (query->n_arguments == 3) lexer_wrong(lexer, ")");
    else query->arguments[query->n_arguments++] = lexer_int(lexer);
    if (!lexer_skip(lexer, ",")) break;
  }
  lexer_expect(lexer, ")");
}

static void select(struct lexer* lexer, struct query* query) {
  query->kind = QUERY_SELECT;
  if (lexer_skip(lexer, "*")) {
    query->all = 1;
  } else if (lexer_skip(lexer, "COUNT")) {
    lexer_expect(lexer, "(");
    lexer_expect(lexer, "*");
    lexer_expect(lexer, ")");
    query->count = 1;
  } else {
    query->exprs = exprs(lexer, 1);
  }
  if (query->all || query->count) lexer_expect(lexer, "FROM");
  else if (!lexer_skip(lexer, "FROM")) return;
  from(lexer, query);
  where(lexer, query);
  if (lexer_skip(lexer, "ORDER")) {
    lexer_expect(lexer, "BY");
    query->order = lexer_name(lexer);
    if (lexer_skip(lexer, "DESC")) query->descending = 1;
    else lexer_skip(lexer, "ASC");
    if (lexer_skip(lexer, "NULLS")) {
      query->nulls_last = lexer_skip(lexer, "LAST");
      if (!query->nulls_last) lexer_expect(lexer, "FIRST");
    }
  }
  if (lexer_skip(lexer, "LIMIT")) query->limit = lexer_expr(lexer);
}

static void insert(struct lexer* lexer, struct query* query) {
  struct row_text** last = &query->rows;
  query->kind = QUERY_INSERT;
  lexer_expect(lexer, "INTO");
  query->table = lexer_table(lexer);
  if (lexer_is(lexer, "(")) query->into = lexer_names(lexer);
  lexer_expect(lexer, "VALUES");
  do {
    lexer_expect(lexer, "(");
    *last = arena_take(lexer->arena, sizeof **last);
    (*last)->values = exprs(lexer, 0);
    last = &(*last)->next;
    lexer_expect(lexer, ")");
  } while (lexer_skip(lexer, ",") && lexer->wrong[0] == 0);
}

static void drop(struct lexer* lexer, struct query* query) {
  query->kind = QUERY_DROP;
  lexer_expect(lexer, "TABLE");
  if (lexer_skip(lexer, "IF")) {
    lexer_expect(lexer, "EXISTS");
    query->lenient = 1;
  }
  query->table = lexer_table(lexer);
}

struct query* query_parse(const char* text, char* wrong, size_t room) {
  struct query* query = ledger_alloc(sizeof *query);
  struct lexer lexer = {.arena = &query->arena, .wrong = wrong, .room = room};
  wrong[0] = 0;
  lexer.at = arena_text(&query->arena, text);
  lexer_next(&lexer);
  if (lexer_skip(&lexer, "SELECT")) {
    select(&lexer, query);
  } else if (lexer_skip(&lexer, "INSERT")) {
    insert(&lexer, query);
  } else if (lexer_skip(&lexer, "DELETE")) {
    query->kind = QUERY_DELETE;
    lexer_expect(&lexer, "FROM");
    query->table = lexer_table(&lexer);
    where(&lexer, query);
  } else if (lexer_skip(&lexer, "CREATE")) {
    ddl_create(&lexer, query);
  } else if (lexer_skip(&lexer, "DROP")) {
    drop(&lexer, query);
  } else {
    lexer_wrong(&lexer, "SELECT, INSERT, DELETE, CREATE or DROP");
  }
  while (lexer_skip(&lexer, ";")) {}
  if (lexer.kind != WORD_END) lexer_wrong(&lexer, "the end");
  query->parameters = lexer.parameters;
  if (wrong[0] == 0) return query;
  query_free(query);
  return NULL;
}

void query_free(struct query* query) {
  if (query == NULL) return;
  arena_free(&query->arena);
  ledger_free(query);
}
