// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Schema
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.Period

/** Types that Spark's Parquet files do not have, or that DuckDB maps to other types, in a source and in functions. */
class TypesSpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.session.conf().unset("spark.sql.timeType.enabled")
        Cluster.shouldHoldNothing()
    }

    fun read() = Cluster.read(Seldom::class.java, "nanoseconds" to "truncate")

    for (columnar in listOf(true, false)) {
        test(
            "rare types of a source equal Spark's SQL values and pass through functions unchanged, " +
                "${if (columnar) "as Spark has it" else "by rows"} [SPK-01, SPK-09, SPK-10]",
        ) {
            Cluster.session.conf().set("spark.sql.timeType.enabled", true)
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            val names = Seldom.COLUMNS.map { it.name }
            val values = Seldom.COLUMNS.joinToString { "${it.sql} AS ${it.name}" }
            val sql = "SELECT $values UNION ALL SELECT ${names.joinToString { "NULL" }}"
            val expected = Cluster.session.sql(sql)
            val rows = read()
            rows.schema().catalogString() shouldBe expected.schema().catalogString()
            rows.texts() shouldContainExactly expected.texts()
            for (of in listOf(rows, expected)) {
                val same = DataFrames.mapColumns(of, DataFrames.schema(of)) { _, columns -> columns }
                same.schema().catalogString() shouldBe
                    expected.schema().catalogString().replace(Regex("time\\(\\d\\)"), "time(6)")
                same.texts() shouldContainExactly expected.texts()
            }
        }
    }

    test("TIME columns need Spark's timeType setting, and other columns are readable without it [SPK-01]") {
        shouldThrow<Exception> { read().select("time_us").texts() }.message shouldContain "UNSUPPORTED_TIME_TYPE"
        read().select("stamp").texts().size shouldBe 2
        Cluster.session.conf().set("spark.sql.timeType.enabled", true)
        read().select("time_us").texts() shouldBe listOf("[23:59:59.999999]", "[null]")
    }
})

/** The name, type and value of a column, and the same value in Spark SQL. */
internal class Sample(val name: String, val type: DataType, val value: Any?, val sql: String)

/** A source of a row of values and a row of nulls. */
class Seldom : ColumnSource {
    override fun schema(options: Map<String, String>): Schema = Schema.of(COLUMNS.map { Field.of(it.name, it.type) })

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        val names = request.schema().fields().map { it.name() }
        return listOf(
            ColumnPartition {
                val batch = BatchBuilder.of(Devices.cpu(), 2).use { builder ->
                    for (each in COLUMNS) if (each.name in names)
                        builder.column(Field.of(each.name, each.type), listOf(each.value, null))
                    builder.build()
                }
                RecordBatchReader.of(batch.schema(), listOf(batch))
            },
        )
    }

    internal companion object {
        private fun time(unit: ArrowTimeUnit) = FlatType.TimeType(unit)

        private fun interval(unit: FlatType.IntervalUnit) = FlatType.IntervalType(unit)

        private val OLD = LocalDateTime.of(1582, 10, 10, 1, 2, 3)

        val COLUMNS = listOf(
            Sample("time_s", time(ArrowTimeUnit.SECOND), LocalTime.of(23, 59, 59), "CAST(TIME'23:59:59' AS time(0))"),
            Sample("time_ms", time(ArrowTimeUnit.MILLISECOND), LocalTime.of(1, 2, 3, 4_000_000),
                "CAST(TIME'01:02:03.004' AS time(3))"),
            Sample("time_us", time(ArrowTimeUnit.MICROSECOND), LocalTime.of(23, 59, 59, 999_999_000),
                "TIME'23:59:59.999999'"),
            Sample("time_ns", time(ArrowTimeUnit.NANOSECOND), LocalTime.of(0, 0, 0, 1_999), "TIME'00:00:00.000001'"),
            Sample("months", interval(FlatType.IntervalUnit.YEAR_MONTH), Period.ofMonths(-14),
                "make_ym_interval(-1, -2)"),
            Sample("days", interval(FlatType.IntervalUnit.DAY_TIME), Interval(0, -3, 4_000_000),
                "make_interval(0, 0, 0, -3, 0, 0, 0.004)"),
            Sample("all", interval(FlatType.IntervalUnit.MONTH_DAY_NANO), Interval(1, 2, -3_000),
                "make_interval(0, 1, 0, 2, 0, 0, -0.000003)"),
            Sample("lasts_s", DataType.duration(ArrowTimeUnit.SECOND), Duration.ofSeconds(-90_061),
                "make_dt_interval(-1, -1, -1, -1)"),
            Sample("lasts_ns", DataType.duration(ArrowTimeUnit.NANOSECOND), Duration.ofNanos(1_999),
                "make_dt_interval(0, 0, 0, 0.000001)"),
            Sample("nothing", DataType.NULL, null, "NULL"),
            Sample("bytes", DataType.BINARY, byteArrayOf(0, -1), "X'00FF'"),
            Sample("fixed", DataType.fixedSizeBinary(3), byteArrayOf(1, 2, 3), "X'010203'"),
            Sample("stamp", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "Europe/Paris"),
                Instant.parse("2001-02-03T04:05:06.000007Z"), "TIMESTAMP'2001-02-03 04:05:06.000007Z'"),
            Sample("stamp_s", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"), Instant.parse("1582-10-10T01:02:03Z"),
                "TIMESTAMP'1582-10-10 01:02:03Z'"),
            Sample("local_ms", FlatType.TimestampType(ArrowTimeUnit.MILLISECOND, null), OLD,
                "TIMESTAMP_NTZ'1582-10-10 01:02:03'"),
            Sample("date_ms", FlatType.DateType(FlatType.DateUnit.MILLISECOND), LocalDate.of(1, 1, 1),
                "DATE'0001-01-01'"),
        )
    }
}
