// SPDX-License-Identifier: Apache-2.0
/*
 * The ADBC double driven from C, so that sanitizers and valgrind can look: once through its functions, then with threads that query, write and cancel. What
 * is right is said by the specs; this sees that nothing is left, and that nothing is touched that is not there.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adbc/core/adbc.h"
#include "peer/peer.h"

AdbcStatusCode AdbcDriverInit(int version, void* driver, struct AdbcError* error);
int64_t adbc_double_live(int32_t kind);
int64_t adbc_double_violations(void);
int64_t adbc_double_double_releases(void);
int64_t adbc_double_races(void);
int64_t adbc_double_held(void);
void adbc_double_reset(void);

#define ERROR ((struct AdbcError){.vendor_code = ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA})
#define CHECK(condition) check(condition, #condition, __LINE__)
#define OK(call) said(call, ADBC_STATUS_OK, &error, __LINE__)
#define SAYS(call, status) said(call, status, &error, __LINE__)

static struct AdbcDriver driver;

static void check(int condition, const char* text, int line) {
  if (condition) return;
  printf("line %d: %s\n", line, text);
  exit(1);
}

static void said(AdbcStatusCode status, AdbcStatusCode wanted, struct AdbcError* error, int line) {
  if (status != wanted) printf("line %d: status %d and not %d: %s\n", line, status, wanted, error->message == NULL ? "" : error->message);
  if (status != wanted) exit(1);
  if (error->release != NULL) error->release(error);
  *error = ERROR;
}

static int64_t drain(struct ArrowArrayStream* stream, int* code) {
  struct ArrowSchema schema;
  struct ArrowArray array = {.release = NULL};
  int64_t rows = 0;
  *code = stream->get_schema(stream, &schema);
  if (*code == 0) schema.release(&schema);
  while (*code == 0 && (*code = stream->get_next(stream, &array)) == 0 && array.release != NULL) {
    rows += array.length;
    array.release(&array);
  }
  stream->release(stream);
  return rows;
}

static int64_t query(struct AdbcStatement* statement, const char* sql) {
  struct AdbcError error = ERROR;
  struct ArrowArrayStream stream;
  int code;
  OK(driver.StatementSetSqlQuery(statement, sql, &error));
  OK(driver.StatementExecuteQuery(statement, &stream, NULL, &error));
  int64_t rows = drain(&stream, &code);
  return code == 0 ? rows : -code;
}

static void refused(struct AdbcStatement* statement, const char* sql, AdbcStatusCode status) {
  struct AdbcError error = ERROR;
  OK(driver.StatementSetSqlQuery(statement, sql, &error));
  SAYS(driver.StatementExecuteQuery(statement, NULL, NULL, &error), status);
}

static void queries(struct AdbcStatement* s) {
  CHECK(query(s, "SELECT * FROM t") == 10);
  CHECK(query(s, "SELECT id, name FROM t WHERE id >= 5 ORDER BY id DESC LIMIT 3;;") == 3);
  CHECK(query(s, "SELECT 1, 'x' AS y, NULL, CAST(1.5 AS FLOAT), current_date, TRUE, -3, CAST(-2.5 AS INT)") == 1);
  CHECK(query(s, "CREATE TABLE x (a INT NOT NULL PRIMARY KEY, b TEXT DEFAULT 'it''s', \"c \"\"d\" DOUBLE, CHECK (a > (0)))") == 0);
  CHECK(query(s, "INSERT INTO x VALUES (1, 'a', 1.5), (2, NULL, NULL)") == 0);
  CHECK(query(s, "INSERT INTO x (a) VALUES (3)") == 0);
  CHECK(query(s, "DELETE FROM x WHERE a > 1") == 0 && query(s, "SELECT * FROM memory.main.x") == 1);
  CHECK(query(s, "CREATE TEMPORARY TABLE scratch (a INT)") == 0);
  CHECK(query(s, "SELECT * FROM fails(3, 10, 2)") == -EIO);
  refused(s, "SELECT * FROM nothing", ADBC_STATUS_NOT_FOUND);
  refused(s, "SELECT 'abc", ADBC_STATUS_INVALID_ARGUMENT);
  refused(s, "SELECT \"", ADBC_STATUS_INVALID_ARGUMENT);
  refused(s, "", ADBC_STATUS_INVALID_ARGUMENT);
  refused(s, "SELECT nope FROM t", ADBC_STATUS_INVALID_ARGUMENT);
  refused(s, "INSERT INTO x VALUES (1, 'a', 1.5)", ADBC_STATUS_INTEGRITY);
  refused(s, "INSERT INTO x VALUES (3000000000, 'a', 1.5)", ADBC_STATUS_INVALID_DATA);
  refused(s, "SELECT * FROM fails(3, 10, 2)", ADBC_STATUS_INVALID_DATA);
}

static void bound(struct AdbcStatement* s) {
  struct AdbcError error = ERROR;
  static const char* const modes[] = {ADBC_INGEST_OPTION_MODE_CREATE, ADBC_INGEST_OPTION_MODE_APPEND, ADBC_INGEST_OPTION_MODE_REPLACE,
                                      ADBC_INGEST_OPTION_MODE_CREATE_APPEND};
  static const int64_t after[] = {5, 10, 5, 10};
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  struct ArrowSchema schema;
  int code;
  for (int i = 0; i < 4; i++) {
    peer_stream(&stream, 1, 5, PEER_SLICED, 0, 0);
    OK(driver.StatementSetOption(s, ADBC_INGEST_OPTION_TARGET_TABLE, "taken", &error));
    OK(driver.StatementSetOption(s, ADBC_INGEST_OPTION_MODE, modes[i], &error));
    OK(driver.StatementBindStream(s, &stream, &error));
    OK(driver.StatementExecuteQuery(s, NULL, NULL, &error));
    CHECK(query(s, "SELECT * FROM taken") == after[i]);
  }
  peer_batch(&array, 0, 3, 0);
  peer_batch_schema(&schema);
  OK(driver.StatementSetSqlQuery(s, "SELECT ?, $2, $1", &error));
  OK(driver.StatementPrepare(s, &error));
  OK(driver.StatementBind(s, &array, &schema, &error));
  OK(driver.StatementExecuteSchema(s, &schema, &error));
  schema.release(&schema);
  OK(driver.StatementGetParameterSchema(s, &schema, &error));
  schema.release(&schema);
  OK(driver.StatementExecuteQuery(s, &stream, NULL, &error));
  CHECK(drain(&stream, &code) == 3);
  SAYS(driver.StatementExecuteQuery(s, &stream, NULL, &error), ADBC_STATUS_INVALID_STATE);
}

static void unexecuted(struct AdbcStatement* s) {
  struct AdbcError error = ERROR;
  struct ArrowArrayStream stream;
  peer_stream(&stream, 3, 5, 0, 0, 0);
  OK(driver.StatementBindStream(s, &stream, &error));
}

static void partitions(struct AdbcConnection* c, struct AdbcStatement* s) {
  struct AdbcError error = ERROR;
  struct AdbcPartitions parts;
  struct ArrowSchema schema;
  struct ArrowArrayStream stream;
  int64_t rows = 0;
  int code;
  OK(driver.StatementSetSqlQuery(s, "SELECT * FROM batches(10, 7)", &error));
  OK(driver.StatementExecutePartitions(s, &schema, &parts, NULL, &error));
  schema.release(&schema);
  for (size_t i = 0; i < parts.num_partitions; i++) {
    OK(driver.ConnectionReadPartition(c, parts.partitions[i], parts.partition_lengths[i], &stream, &error));
    rows += drain(&stream, &code);
  }
  CHECK(rows == 70);
  parts.release(&parts);
  SAYS(driver.ConnectionReadPartition(c, (const uint8_t*)"part", 4, &stream, &error), ADBC_STATUS_INVALID_ARGUMENT);
}

static void metadata(struct AdbcConnection* c) {
  struct AdbcError error = ERROR;
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  int code;
  OK(driver.ConnectionGetInfo(c, NULL, 0, &stream, &error));
  CHECK(drain(&stream, &code) == 17);
  for (int depth = 0; depth < 4; depth++) {
    OK(driver.ConnectionGetObjects(c, depth, "%", NULL, "%", NULL, NULL, &stream, &error));
    CHECK(drain(&stream, &code) == 2);
  }
  OK(driver.ConnectionGetStatistics(c, NULL, NULL, NULL, 0, &stream, &error));
  CHECK(drain(&stream, &code) == 3);
  OK(driver.ConnectionGetStatisticNames(c, &stream, &error));
  CHECK(drain(&stream, &code) == 1);
  OK(driver.ConnectionGetTableTypes(c, &stream, &error));
  CHECK(drain(&stream, &code) == 3);
  OK(driver.ConnectionGetTableSchema(c, NULL, NULL, "t", &schema, &error));
  schema.release(&schema);
}

static void transactions(struct AdbcConnection* c, struct AdbcStatement* s) {
  struct AdbcError error = ERROR;
  OK(driver.ConnectionSetOption(c, ADBC_CONNECTION_OPTION_AUTOCOMMIT, ADBC_OPTION_VALUE_DISABLED, &error));
  query(s, "DELETE FROM x");
  query(s, "DROP TABLE scratch");
  OK(driver.ConnectionRollback(c, &error));
  CHECK(query(s, "SELECT * FROM x") == 1 && query(s, "SELECT * FROM scratch") == 0);
  query(s, "DELETE FROM x");
  OK(driver.ConnectionCommit(c, &error));
  CHECK(query(s, "SELECT * FROM x") == 0);
  query(s, "DROP TABLE x"); /* and never committed */
}

