// SPDX-License-Identifier: Apache-2.0
/*
 * What the C compiler makes of the structs of adbc.h, held to the numbers of 64-bit platforms, and as text for a JVM test to compare its own layouts with.
 * Compiled with -DADBC_HEADER='<arrow-adbc/adbc.h>', the same is asked of Apache's own header.
 */
#ifdef ADBC_HEADER
#include ADBC_HEADER
#else
#include "adbc.h"
#endif

#include <pthread.h>
#include <stdio.h>

#define SIZE(type, bytes) _Static_assert(sizeof(struct type) == (bytes), #type " has another size")
#define AT(type, field, bytes) _Static_assert(offsetof(struct type, field) == (bytes), #type "." #field " is elsewhere")

AT(AdbcError, message, 0);
AT(AdbcError, vendor_code, 8);
AT(AdbcError, sqlstate, 12);
AT(AdbcError, release, 24);
AT(AdbcError, private_data, 32);
AT(AdbcError, private_driver, 40);
SIZE(AdbcError, 48);

AT(AdbcErrorDetail, key, 0);
AT(AdbcErrorDetail, value, 8);
AT(AdbcErrorDetail, value_length, 16);
SIZE(AdbcErrorDetail, 24);

AT(AdbcDatabase, private_data, 0);
AT(AdbcDatabase, private_driver, 8);
SIZE(AdbcDatabase, 16);

AT(AdbcConnection, private_data, 0);
AT(AdbcConnection, private_driver, 8);
SIZE(AdbcConnection, 16);

AT(AdbcStatement, private_data, 0);
AT(AdbcStatement, private_driver, 8);
SIZE(AdbcStatement, 16);

AT(AdbcPartitions, num_partitions, 0);
AT(AdbcPartitions, partitions, 8);
AT(AdbcPartitions, partition_lengths, 16);
AT(AdbcPartitions, private_data, 24);
AT(AdbcPartitions, release, 32);
SIZE(AdbcPartitions, 40);

AT(AdbcDriver, private_data, 0);
AT(AdbcDriver, private_manager, 8);
AT(AdbcDriver, release, 16);
AT(AdbcDriver, DatabaseInit, 24);
AT(AdbcDriver, DatabaseNew, 32);
AT(AdbcDriver, DatabaseSetOption, 40);
AT(AdbcDriver, DatabaseRelease, 48);
AT(AdbcDriver, ConnectionCommit, 56);
AT(AdbcDriver, ConnectionGetInfo, 64);
AT(AdbcDriver, ConnectionGetObjects, 72);
AT(AdbcDriver, ConnectionGetTableSchema, 80);
AT(AdbcDriver, ConnectionGetTableTypes, 88);
AT(AdbcDriver, ConnectionInit, 96);
AT(AdbcDriver, ConnectionNew, 104);
AT(AdbcDriver, ConnectionSetOption, 112);
AT(AdbcDriver, ConnectionReadPartition, 120);
AT(AdbcDriver, ConnectionRelease, 128);
AT(AdbcDriver, ConnectionRollback, 136);
AT(AdbcDriver, StatementBind, 144);
AT(AdbcDriver, StatementBindStream, 152);
AT(AdbcDriver, StatementExecuteQuery, 160);
AT(AdbcDriver, StatementExecutePartitions, 168);
AT(AdbcDriver, StatementGetParameterSchema, 176);
AT(AdbcDriver, StatementNew, 184);
AT(AdbcDriver, StatementPrepare, 192);
AT(AdbcDriver, StatementRelease, 200);
AT(AdbcDriver, StatementSetOption, 208);
AT(AdbcDriver, StatementSetSqlQuery, 216);
AT(AdbcDriver, StatementSetSubstraitPlan, 224);
AT(AdbcDriver, ErrorGetDetailCount, 232);
AT(AdbcDriver, ErrorGetDetail, 240);
AT(AdbcDriver, ErrorFromArrayStream, 248);
AT(AdbcDriver, DatabaseGetOption, 256);
AT(AdbcDriver, DatabaseGetOptionBytes, 264);
AT(AdbcDriver, DatabaseGetOptionDouble, 272);
AT(AdbcDriver, DatabaseGetOptionInt, 280);
AT(AdbcDriver, DatabaseSetOptionBytes, 288);
AT(AdbcDriver, DatabaseSetOptionDouble, 296);
AT(AdbcDriver, DatabaseSetOptionInt, 304);
AT(AdbcDriver, ConnectionCancel, 312);
AT(AdbcDriver, ConnectionGetOption, 320);
AT(AdbcDriver, ConnectionGetOptionBytes, 328);
AT(AdbcDriver, ConnectionGetOptionDouble, 336);
AT(AdbcDriver, ConnectionGetOptionInt, 344);
AT(AdbcDriver, ConnectionGetStatistics, 352);
AT(AdbcDriver, ConnectionGetStatisticNames, 360);
AT(AdbcDriver, ConnectionSetOptionBytes, 368);
AT(AdbcDriver, ConnectionSetOptionDouble, 376);
AT(AdbcDriver, ConnectionSetOptionInt, 384);
AT(AdbcDriver, StatementCancel, 392);
AT(AdbcDriver, StatementExecuteSchema, 400);
AT(AdbcDriver, StatementGetOption, 408);
AT(AdbcDriver, StatementGetOptionBytes, 416);
AT(AdbcDriver, StatementGetOptionDouble, 424);
AT(AdbcDriver, StatementGetOptionInt, 432);
AT(AdbcDriver, StatementSetOptionBytes, 440);
AT(AdbcDriver, StatementSetOptionDouble, 448);
AT(AdbcDriver, StatementSetOptionInt, 456);
SIZE(AdbcDriver, 464);

