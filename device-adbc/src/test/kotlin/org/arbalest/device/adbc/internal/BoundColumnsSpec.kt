// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.Faulty
import org.arbalest.device.adbc.rows
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.adbc.FaultyDriver
import org.arbalest.support.adbc.FaultyDriverExtension
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime

/** Bound columns that the drivers of SQLite and PostgreSQL store as other values. The double is `foibles.c`. */
class BoundColumnsSpec : FunSpec({
    extension(FaultyDriver.needed)
    extension(ResourceCountersExtension)
    extension(FaultyDriverExtension())

    val days = listOf("1900-01-01", "1901-12-14", "2038-01-19", "2050-01-01", "2024-10-04", null)
        .map { it?.let(LocalDate::parse) }

    /** The days since 1970, as `rows` returns dates. */
    fun List<LocalDate?>.stored() = map { it?.toEpochDay()?.toInt() }

    fun batch(type: DataType, values: List<Any?>): RecordBatch = BatchBuilder.of(Devices.cpu(), values.size).use {
        it.column(Field.of("a", type), values)
        it.build()
    }

    test("SQLite's driver gets dates as text, since it computes their seconds in 32 bits [ADB-37]") {
        Faulty.c.bindAsSqlite()
        Faulty.connected { connection ->
            connection.execute("CREATE TABLE x (d DATE)")
            for (day in days) connection.execute("INSERT INTO x VALUES (CAST(? AS DATE))", day)
            connection.executeMany("INSERT INTO x VALUES (CAST(? AS DATE))", days.map { listOf(it) }) shouldBe days.size
            connection.createStatement().use { statement ->
                statement.setSqlQuery("INSERT INTO x VALUES (CAST(? AS DATE))")
                val parts = listOf(batch(DataType.DATE32, days.take(2)), batch(DataType.DATE32, days.drop(2)))
                statement.bind(RecordBatchReader.of(parts[0].schema(), parts))
                statement.executeUpdate() shouldBe days.size
            }
            connection.query("SELECT d FROM x").rows().map { it.single() } shouldBe (days + days + days).stored()
        }
    }

    test("an ingestion into SQLite refuses dates that its driver would store as others [ADB-37]") {
        Faulty.c.bindAsSqlite()
        Faulty.connected { connection ->
            connection.ingest("x", batch(DataType.DATE32, days.subList(1, 3) + days.drop(4))) shouldBe 4
            connection.query("SELECT a FROM x").rows().map { it.single() } shouldBe
                (days.subList(1, 3) + days.drop(4)).stored()
            val refused = "column a, row 3: SQLite's driver would store another date for 2050-01-01, since it is " +
                "before 1901-12-14 or after 2038-01-19; ingest the column as text, such as '1900-01-01'"
            shouldThrow<IllegalArgumentException> {
                connection.ingest("y", batch(DataType.DATE32, listOf(null, null, null, days[3])))
            }.message shouldBe refused
            val parts = listOf(batch(DataType.DATE32, List(2) { null }), batch(DataType.DATE32, listOf(null, days[3])))
            shouldThrow<IllegalArgumentException> {
                connection.ingest("y", RecordBatchReader.of(parts[0].schema(), parts))
            }.message shouldBe refused
        }
    }

    val ints = DataType.list(DataType.INT32)

    test("PostgreSQL's driver gets no list with a null item, which it would store as 0 [ADB-37]") {
        Faulty.c.bindAsPostgreSql()
        Faulty.connected { connection ->
            val lists = listOf(listOf(1, 2), null, listOf())
            connection.ingest("x", batch(ints, lists)) shouldBe 3
            connection.query("SELECT a FROM x").rows().map { it.single() } shouldBe lists
            val refused = "column a, row 1: the list has a null item, for which PostgreSQL's driver would store 0 " +
                "or an empty text; bind the list as text, such as '{1,NULL,3}', and cast it, such as $1::int[]"
            shouldThrow<IllegalArgumentException> {
                connection.ingest("y", batch(ints, listOf(listOf(1), listOf(1, null, 3))))
            }.message shouldBe refused
            connection.createStatement().use { statement ->
                statement.setSqlQuery("SELECT $1")
                shouldThrow<IllegalArgumentException> { statement.bind(batch(ints, listOf(null, listOf(null)))) }
                    .message shouldBe refused
            }
            // a null item of a row outside of the slice
            val some = batch(ints, listOf(listOf(null), listOf(4))).use { it.slice(1, 1) }
            connection.ingest(AdbcIngest.into("x").with(AdbcIngest.Mode.APPEND), some) shouldBe 1
        }
    }

    test("PostgreSQL's driver gets no nanoseconds, which it would cut off towards 1970 [ADB-37]") {
        Faulty.c.bindAsPostgreSql()
        val nanos = ArrowTimeUnit.NANOSECOND
        val time = LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_000)
        val zoned = Instant.parse("2024-10-04T05:06:07.000008Z")
        val types = mapOf(
            DataType.timestamp(nanos, null) to listOf(time, time.plusNanos(1)),
            DataType.timestamp(nanos, "UTC") to listOf(zoned, zoned.plusNanos(999)),
            DataType.duration(nanos) to listOf(Duration.ofNanos(-1_000), Duration.ofNanos(-1_001)),
            DataType.INTERVAL_MONTH_DAY_NANO to listOf(Interval(1, 2, 3_000), Interval(1, 2, 3_001)),
            DataType.list(DataType.timestamp(nanos, null)) to listOf(listOf(time), listOf(time, time.plusNanos(1))),
        )
        fun refused(row: Int) = "column a, row $row: the time has nanoseconds, which PostgreSQL's driver would cut " +
            "off; bind the column in microseconds"
        Faulty.connected { connection ->
            for ((type, values) in types) withClue(type) {
                val (exact, other) = values
                connection.createStatement().use { statement ->
                    statement.setSqlQuery("SELECT ?")
                    statement.bind(batch(type, listOf(exact, null)))
                    shouldThrow<IllegalArgumentException> { statement.bind(batch(type, listOf(null, exact, other))) }
                        .message shouldBe refused(2)
                    statement.bind(RecordBatchReader.of(Schema.of(Field.of("a", type)),
                        listOf(batch(type, listOf(exact)), batch(type, listOf(other)))))
                    shouldThrow<IllegalArgumentException> { statement.executeUpdate() }.message shouldBe refused(1)
                }
                shouldThrow<IllegalArgumentException> { connection.ingest("y", batch(type, listOf(other))) }
                    .message shouldBe refused(0)
                // a row outside of the slice
                connection.createStatement().use { statement ->
                    batch(type, listOf(other, exact)).use { statement.bind(it.slice(1, 1)) }
                }
            }
        }
    }

    test("other drivers get the columns as they were bound [ADB-37]") {
        Faulty.connected { connection ->
            connection.ingest("x", batch(ints, listOf(listOf(1, null, 3)))) shouldBe 1
            connection.query("SELECT a FROM x").rows() shouldBe listOf(listOf(listOf(1, null, 3)))
            connection.query("SELECT typeof(?)", days[0]).rows() shouldBe listOf(listOf("DATE"))
        }
    }
})
