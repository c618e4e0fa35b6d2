// SPDX-License-Identifier: Apache-2.0
/* What a statement is about to do. */
#include "queries.h"

#include <string.h>

void query_set(struct statement* statement, const char* text, size_t size) {
  query_free(statement->query);
  ledger_free(statement->text);
  statement->query = NULL;
  statement->text = NULL;
  statement->prepared = 0;
  statement->next_partition = 0;
  if (text == NULL) return;
  statement->text = ledger_alloc(size + 1);
  memcpy(statement->text, text, size);
}

const struct query* query_of(struct call* call, struct statement* statement, AdbcStatusCode* status) {
  char wrong[256];
  *status = ADBC_STATUS_OK;
  if (statement->text == NULL) {
    *status = call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "no query is set");
  } else if (statement->query == NULL) {
    statement->query = query_parse(statement->text, wrong, sizeof wrong);
    if (statement->query == NULL) *status = call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "%s, in: %.200s", wrong, statement->text);
  }
  return statement->query;
}

AdbcStatusCode query_bind(struct call* call, struct statement* statement, const struct query* query, struct bound* bound) {
  if (!binding_is(statement)) {
    if (query->parameters == 0) return ADBC_STATUS_OK;
    return call_fail(call, ADBC_STATUS_INVALID_STATE, "07002", "the query has %d parameters, and nothing is bound", query->parameters);
  }
  AdbcStatusCode status = binding_read(call, statement, bound);
  if (status != ADBC_STATUS_OK || bound->n == query->parameters) return status;
  return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "07001", "the query has %d parameters, and %d are bound", query->parameters, bound->n);
}

int64_t statement_number(struct statement* statement, const char* key) {
  struct arena arena = {NULL};
  int64_t number = options_get(&statement->handle.options, key, OPTION_INT, &arena).integer;
  arena_free(&arena);
  return number;
}
