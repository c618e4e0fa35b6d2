/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SQL that the double speaks, as a tree. Names are as they are written, keywords in any case.
 *
 *   SELECT * | COUNT(*) | expr [AS name], … [FROM table | function(n, …)] [WHERE expr op expr] [ORDER BY column [ASC | DESC] [NULLS FIRST | LAST]] [LIMIT expr]
 *   INSERT INTO table [(column, …)] VALUES (expr, …), …
 *   DELETE FROM table [WHERE expr op expr]
 *   CREATE [TEMPORARY] TABLE [IF NOT EXISTS] table (column type [NOT NULL | PRIMARY KEY | UNIQUE | DEFAULT expr | COMMENT 'text' | REFERENCES table (column)] …,
 *     [CONSTRAINT name] PRIMARY KEY (…) | UNIQUE (…) | FOREIGN KEY (…) REFERENCES table (…) | CHECK (…), …)
 *   DROP TABLE [IF EXISTS] table
 *   expr: a literal, a column, ? or $1, CAST(expr AS type), current_date
 *
 * Included by: lexer.h sql.h
 */
#ifndef ARBALEST_ADBC_TREE_H
#define ARBALEST_ADBC_TREE_H

#include <stdint.h>

#include "adbc/core/arena.h"

#pragma GCC visibility push(hidden)

struct table_name {
  const char *catalog, *schema, *table; /* the first two may be NULL */
};

enum expr_kind { EXPR_NULL, EXPR_BOOL, EXPR_INT, EXPR_DOUBLE, EXPR_TEXT, EXPR_COLUMN, EXPR_PARAMETER, EXPR_TODAY };

struct expr {
  enum expr_kind kind;
  int64_t integer; /* a parameter's index, from 0 */
  double number;
  const char* text; /* or a column's name */
  const char* cast; /* the format that it is made, or NULL */
  const char* as;   /* what the result's column is called */
  struct expr* next;
};

enum comparison { COMPARE_NONE, COMPARE_EQUAL, COMPARE_OTHER, COMPARE_LESS, COMPARE_LESS_EQUAL, COMPARE_MORE, COMPARE_MORE_EQUAL };

struct names {
  const char* name;
  struct names* next;
};

struct column_text {
  const char *name, *type, *format, *remarks, *fallback;
  int not_null;
  struct column_text* next;
};

struct constraint_text {
  const char* name;
  int kind; /* of enum constraint_kind */
  struct names* columns;
  struct table_name other;
  struct names* others;
  struct constraint_text* next;
};

struct row_text {
  struct expr* values;
  struct row_text* next;
};

enum query_kind { QUERY_SELECT, QUERY_INSERT, QUERY_DELETE, QUERY_CREATE, QUERY_DROP };

struct query {
  struct arena arena;
  enum query_kind kind;
  int parameters;
  struct table_name table; /* table NULL: a SELECT without FROM, or of a function */
  const char* function;
  int64_t arguments[3];
  int n_arguments;
  int all, count;
  struct expr* exprs;
  struct expr *left, *right;
  enum comparison comparison;
  const char* order;
  int descending, nulls_last;
  struct expr* limit;
  int temporary, lenient; /* lenient: IF EXISTS, IF NOT EXISTS */
  struct column_text* columns;
  struct constraint_text* constraints;
  struct names* into;
  struct row_text* rows;
};

#pragma GCC visibility pop

#endif
