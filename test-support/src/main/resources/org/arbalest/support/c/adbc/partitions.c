// SPDX-License-Identifier: Apache-2.0
/* Partitioned results, which DuckDB lacks: a partition's bytes are SQL that selects every n-th row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

static const char magic[] = "part\0\1\2\3";

struct record_of_partitions {
  struct record head;
  size_t n, *sizes;
  uint8_t** bytes;
};

static void release(struct AdbcPartitions* self) {
  struct record_of_partitions* own = self->private_data;
  fault_of("partitions.release", NULL, 1);
  self->release = NULL;
  if (!tracker_close(&own->head)) return;
  for (size_t i = 0; i < own->n; i++) tracker_free(own->bytes[i]);
  tracker_free(own->bytes);
  tracker_free(own->sizes);
  self->num_partitions = 0; /* private_data stays: it identifies a second release */
  self->partitions = NULL;
  self->partition_lengths = NULL;
}

static void fill(const char* sql, int from, int to, int of, struct AdbcPartitions* out) {
  struct record_of_partitions* own = tracker_open(sizeof *own, PARTITIONS);
  own->n = (size_t)(to - from);
  own->sizes = tracker_alloc(own->n * sizeof *own->sizes + 1);
  own->bytes = tracker_alloc(own->n * sizeof *own->bytes + 1);
  for (size_t i = 0; i < own->n; i++) {
    size_t room = sizeof magic + strlen(sql) + 128;
    own->bytes[i] = tracker_alloc(room);
    memcpy(own->bytes[i], magic, sizeof magic);
    own->sizes[i] = sizeof magic + (size_t)snprintf((char*)own->bytes[i] + sizeof magic, room - sizeof magic,
                        "SELECT * FROM (%s) QUALIFY row_number() OVER () %% %d = %d", sql, of, from + (int)i);
  }
  *out = (struct AdbcPartitions){own->n, (const uint8_t**)own->bytes, own->sizes, own, release};
}

void partitions_fill(const char* sql, int count, struct AdbcPartitions* out) { fill(sql, 0, count, count, out); }

/* "When there are no more to return, it will return an empty set": an incremental execution returns one partition per
   call. */
static void next(struct statement* statement, struct AdbcPartitions* out) {
  struct option option = option_get(&statement->handle, PARTS, TEXT);
  int of = option.kind == NONE ? 3 : atoi(option.bytes), at = statement->next_partition;
  tracker_free(option.bytes);
  if (!option_is(&statement->handle, ADBC_STATEMENT_OPTION_INCREMENTAL, ADBC_OPTION_VALUE_ENABLED)) {
    fill(statement->sql, 0, of, of, out);
    return;
  }
  fill(statement->sql, at, at == of ? of : at + 1, of, out);
  statement->next_partition = at == of ? 0 : at + 1;
}

AdbcStatusCode faultyStatementExecutePartitions(struct AdbcStatement* handle, struct ArrowSchema* schema,
                                                struct AdbcPartitions* partitions,
                                                int64_t* rows_affected, struct AdbcError* error) {
  BEGIN("StatementExecutePartitions", RUNS, handle, STATEMENT);
  result_invalidate(handle->private_data, "the statement was executed again");
  AdbcStatusCode status = statement_schema(&call, handle->private_data, schema);
  if (status == ADBC_STATUS_OK) next(handle->private_data, partitions);
  if (status == ADBC_STATUS_OK && rows_affected != NULL) *rows_affected = -1;
  return call_end(&call, status);
}

AdbcStatusCode faultyConnectionReadPartition(struct AdbcConnection* handle, const uint8_t* bytes, size_t size,
                                             struct ArrowArrayStream* out, struct AdbcError* error) {
  BEGIN("ConnectionReadPartition", RUNS, handle, CONNECTION);
  if (size <= sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
    return call_end(&call,
                    call_fail(&call, ADBC_STATUS_INVALID_ARGUMENT, "22023", "%zu bytes that are no partition", size));
  }
  char* sql = memcpy(tracker_alloc(size - sizeof magic + 1), bytes + sizeof magic, size - sizeof magic);
  AdbcStatusCode status = connection_query(&call, handle->private_data, sql, out);
  tracker_free(sql);
  return call_end(&call, status);
}
