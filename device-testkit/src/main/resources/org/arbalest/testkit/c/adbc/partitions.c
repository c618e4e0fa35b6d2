// SPDX-License-Identifier: Apache-2.0
/* Partitioned results: AdbcStatementExecutePartitions, AdbcConnectionReadPartition. */
#include <string.h>

#include "functions.h"
#include "adbc/query/picked.h"
#include "adbc/query/queries.h"
#include "adbc/query/select.h"
#include "adbc/sql/sql.h"

/* What is in a partition's bytes, which any connection of the database may read: every of-th batch of a query. There are zeros among them. */
static const char magic[8] = "part\0\1\2\3";

struct descriptor {
  char magic[8];
  int64_t index, of, batch_rows;
  char catalog[32], schema[32]; /* that were current */
  char sql[];
};

struct partitions_record {
  struct record head;
  size_t n, *sizes;
  uint8_t** bytes;
};

static void release(struct AdbcPartitions* self) {
  struct partitions_record* own = self->private_data;
  knob_call("partitions.release", NULL, 1);
  self->release = NULL;
  if (own == NULL) {
    ledger_violation("partitions were released that hold nothing");
    return;
  }
  if (!ledger_close(&own->head)) return;
  for (size_t i = 0; i < own->n; i++) ledger_free(own->bytes[i]);
  ledger_free(own->bytes);
  ledger_free(own->sizes);
  memset(self, 0, sizeof *self);
}

static uint8_t* describe(struct statement* statement, int64_t index, int64_t of, size_t* size) {
  struct arena arena = {NULL};
  struct options* options = &statement->connection->handle.options;
  *size = sizeof(struct descriptor) + strlen(statement->text);
  struct descriptor* made = ledger_alloc(*size);
  memcpy(made->magic, magic, sizeof magic);
  made->index = index;
  made->of = of;
  made->batch_rows = statement_number(statement, OPTION_BATCH_ROWS);
  strncpy(made->catalog, options_get(options, ADBC_CONNECTION_OPTION_CURRENT_CATALOG, OPTION_TEXT, &arena).text, sizeof made->catalog - 1);
  strncpy(made->schema, options_get(options, ADBC_CONNECTION_OPTION_CURRENT_DB_SCHEMA, OPTION_TEXT, &arena).text, sizeof made->schema - 1);
  memcpy(made->sql, statement->text, strlen(statement->text));
  arena_free(&arena);
  return (uint8_t*)made;
}

static void fill(struct statement* statement, int64_t from, int64_t to, int64_t of, struct AdbcPartitions* out) {
  struct partitions_record* own = ledger_open(sizeof *own, LEDGER_PARTITIONS);
  own->n = (size_t)(to - from);
  own->sizes = ledger_alloc(own->n * sizeof *own->sizes + 1);
  own->bytes = ledger_alloc(own->n * sizeof *own->bytes + 1);
  for (size_t i = 0; i < own->n; i++) own->bytes[i] = describe(statement, from + (int64_t)i, of, &own->sizes[i]);
  *out = (struct AdbcPartitions){own->n, (const uint8_t**)own->bytes, own->sizes, own, release};
}

/* "When enabled, AdbcStatementExecutePartitions will return partitions as soon as they are available […]. When there are no more to return, it will return an empty
   set": here one a call. */
static void next(struct statement* statement, int64_t of, struct AdbcPartitions* out) {
  struct arena arena = {NULL};
  int one = option_flag(options_get(&statement->handle.options, ADBC_STATEMENT_OPTION_INCREMENTAL, OPTION_TEXT, &arena)) == 1;
  arena_free(&arena);
  if (!one) {
    fill(statement, 0, of, of, out);
  } else if (statement->next_partition == of) {
    fill(statement, of, of, of, out);
    statement->next_partition = 0;
  } else {
    fill(statement, statement->next_partition, statement->next_partition + 1, of, out);
    statement->next_partition++;
  }
}

static AdbcStatusCode execute(struct call* call, struct statement* statement, struct ArrowSchema* schema, struct AdbcPartitions* out) {
  AdbcStatusCode status;
  if (statement->ingests) return call_fail(call, ADBC_STATUS_INVALID_STATE, "HY010", "an ingestion has no result");
  const struct query* query = query_of(call, statement, &status);
  if (query == NULL) return status;
  if (query->kind != QUERY_SELECT) return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "42601", "only a SELECT has partitions");
  if (query->parameters > 0) return call_fail(call, ADBC_STATUS_NOT_IMPLEMENTED, "0A000", "a query with parameters has no partitions here");
  status = select_schema(call, statement->connection, query, NULL, schema);
  if (status == ADBC_STATUS_OK) next(statement, statement_number(statement, OPTION_PARTITIONS), out);
  return status;
}

AdbcStatusCode statement_execute_partitions(struct AdbcStatement* handle, struct ArrowSchema* schema, struct AdbcPartitions* partitions, int64_t* rows_affected,
                                            struct AdbcError* error) {
  struct call call;
  if (!call_statement(&call, "StatementExecutePartitions", CALL_RUNS, handle, error)) return call.status;
  result_invalidate(handle->private_data, "the statement was executed again");
  AdbcStatusCode status = execute(&call, handle->private_data, schema, partitions);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = -1;
  return call_end(&call, status);
}

/* ---- reading one ---- */

static AdbcStatusCode read(struct call* call, struct connection* connection, const uint8_t* bytes, size_t size, struct ArrowArrayStream* out) {
  struct arena arena = {NULL};
  char wrong[256];
  struct source* source;
  int64_t rows;
  if (size <= sizeof(struct descriptor) || memcmp(bytes, magic, sizeof magic) != 0) {
    return call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "%zu bytes that are no partition", size);
  }
  struct descriptor* part = (struct descriptor*)arena_copy(&arena, bytes, size); /* aligned, and with a zero behind it */
  struct query* query = query_parse(part->sql, wrong, sizeof wrong);
  AdbcStatusCode status = ADBC_STATUS_OK;
  if (query == NULL || query->kind != QUERY_SELECT || part->of < 1 || part->index < 0 || part->batch_rows < 1) {
    status = call_fail(call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "the partition's bytes are spoilt");
  } else {
    if (query->table.table != NULL && query->table.schema == NULL) query->table.schema = part->schema;
    if (query->table.table != NULL && query->table.catalog == NULL) query->table.catalog = part->catalog;
    status = select_open(call, connection, query, NULL, part->batch_rows, &source, &rows);
    if (status == ADBC_STATUS_OK) result_start(source_part(source, part->index, part->of), connection, NULL, out);
  }
  query_free(query);
  arena_free(&arena);
  return status;
}

AdbcStatusCode connection_read_partition(struct AdbcConnection* handle, const uint8_t* bytes, size_t size, struct ArrowArrayStream* out, struct AdbcError* error) {
  struct call call;
  if (!call_connection(&call, "ConnectionReadPartition", CALL_RUNS, handle, error)) return call.status;
  return call_end(&call, read(&call, handle->private_data, bytes, size, out));
}
