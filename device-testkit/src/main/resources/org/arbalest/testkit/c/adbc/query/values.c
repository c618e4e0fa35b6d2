// SPDX-License-Identifier: Apache-2.0
/* What an expression is. */
#include "values.h"

#include <string.h>
#include <time.h>

#include "adbc/data/cells.h"

static const char* plain_format(struct call* call, const struct expr* expr, const struct scope* scope) {
  switch (expr->kind) {
    case EXPR_BOOL: return "b";
    case EXPR_INT: return "l";
    case EXPR_DOUBLE: return "g";
    case EXPR_TEXT: return "u";
    case EXPR_TODAY: return "tdD";
    case EXPR_PARAMETER: return scope->bound != NULL && expr->integer < scope->bound->n ? scope->bound->fields[expr->integer].format : "n";
    case EXPR_COLUMN: break;
    default: return "n";
  }
  int i = scope->definition == NULL ? -1 : definition_field(scope->definition, expr->text);
  if (i >= 0) return scope->definition->fields[i].format;
  call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42703", "there is no column %s", expr->text);
  return NULL;
}

const char* expr_format(struct call* call, const struct expr* expr, const struct scope* scope) {
  const char* format = plain_format(call, expr, scope);
  return format == NULL || expr->cast == NULL ? format : expr->cast;
}

AdbcStatusCode expr_value(struct call* call, const struct expr* expr, const struct scope* scope, struct arena* arena, struct cell* out) {
  *out = cell_null();
  switch (expr->kind) {
    case EXPR_BOOL: case EXPR_INT: *out = cell_int(expr->integer); break;
    case EXPR_DOUBLE: *out = cell_double(expr->number); break;
    case EXPR_TEXT: *out = cell_text(expr->text, arena); break;
    case EXPR_TODAY: *out = cell_int(time(NULL) / 86400); break;
    case EXPR_PARAMETER: if (scope->parameters != NULL) *out = scope->parameters[expr->integer]; break;
    case EXPR_COLUMN: *out = scope->row[definition_field(scope->definition, expr->text)]; break;
    default: break;
  }
  if (expr->cast == NULL) return ADBC_STATUS_OK;
  const char* from = plain_format(call, expr, scope);
  switch (cell_convert(out, from, expr->cast)) {
    case 0: return ADBC_STATUS_OK;
    case 1: return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42846", "%s cannot be made %s", type_of_format(from), type_of_format(expr->cast));
    default: return call_fail(call, ADBC_STATUS_INVALID_DATA, "22003", "a value is out of %s's range", type_of_format(expr->cast));
  }
}

static int holds(enum comparison comparison, int order) {
  switch (comparison) {
    case COMPARE_EQUAL: return order == 0;
    case COMPARE_OTHER: return order != 0;
    case COMPARE_LESS: return order < 0;
    case COMPARE_LESS_EQUAL: return order <= 0;
    case COMPARE_MORE: return order > 0;
    default: return order >= 0;
  }
}

AdbcStatusCode query_matches(struct call* call, const struct query* query, const struct scope* scope, int* out) {
  struct arena arena = {NULL};
  struct cell left, right;
  *out = query->comparison == COMPARE_NONE;
  if (*out) return ADBC_STATUS_OK;
  const char* one = expr_format(call, query->left, scope);
  const char* other = one == NULL ? NULL : expr_format(call, query->right, scope);
  if (other == NULL) return ADBC_STATUS_INVALID_ARGUMENT;
  if (!cells_comparable(one, other)) {
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42883", "%s and %s cannot be compared", type_of_format(one), type_of_format(other));
  }
  AdbcStatusCode status = expr_value(call, query->left, scope, &arena, &left);
  if (status == ADBC_STATUS_OK) status = expr_value(call, query->right, scope, &arena, &right);
  if (status == ADBC_STATUS_OK) *out = left.size >= 0 && right.size >= 0 && holds(query->comparison, cells_compare(left, one, right, other));
  arena_free(&arena);
  return status;
}