_Static_assert(ADBC_ERROR_1_0_0_SIZE == 32 && ADBC_ERROR_1_1_0_SIZE == 48, "AdbcError's sizes");
_Static_assert(ADBC_DRIVER_1_0_0_SIZE == 232 && ADBC_DRIVER_1_1_0_SIZE == 464, "AdbcDriver's sizes");
_Static_assert(ADBC_ERROR_VENDOR_CODE_PRIVATE_DATA == INT32_MIN && sizeof(AdbcStatusCode) == 1, "numbers");

#define F(type, field) {#type "." #field, offsetof(struct type, field)}
#define S(type) {#type, sizeof(struct type)}

static const struct { const char* what; size_t bytes; } lines[] = {
  F(AdbcError, message), F(AdbcError, vendor_code), F(AdbcError, sqlstate), F(AdbcError, release),
  F(AdbcError, private_data), F(AdbcError, private_driver),
  S(AdbcError),

  F(AdbcErrorDetail, key), F(AdbcErrorDetail, value), F(AdbcErrorDetail, value_length),
  S(AdbcErrorDetail),

  F(AdbcDatabase, private_data), F(AdbcDatabase, private_driver),
  S(AdbcDatabase),

  F(AdbcConnection, private_data), F(AdbcConnection, private_driver),
  S(AdbcConnection),

  F(AdbcStatement, private_data), F(AdbcStatement, private_driver),
  S(AdbcStatement),

  F(AdbcPartitions, num_partitions), F(AdbcPartitions, partitions), F(AdbcPartitions, partition_lengths),
  F(AdbcPartitions, private_data), F(AdbcPartitions, release),
  S(AdbcPartitions),

  F(AdbcDriver, private_data), F(AdbcDriver, private_manager), F(AdbcDriver, release), F(AdbcDriver, DatabaseInit),
  F(AdbcDriver, DatabaseNew), F(AdbcDriver, DatabaseSetOption), F(AdbcDriver, DatabaseRelease),
  F(AdbcDriver, ConnectionCommit), F(AdbcDriver, ConnectionGetInfo), F(AdbcDriver, ConnectionGetObjects),
  F(AdbcDriver, ConnectionGetTableSchema), F(AdbcDriver, ConnectionGetTableTypes), F(AdbcDriver, ConnectionInit),
  F(AdbcDriver, ConnectionNew), F(AdbcDriver, ConnectionSetOption), F(AdbcDriver, ConnectionReadPartition),
  F(AdbcDriver, ConnectionRelease), F(AdbcDriver, ConnectionRollback), F(AdbcDriver, StatementBind),
  F(AdbcDriver, StatementBindStream), F(AdbcDriver, StatementExecuteQuery),
  F(AdbcDriver, StatementExecutePartitions), F(AdbcDriver, StatementGetParameterSchema), F(AdbcDriver, StatementNew),
  F(AdbcDriver, StatementPrepare), F(AdbcDriver, StatementRelease), F(AdbcDriver, StatementSetOption),
  F(AdbcDriver, StatementSetSqlQuery), F(AdbcDriver, StatementSetSubstraitPlan), F(AdbcDriver, ErrorGetDetailCount),
  F(AdbcDriver, ErrorGetDetail), F(AdbcDriver, ErrorFromArrayStream), F(AdbcDriver, DatabaseGetOption),
  F(AdbcDriver, DatabaseGetOptionBytes), F(AdbcDriver, DatabaseGetOptionDouble), F(AdbcDriver, DatabaseGetOptionInt),
  F(AdbcDriver, DatabaseSetOptionBytes), F(AdbcDriver, DatabaseSetOptionDouble), F(AdbcDriver, DatabaseSetOptionInt),
  F(AdbcDriver, ConnectionCancel), F(AdbcDriver, ConnectionGetOption), F(AdbcDriver, ConnectionGetOptionBytes),
  F(AdbcDriver, ConnectionGetOptionDouble), F(AdbcDriver, ConnectionGetOptionInt),
  F(AdbcDriver, ConnectionGetStatistics), F(AdbcDriver, ConnectionGetStatisticNames),
  F(AdbcDriver, ConnectionSetOptionBytes), F(AdbcDriver, ConnectionSetOptionDouble),
  F(AdbcDriver, ConnectionSetOptionInt), F(AdbcDriver, StatementCancel), F(AdbcDriver, StatementExecuteSchema),
  F(AdbcDriver, StatementGetOption), F(AdbcDriver, StatementGetOptionBytes), F(AdbcDriver, StatementGetOptionDouble),
  F(AdbcDriver, StatementGetOptionInt), F(AdbcDriver, StatementSetOptionBytes),
  F(AdbcDriver, StatementSetOptionDouble), F(AdbcDriver, StatementSetOptionInt),
  S(AdbcDriver),
};

static char text[8192];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void write_text(void) {
  size_t at = 0;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s %zu\n", lines[i].what, lines[i].bytes);
}

/* "Struct.field offset" and "Struct size" lines; static memory, never freed. */
const char* adbc_layout(void) {
  pthread_once(&once, write_text);
  return text;
}