/* ---- threads ---- */

#define THREADS 4
#define ROUNDS 200

struct work {
  struct AdbcConnection connection;
  struct AdbcStatement statement;
  pthread_t worker, canceller;
  int stop;
};

static struct work all[THREADS];

static void* works(void* argument) {
  struct work* work = argument;
  char sql[128];
  for (int i = 0; i < ROUNDS; i++) {
    struct AdbcError error = ERROR;
    struct ArrowArrayStream stream;
    int code;
    snprintf(sql, sizeof sql, i % 2 ? "SELECT * FROM waits(5, 3, 2)" : i % 4 ? "SELECT * FROM stuck()" : "INSERT INTO child VALUES (%d, 0, 'x')",
             (int)(work - all) * ROUNDS + i + 1);
    OK(driver.StatementSetSqlQuery(&work->statement, sql, &error));
    AdbcStatusCode status = driver.StatementExecuteQuery(&work->statement, &stream, NULL, &error);
    if (error.release != NULL) error.release(&error);
    if (status != ADBC_STATUS_OK) continue;
    drain(&stream, &code);
    CHECK(code == 0 || code == ECANCELED);
  }
  __atomic_store_n(&work->stop, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

static void* cancels(void* argument) {
  struct work* work = argument;
  while (!__atomic_load_n(&work->stop, __ATOMIC_SEQ_CST)) {
    struct AdbcError error = ERROR;
    driver.StatementCancel(&work->statement, &error);
    if (error.release != NULL) error.release(&error);
  }
  return NULL;
}

static void threads(struct AdbcDatabase* database) {
  struct AdbcError error = ERROR;
  for (int i = 0; i < THREADS; i++) {
    OK(driver.ConnectionNew(&all[i].connection, &error));
    OK(driver.ConnectionInit(&all[i].connection, database, &error));
    OK(driver.StatementNew(&all[i].connection, &all[i].statement, &error));
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_create(&all[i].worker, NULL, works, &all[i]);
    pthread_create(&all[i].canceller, NULL, cancels, &all[i]);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(all[i].worker, NULL);
    pthread_join(all[i].canceller, NULL);
    OK(driver.StatementRelease(&all[i].statement, &error));
    OK(driver.ConnectionRelease(&all[i].connection, &error));
  }
}

int main(void) {
  struct AdbcDatabase database = {NULL, NULL};
  struct AdbcConnection connection = {NULL, NULL};
  struct AdbcStatement statement = {NULL, NULL};
  struct AdbcError error = ERROR;
  OK(AdbcDriverInit(ADBC_VERSION_1_1_0, &driver, &error));
  SAYS(driver.DatabaseRelease(&database, &error), ADBC_STATUS_INVALID_STATE);
  OK(driver.DatabaseNew(&database, &error));
  OK(driver.DatabaseInit(&database, &error));
  OK(driver.ConnectionNew(&connection, &error));
  OK(driver.ConnectionInit(&connection, &database, &error));
  OK(driver.StatementNew(&connection, &statement, &error));
  queries(&statement);
  partitions(&connection, &statement);
  metadata(&connection);
  bound(&statement);
  transactions(&connection, &statement);
  unexecuted(&statement);
  OK(driver.StatementRelease(&statement, &error));
  OK(driver.ConnectionRelease(&connection, &error));
  threads(&database);
  OK(driver.DatabaseRelease(&database, &error));
  OK(driver.release(&driver, &error));
  for (int32_t kind = -1; kind < 16; kind++) CHECK(adbc_double_live(kind) == 0);
  CHECK(adbc_double_violations() == 0 && adbc_double_double_releases() == 0 && adbc_double_races() == 0);
  adbc_double_reset();
  printf("the driver has nothing left\n");
  return 0;
}
