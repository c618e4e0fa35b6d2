// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.matchers.shouldBe
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcIngest.Mode
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.Schema
import org.arbalest.interop.Built
import org.arbalest.interop.adbc.Session.Companion.TABLE
import org.arbalest.interop.adbc.Session.Companion.batch
import org.arbalest.interop.adbc.Session.Companion.texts

private fun case(name: String, run: Session.() -> Unit) = Case("Statement.SqlIngest$name", null, run)

private class Ingested(val name: String, val values: List<Any?>, vararg val types: DataType)

private fun bytes(vararg values: Int): List<Byte> = values.map(Int::toByte)

private val WORDS = listOf(null, "", "", "1234", "例")
private val BLOBS = listOf(null, bytes(), bytes(0, 1), bytes(1, 2, 3, 4), bytes(0xfe, 0xff))
private val TIMES = listOf(null, -42L, 0L, 42L)

private fun zoned(vararg zones: String?): List<DataType> = zones.flatMap { zone ->
    ArrowTimeUnit.entries.map { TimestampType(it, zone) }
}

/** The values that are ingested, in the order in which they must come back, nulls first. */
private val TYPES: List<Ingested> = listOf(
    Ingested("Bool", listOf(null, false, true), DataType.BOOL),
    Ingested("Int8", listOf(null, -128L, 127L), DataType.INT8),
    Ingested("Int16", listOf(null, -32768L, 32767L), DataType.INT16),
    Ingested("Int32", listOf(null, Int.MIN_VALUE.toLong(), Int.MAX_VALUE.toLong()), DataType.INT32),
    Ingested("Int64", listOf(null, Long.MIN_VALUE, Long.MAX_VALUE), DataType.INT64),
    Ingested("UInt8", listOf(null, 0L, 255L), DataType.UINT8),
    Ingested("UInt16", listOf(null, 0L, 65535L), DataType.UINT16),
    Ingested("UInt32", listOf(null, 0L, 4294967295L), DataType.UINT32),
    Ingested("UInt64", listOf(null, 0L, -1L), DataType.UINT64),
    Ingested("Float16", listOf(null, -1.5, 1.5), DataType.FLOAT16),
    Ingested("Float32", listOf(null, -1.5, 1.5), DataType.FLOAT32),
    Ingested("Float64", listOf(null, -1.5, 1.5), DataType.FLOAT64),
    Ingested("String", WORDS, DataType.UTF8),
    Ingested("LargeString", WORDS, DataType.LARGE_UTF8),
    Ingested("StringView", listOf(null, "", "", "longer than 12 bytes", "例"), DataType.UTF8_VIEW),
    Ingested("Binary", BLOBS, DataType.BINARY),
    Ingested("LargeBinary", BLOBS, DataType.LARGE_BINARY),
    Ingested("FixedSizeBinary", listOf(null) + listOf("abcd", "efgh", "ijkl", "mnop")
        .map { it.encodeToByteArray().toList() }, FixedSizeBinaryType(4)),
    Ingested("BinaryView", BLOBS, DataType.BINARY_VIEW),
    Ingested("Duration", TIMES, *ArrowTimeUnit.entries.map { DurationType(it) }.toTypedArray()),
    Ingested("Date32", listOf(null, 0L, 42L), DataType.DATE32),
    Ingested("Timestamp", TIMES, *zoned(null).toTypedArray()),
    Ingested("TimestampTz", TIMES, *zoned("UTC", "America/Los_Angeles").toTypedArray()),
    Ingested("Interval", listOf(null, Interval(-5, -5, -42000), Interval(0, 0, 0), Interval(5, 5, 42000)),
        DataType.INTERVAL_MONTH_DAY_NANO),
    Ingested("StringDictionary", listOf("", "", "1234", "例"), DataType.dictionary(DataType.INT32, DataType.UTF8)),
    Ingested("ListOfInt32", listOf(null, listOf(1L, 2L, 3L), listOf(4L, 5L)),
        ListType(Field.of("item", DataType.INT32))),
    Ingested("ListOfString", listOf(null, listOf("abc", "defg"), listOf("hijk")),
        ListType(Field.of("item", DataType.UTF8))),
)

