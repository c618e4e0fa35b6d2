// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.interop.duckdb.DuckDb
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension

private val SINCE_1_1 = "the driver implements ADBC 1.0.0, which does not have this function"

/** The types that DuckDB returns as other types, also behind the faulty driver. */
private val DUCKDB_RETURNS: Map<String, Returned> get() = mapOf(
    "large_utf8" to Returned(DataType.UTF8),
    "utf8_view" to Returned(DataType.UTF8),
    "dictionary<values=utf8, indices=int32>" to Returned(DataType.UTF8),
    "large_binary" to Returned(DataType.BINARY),
    "fixed_size_binary[4]" to Returned(DataType.BINARY),
    "binary_view" to Returned(DataType.BINARY),
    "list<item: int32>" to Returned(ListType(Field.of("l", DataType.INT32))),
    "list<item: utf8>" to Returned(ListType(Field.of("l", DataType.UTF8))),
) + MICROSECONDS.entries.flatMap { (unit, micros) ->
    listOf(
        "duration[$unit]" to Returned(DataType.INTERVAL_MONTH_DAY_NANO) { Interval(0, 0, 1000 * micros(it as Long)) },
    ) +
        ZONES.map { zone ->
            "timestamp[$unit, tz=$zone]" to Returned(TimestampType(ArrowTimeUnit.MICROSECOND, "UTC")) {
                micros(it as Long)
            }
        }
}

/** The types with a zone for which DuckDB 2.0 returns nanoseconds. */
private val NANOSECONDS_IN_ZONES: Map<String, Returned> get() =
    ZONES.associate { "timestamp[ns, tz=$it]" to Returned(TimestampType(ArrowTimeUnit.NANOSECOND, "UTC")) }

/** The cases that DuckDB fails, also behind the faulty driver, which adds states, rows of parameters and cancelling. */
private val DUCKDB_FAILS = mapOf(
    "Connection.MetadataGetObjectsTablesTypes" to "Table type must be \"LOCAL TABLE\", \"BASE TABLE\" or \"VIEW\"",
    "Statement.SqlIngestFloat16" to "Unsupported Internal Arrow Type e",
    // DuckDB does not ingest into a part of a table's columns.
    "Statement.SqlIngestPrimaryKey" to "incorrect column count in AppendDataChunk, expected 2, got 1",
)

private fun faulty(name: String, load: () -> AdbcDriver, lacks: Map<Feature, String>) = Tested(
    name, missing = { FaultyDriver.missing }, load = load,
    refused = mapOf("adbc.no.such.option" to "x"),
    info = mapOf(0 to "Arbalest's fake", 1 to "0.1", 100 to "adbc_driver_faulty", 101 to "0.1.0", 103 to 1_001_000L),
    otherSchema = "aux",
    setUp = listOf("SET TimeZone = 'UTC'"),
    lacks = lacks,
    returns = DUCKDB_RETURNS + NANOSECONDS_IN_ZONES,
    // The driver accepts a catalog together with "temporary".
    fails = DUCKDB_FAILS + ("Statement.SqlIngestTemporaryExclusive" to "no exception was thrown"),
)

private fun duckDb(engine: DuckDb, version: String, returns: Map<String, Returned> = emptyMap()) = Tested(
    engine.name, missing = { engine.missing }, load = engine::driver,
    options = mapOf("path" to ":memory:"),
    refused = mapOf("path" to "/no/such/folder/x.db"),
    info = mapOf(0 to "duckdb", 1 to version, 100 to "ADBC DuckDB Driver", 103 to 1_001_000L),
    otherSchema = "otherschema",
    setUp = listOf("CREATE SCHEMA otherschema", "SET TimeZone = 'UTC'"),
    cancelled = "INTERRUPT",
    lacks = mapOf(Feature.PARTITIONS to "DuckDB does not return results in partitions: NOT_IMPLEMENTED"),
    returns = DUCKDB_RETURNS + returns,
    fails = DUCKDB_FAILS + mapOf(
        "Connection.MetadataGetTableSchemaEscaping" to "expected:<NOT_FOUND> but was:<INTERNAL>",
        "Connection.MetadataGetTableSchemaNotFound" to "expected:<NOT_FOUND> but was:<INTERNAL>",
        "Statement.NewInit" to NO_ERROR, // it executes nothing, and reports success
        "Statement.SqlPrepareErrorNoQuery" to NO_ERROR,
        "Statement.SqlIngestErrors" to "nothing is bound\n$NO_ERROR",
        "Statement.SqlPrepareSelectParams" to ONE_ROW,
        "Statement.SqlPrepareUpdate" to ONE_ROW,
        "Statement.SqlPrepareUpdateStream" to ONE_ROW,
        "Statement.SqlBind" to ONE_ROW,
        "Statement.SqlQueryCancel" to "expected:<125> but was:<1>", // its streams return EPERM, not ECANCELED
    ),
)

private val ZONES = listOf("UTC", "America/Los_Angeles")

private const val NO_ERROR = "Expected exception org.arbalest.device.adbc.AdbcException but no exception was thrown"
private const val ONE_ROW = "Binding multiple rows at once is not supported yet"

/** The conversions to microseconds, in which DuckDB stores times and durations. */
private val MICROSECONDS = mapOf<String, (Long) -> Long>("s" to { it * 1_000_000 }, "ms" to { it * 1_000 },
    "us" to { it }, "ns" to { it / 1_000 })

internal abstract class FaultyContract(tested: Tested) : ValidationContract(tested) {
    init {
        extension(FaultyDriverExtension())
    }
}

internal class FaultyValidationSpec : FaultyContract(
    faulty("the faulty driver", { AdbcDriver.load(FaultyDriver.full.file) }, emptyMap()),
)

internal class OldFaultyValidationSpec : FaultyContract(
    faulty(
        "the faulty driver of 1.0.0", { AdbcDriver.load(FaultyDriver.full.file, "AdbcFaultyOldInit") },
        listOf(Feature.RETURNS_OPTIONS, Feature.CANCELS, Feature.EXECUTES_SCHEMA, Feature.STATISTICS)
            .associateWith { SINCE_1_1 },
    ),
)

internal class DuckDbJdbcValidationSpec : ValidationContract(duckDb(DuckDb.jdbc, "v2.0.0", NANOSECONDS_IN_ZONES))

internal class DuckDbNpmValidationSpec : ValidationContract(duckDb(DuckDb.npm, "v1.5.6"))