/** Ingests a batch into a table of one type, and expects it back in that type or in the type that the driver has. */
private fun Session.ingests(type: DataType, values: List<Any?>) {
    val returned = tested.returns["$type"] ?: Returned(type)
    connection.execute("DROP TABLE IF EXISTS bulk_ingest")
    ingest(TABLE, Built.batch(listOf(Field.of("col", type) to values)))
    connection.query("SELECT * FROM bulk_ingest ORDER BY col ASC NULLS FIRST").let { reader ->
        val fields = reader.schema().fields()
        val rows = reader.rows()
        fields.map { it.name() to it.type() } shouldBe listOf("col" to returned.type)
        rows shouldBe values.map { listOf(it?.let(returned.value)) }
    }
}

internal val INGEST_CASES: List<Case> = TYPES.map { row ->
    case(row.name) { row.types.forEach { type -> withClue(type) { ingests(type, row.values) } } }
} + listOf(
    case("StreamZeroArrays") {
        connection.ingest(TABLE, RecordBatchReader.of(Schema.of(Field.of("col", DataType.INT32)), emptyList()))
            .shouldBeCount(0)
        connection.query("SELECT * FROM bulk_ingest").use { reader ->
            reader.schema().fields().map { it.name() to it.type() } shouldBe listOf("col" to DataType.INT32)
            reader.forEach { it.length() shouldBe 0 }
        }
    },
    case("TableEscaping") { ingest(AdbcIngest.into("create_table_escaping"), batch("index", 42, -42, null)) },
    case("ColumnEscaping") {
        ingest(AdbcIngest.into("create"), batch("index", 42, -42, null))
        rows("SELECT \"index\" FROM \"create\" ORDER BY \"index\" ASC NULLS FIRST") shouldBe
            listOf(listOf(null), listOf(-42L), listOf(42L))
    },
    case("Append") {
        statement { statement ->
            statement.setIngest(TABLE)
            statement.bind(batch("int64s", 42))
            statement.executeUpdate().shouldBeCount(1)
            statement.setIngest(TABLE.with(Mode.APPEND))
            statement.bind(batch("int64s", -42, null))
            statement.executeUpdate().shouldBeCount(2)
            statement.query("SELECT * FROM bulk_ingest").rows() shouldBe listOf(listOf(42L), listOf(-42L), listOf(null))
        }
    },
    case("Replace") {
        for (value in listOf(42L, -42L)) {
            ingest(TABLE.with(Mode.REPLACE), batch("int64s", value))
            rows("SELECT * FROM bulk_ingest") shouldBe listOf(listOf(value))
        }
    },
    case("CreateAppend") {
        statement { statement ->
            statement.setIngest(TABLE.with(Mode.CREATE_APPEND))
            statement.bind(batch("int64s", 42))
            statement.executeUpdate().shouldBeCount(1)
            statement.bind(batch("int64s", 42, 42))
            statement.executeUpdate().shouldBeCount(2)
            statement.query("SELECT * FROM bulk_ingest").rows() shouldBe List(3) { listOf(42L) }
        }
    },
    case("Errors") {
        fun refuses(what: String, target: AdbcIngest, batch: () -> RecordBatch) = withClue(what) {
            shouldThrow<AdbcException> { connection.ingest(target, batch()) }
        }
        refuses("append to a table that does not exist", TABLE.with(Mode.APPEND)) { batch("int64s", -42, null) }
        ingest(TABLE, batch("int64s", -42, null))
        refuses("create a table that exists already", TABLE) { batch("int64s", -42, null) }
        refuses("append other columns", TABLE.with(Mode.APPEND)) {
            Built.batch(listOf("int64s", "coltwo").map { Field.of(it, DataType.INT64) to listOf(-42L) })
        }
        rows("SELECT * FROM bulk_ingest") shouldBe listOf(listOf(-42L), listOf(null))
        statement { statement ->
            statement.setIngest(TABLE.with(Mode.APPEND))
            withClue("nothing is bound") {
                shouldThrow<AdbcException> { statement.executeUpdate() }.status() shouldBe AdbcStatus.INVALID_STATE
            }
        }
    },
    case("MultipleConnections") {
        ingest(TABLE, batch("int64s", 42, -42, null))
        database.connect().use {
            rows("SELECT * FROM bulk_ingest ORDER BY int64s DESC NULLS LAST", it) shouldBe
                listOf(listOf(42L), listOf(-42L), listOf(null))
        }
    },
    case("Sample") {
        sample()
        connection.query("SELECT * FROM bulk_ingest ORDER BY int64s ASC NULLS FIRST").let { reader ->
            reader.schema().fields() shouldBe Session.SAMPLE_FIELDS
            reader.rows() shouldBe listOf(listOf(null, ""), listOf(-42L, null), listOf(42L, "foo"))
        }
    },
    case("TargetCatalog") {
        ingest(TABLE.inCatalog("memory"), batch("ints", 42, -42, null))
        rows("SELECT ints FROM memory.main.bulk_ingest").size shouldBe 3
    },
    case("TargetSchema") {
        ingest(TABLE.inSchema(tested.otherSchema), batch("ints", 42, -42, null))
        rows("SELECT ints FROM ${tested.otherSchema}.bulk_ingest").size shouldBe 3
    },
    case("TargetCatalogSchema") {
        ingest(TABLE.inCatalog("memory").inSchema(tested.otherSchema), batch("ints", 42, -42, null))
        rows("SELECT ints FROM memory.${tested.otherSchema}.bulk_ingest").size shouldBe 3
    },
    case("Temporary") {
        statement { statement ->
            for ((target, batch) in listOf(
                TABLE.temporary() to batch("ints", 42, -42, null), TABLE to batch("ints", 42),
            )) {
                val rows = batch.length()
                statement.setIngest(target)
                statement.bind(batch)
                statement.executeUpdate().shouldBeCount(rows)
            }
        }
        rows("SELECT ints FROM bulk_ingest").size shouldBe 3
        database.connect().use { rows("SELECT ints FROM bulk_ingest", it).size shouldBe 1 }
    },
    case("TemporaryAppend") {
        ingest(TABLE.temporary(), batch("ints", 42, -42, null))
        ingest(TABLE, texts("strs", "foo", "bar", null))
        ingest(TABLE.temporary().with(Mode.APPEND), batch("ints", 0, 1, 2))
        ingest(TABLE.with(Mode.APPEND), texts("strs", "", "a"))
        rows("SELECT ints FROM bulk_ingest").size shouldBe 6
        database.connect().use { rows("SELECT strs FROM bulk_ingest", it).size shouldBe 5 }
    },
    case("TemporaryReplace") {
        fun both() = Built.batch(listOf(Field.of("ints2", DataType.INT64) to listOf(0L, 1L, null),
            Field.of("strs2", DataType.UTF8) to listOf("foo", "bar", null)))
        ingest(TABLE.temporary(), batch("ints", 42, -42, null))
        ingest(TABLE, texts("strs", "foo", "bar", null))
        ingest(TABLE.temporary().with(Mode.REPLACE), both())
        ingest(TABLE.with(Mode.REPLACE), batch("ints3", 1, 2, 3))
        ingest(TABLE.temporary().with(Mode.APPEND), both())
        ingest(TABLE.with(Mode.APPEND), batch("ints3", 4, 5))
        rows("SELECT ints2, strs2 FROM bulk_ingest").size shouldBe 6
        database.connect().use { rows("SELECT ints3 FROM bulk_ingest", it).size shouldBe 5 }
    },
    // An `AdbcIngest` cannot express this combination, but options can.
    case("TemporaryExclusive") {
        for ((place, name) in listOf("catalog" to "memory", "db_schema" to "main")) {
            withClue(place) {
                statement { statement ->
                    shouldThrow<AdbcException> {
                        statement.setOption("adbc.ingest.temporary", true)
                        statement.setOption("adbc.ingest.target_$place", name)
                        statement.setOption("adbc.ingest.target_table", "bulk_ingest")
                        statement.bind(batch("ints", 42))
                        statement.executeUpdate()
                    }
                }
            }
        }
    },
    case("PrimaryKey") {
        connection.execute("CREATE SEQUENCE ids")
        connection.execute("CREATE TABLE pkeytest (id BIGINT PRIMARY KEY DEFAULT nextval('ids'), value BIGINT)")
        val target = AdbcIngest.into("pkeytest").with(Mode.APPEND)
        ingest(target, batch("value", 42, -42, null))
        ingest(target, batch("value", 1, 0, -1))
        rows("SELECT value FROM pkeytest ORDER BY id ASC") shouldBe
            listOf(42L, -42L, null, 1L, 0L, -1L).map { listOf(it) }
    },
)
