// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.api.java.UDF1
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataTypes
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.spark.internal.task.SparkTask
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import java.util.logging.Handler
import java.util.logging.LogRecord
import java.util.logging.Logger

/** Functions over the columns of queries, and queries over their results, with Spark's columns and with rows. */
class ColumnsSpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.shouldHoldNothing()
    }

    val parquet = lazy {
        val file = "${kotlin.io.path.createTempDirectory("arbalest")}/all.parquet"
        Cluster.session.sql(EVERY_TYPE).repartition(2).write().parquet(file)
        file
    }

    test("a task that has ended closes new resources immediately, and rejects to use a device [SPK-15]") {
        val rows = Cluster.session.range(0, 64, 1, 1).toDF()
        DataFrames.columns(rows) { task, _ ->
            OVER.set(task as SparkTask)
            0
        }.collect()
        val late = DataFrames.columns(Cluster.session.range(0, 64, 1, 64).toDF()) { _, _ ->
            OVER.getAndSet(null)?.let(::useLate) ?: "" // only on the executor that ran the task
        }.collect().filter { it != "" }
        late shouldBe
            listOf("1 the task N has ended, so it cannot open resources; " +
                "the task N has ended, so it cannot use a device")
    }

    for (where in listOf(
        "a stage before the last", "the last stage, while iterators are created",
        "the last stage, while rows are pulled",
    )) {
        test("tasks use the session's SQL configuration in $where [SPK-09]") {
            val codegen = "${where.endsWith("pulled")}"
            val conf = mapOf("spark.sql.adaptive.enabled" to "${where.startsWith("a ")}",
                "spark.sql.codegen.wholeStage" to codegen, "spark.sql.session.timeZone" to "Asia/Kathmandu")
            conf.forEach { (name, value) -> Cluster.session.conf().set(name, value) }
            try {
                Cluster.session.udf()
                    .register("zone", UDF1<Long, String> { SQLConf.get().sessionLocalTimeZone() }, DataTypes.StringType)
                val all = Cluster.session.range(0, 10, 1, if (where.startsWith("a ")) 2 else 1)
                    .selectExpr("zone(id) AS zone")
                val zones = if (where.endsWith("pulled")) all.limit(1) else all.groupBy("zone").count().select("zone")
                DataFrames.columns(zones) { _, columns ->
                    val found = mutableListOf<Any?>()
                    columns.forEach { batch -> found.addAll(batch.column("zone").toList()) }
                    found.joinToString()
                }.collect().filter { it != "" } shouldBe listOf("Asia/Kathmandu")
            } finally {
                conf.keys.forEach(Cluster.session.conf()::unset)
            }
        }
    }

    test("a session cannot change settings that executors read from the application, columnar or not [SPK-12]") {
        val rows = Cluster.session.range(0, 10, 1, 1).toDF()
        for ((name, value, has) in listOf(
            Triple("spark.arbalest.device", "cuda", "and it has none"),
            Triple("spark.arbalest.leaks", "off", "and there it is fail"),
        )) {
            for (columnar in listOf(true, false)) {
                Cluster.session.conf().set("spark.arbalest.columnar", columnar)
                Cluster.session.conf().set(name, value)
                try {
                    shouldThrow<IllegalArgumentException> { DataFrames.columns(rows) { _, _ -> 0 } }
                        .message shouldContain
                        Regex("$name is $value in this session, where it has no effect: .*, $has")
                } finally {
                    if (name.endsWith("leaks")) Cluster.session.conf().set(name, "fail")
                    else Cluster.session.conf().unset(name)
                }
            }
        }
        DataFrames.columns(rows) { _, _ -> 0 }.collect() shouldBe listOf(0)
    }

    test("unknown settings and invalid values are rejected [SPK-12]") {
        fun refused(name: String, value: String): String? {
            Cluster.session.conf().set(name, value)
            try {
                return shouldThrow<IllegalArgumentException> {
                    DataFrames.columns(Cluster.session.range(1).toDF()) { _, _ -> 0 }
                }.message
            } finally {
                Cluster.session.conf().unset(name)
            }
        }
        refused("spark.arbalest.collumnar", "false") shouldContain
            "there is no setting spark.arbalest.collumnar; there are spark.arbalest.columnar, spark.arbalest.device, "
        refused("spark.arbalest.columnar", "flase") shouldBe
            "spark.arbalest.columnar is flase, but must be true or false"
    }

    for (columnar in listOf(true, false)) {
        test(
            "5,000 rows with nulls keep their values and their order: " +
                "${if (columnar) "internal rows" else "by rows"} [SPK-09]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            val ids = Cluster.session.range(0, 5000, 1, 1)
                .selectExpr("if(id % 3 = 1 OR id BETWEEN 1000 AND 1100, NULL, id) AS n")
            val numbers = listOf("n AS l", "CAST(n AS int) AS i", "CAST(n AS float) AS f", "CAST(n AS double) AS d",
                "CAST(n AS smallint) AS h")
            val rows = ids.selectExpr(
                *numbers.toTypedArray(),
                "repeat(CAST(n AS string), if(n = 2499, 300000, n % 50)) AS s",
                "date_add(DATE'1900-01-01', CAST(n AS int)) AS da",
                "timestamp_micros(n) AS t",
            )
            val same = DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns -> columns }
            same.collectAsList().map { text(it) } shouldContainExactly rows.collectAsList().map { text(it) }
        }
    }

    test("the log reports how a function's columns are made, and why [SPK-09]") {
        val said = CopyOnWriteArrayList<String>()
        val handler = object : Handler() {
            override fun publish(record: LogRecord) {
                said += record.message
            }

            override fun flush() = Unit

            override fun close() = Unit
        }
        val logger = Logger.getLogger("org.arbalest.spark.internal.columns.ColumnPlan")
        logger.addHandler(handler)
        try {
            val rows = Cluster.session.range(3).toDF()
            DataFrames.schema(rows)
            DataFrames.columns(Cluster.read(Layouts::class.java)) { _, _ -> 0 }
            DataFrames.columns(rows) { _, _ -> 0 }
            Cluster.session.conf().set("spark.arbalest.columnar", false)
            DataFrames.columns(rows) { _, _ -> 0 }
            DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns -> columns }
        } finally {
            logger.removeHandler(handler)
        }
        val byRows = "columns of a query: made of rows, by Spark's public API, since spark.arbalest.columnar is false"
        said shouldBe listOf("columns of a query: as Spark has them",
            "columns of a query: made of Spark's internal rows, since its plan has rows there", byRows, byRows)
    }

    for (columnar in listOf(true, false)) {
        test(
            "invalid UTF-8 in text becomes U+FFFD, as in Spark's rows: " +
                "${if (columnar) "internal rows and columns" else "by rows"} [SPK-09]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            val rows = Cluster.session.range(0, 3, 1, 1)
                .selectExpr("if(id = 1, CAST(X'61FFC328E282' AS string), CAST(id AS string)) AS s")
            val file = "${kotlin.io.path.createTempDirectory("arbalest")}/bytes.parquet"
            rows.write().parquet(file)
            for (text in listOf(rows, Cluster.session.read().parquet(file))) {
                val found = DataFrames.columns(text) { _, columns ->
                    val all = mutableListOf<Any?>()
                    columns.forEach { all.addAll(it.column("s").toList()) }
                    "$all"
                }.collect().single()
                found shouldBe "${text.collectAsList().map { it.getString(0) }}"
                found shouldBe "[0, a\uFFFD\uFFFD(\uFFFD, 2]"
            }
        }

        for (isJavaTime in listOf(true, false)) {
            test(
                "old dates and times stay unchanged in a function, with classes of " +
                    "${if (isJavaTime) "java.time" else "java.sql"}: ${if (columnar) "internal rows" else "by rows"} " +
                    "[SPK-10]",
            ) {
                Cluster.session.conf().set("spark.arbalest.columnar", columnar)
                Cluster.session.conf().set("spark.sql.datetime.java8API.enabled", isJavaTime)
                try {
                    val rows = Cluster.session.sql(
                        "SELECT DATE'0001-01-01' AS d, TIMESTAMP'0001-01-01 00:00:00.000001' " +
                            "AS t, TIMESTAMP_NTZ'0001-01-01 00:00:00' AS n UNION ALL SELECT DATE'1582-10-04', " +
                            "TIMESTAMP'1582-10-04 12:00:00', TIMESTAMP_NTZ'1899-12-31 23:59:59.999999' UNION " +
                            "ALL SELECT " +
                            "DATE'1582-10-15', TIMESTAMP'1899-12-31 23:59:59.999999', " +
                            "TIMESTAMP_NTZ'9999-12-31 00:00:00'",
                    )
                    val same = DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns -> columns }
                    same.texts() shouldBe rows.texts()
                    fun counted(of: Dataset<Row>) =
                        of.selectExpr("unix_date(d)", "unix_micros(t)", "CAST(n AS string)").texts()
                    counted(same) shouldBe counted(rows)
                } finally {
                    Cluster.session.conf().unset("spark.sql.datetime.java8API.enabled")
                }
            }
        }
    }

    test("Spark's setting maxBytesPerBatch limits a batch of rows [SPK-09]") {
        val rows = Cluster.session.range(0, 300, 1, 1).selectExpr("repeat('x', 1000) AS s")
        Cluster.session.conf().set("spark.sql.execution.arrow.maxBytesPerBatch", "100000")
        try {
            val sizes = DataFrames.columns(rows) { _, columns ->
                val found = mutableListOf<Long>()
                columns.forEach { found += it.length() }
                found.joinToString()
            }.collect().single().split(", ").map { it.toInt() }
            sizes.sum() shouldBe 300
            sizes.max() shouldBe 99 // 1016 bytes in each row
        } finally {
            Cluster.session.conf().unset("spark.sql.execution.arrow.maxBytesPerBatch")
        }
    }

    for (columnar in listOf(true, false)) {
        test(
            "a type without an Arrow equivalent is rejected before the query runs: " +
                "${if (columnar) "as Spark has it" else "by rows"} [SPK-09]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            // Adaptive execution runs a stage when rows are requested.
            Cluster.session.conf().set("spark.sql.adaptive.enabled", true)
            val rows = Cluster.session.range(0, 10, 1, 2).selectExpr("assert_true(id < 0, 'ran') AS a", "id")
                .repartition(3).selectExpr("a", "parse_json(CAST(id AS string)) AS v")
            shouldThrow<IllegalArgumentException> { DataFrames.columns(rows) { _, _ -> 0 } }.message shouldBe
                "Arrow has no type for v, which is variant in Spark"
        }
    }

    test("a function on executors can capture a schema [SPK-10]") {
        val rows = Cluster.session.range(0, 10, 1, 2).toDF()
        val schema =
            Schema.of(listOf(Field.of("id", DataType.INT64).withNullable(false).withMetadata(Metadata.of("k", "v"))))
        DataFrames.mapColumns(rows, schema) { _, columns ->
            RecordBatchReader.of(schema) { columns.next()?.use { it.convertTo(schema.asField()) } }
        }.count() shouldBe 10
    }

    for (columnar in listOf(true, false)) {
        for (adaptive in listOf(true, false)) {
            val way = "${if (columnar) "as Spark has them" else "by rows"}, adaptive execution $adaptive"

            fun conf() {
                Cluster.session.conf().set("spark.arbalest.columnar", columnar)
                Cluster.session.conf().set("spark.sql.adaptive.enabled", adaptive)
            }

            test("each Spark type in Parquet passes through a function unchanged: $way [SPK-09, SPK-10]") {
                conf()
                val all = Cluster.session.read().parquet(parquet.value)
                val same = DataFrames.mapColumns(all, DataFrames.schema(all)) { _, columns -> columns }
                same.schema().catalogString() shouldBe
                    all.schema().catalogString().replace(Regex("time\\(\\d\\)"), "time(6)")
                same.texts() shouldContainExactly all.texts()
            }

            test("each Spark type in rows passes through a function unchanged: $way [SPK-09, SPK-10]") {
                conf()
                val all = Cluster.session.read().parquet(parquet.value).repartition(3)
                val same = DataFrames.mapColumns(all, DataFrames.schema(all)) { _, columns -> columns }
                same.texts() shouldContainExactly all.texts()
            }

            test("shuffled and aggregated rows pass through a function unchanged: $way [SPK-09, SPK-10]") {
                conf()
                val some = Cluster.session.read().parquet(parquet.value).groupBy("i")
                    .agg(mapOf("l" to "max", "s" to "min", "d" to "sum"))
                val same = DataFrames.mapColumns(some, DataFrames.schema(some)) { _, columns -> columns }
                same.texts() shouldContainExactly some.texts()
            }

            test("a function returns a value for each partition: $way [SPK-09]") {
                conf()
                val sums = DataFrames.columns(Cluster.session.range(0, 100_000, 1, 4).toDF()) { task, columns ->
                    var sum = 0L
                    columns.forEach { batch -> sum += batch.column("id").toLongArray().sum() }
                    "${task.partition()}: $sum"
                }
                sums.collect() shouldBe List(4) { part ->
                    "$part: ${(part * 25_000L until (part + 1) * 25_000L).sum()}"
                }
            }

            test(
                "a function may return other columns and another row count, and SQL can join its result: $way " +
                    "[SPK-10]",
            ) {
                conf()
                val schema = Schema.of(listOf(Field.of("bucket", DataType.INT64), Field.of("rows", DataType.INT32)))
                val counts = DataFrames.mapColumns(Cluster.session.range(0, 1000, 1, 4).toDF(), schema) { _, columns ->
                    val counts = IntArray(3)
                    columns.forEach { batch -> batch.column("id").toLongArray().forEach { counts[(it % 3).toInt()]++ } }
                    val batch = BatchBuilder.of(Devices.cpu(), 3).use {
                        it.int64("bucket", longArrayOf(0, 1, 2)).int32("rows", counts).build()
                    }
                    RecordBatchReader.of(batch.schema(), listOf(batch))
                }
                counts.createOrReplaceTempView("counts")
                Cluster.session.sql("SELECT name, sum(rows) FROM counts JOIN VALUES (0L, 'zero'), (2L, 'two') AS " +
                    "names(id, name) ON id = bucket GROUP BY name").texts() shouldBe
                    listOf("[two, 333]", "[zero, 334]")
            }

            test(
                "maxRecordsPerBatch limits batches, and duplicate result columns and null readers are rejected: $way " +
                    "[SPK-09]",
            ) {
                conf()
                val rows = Cluster.session.range(0, 1000, 1, 1).toDF().groupBy("id").count().coalesce(1)

                fun batches(most: Int): Int {
                    Cluster.session.conf().set("spark.sql.execution.arrow.maxRecordsPerBatch", most.toLong())
                    return DataFrames.columns(rows) { _, columns ->
                        var batches = 0
                        columns.forEach { batches++ }
                        batches
                    }.collect().sum()
                }
                batches(100) shouldBe 10
                batches(-1) shouldBe 1
                Cluster.session.conf().unset("spark.sql.execution.arrow.maxRecordsPerBatch")
                shouldThrow<IllegalArgumentException> {
                    DataFrames.mapColumns(rows, Schema.of(List(2) { Field.of("v", DataType.INT64) })) { _, columns ->
                        columns
                    }
                }.message shouldBe "columns of the result have the same name, but each needs its own: [v, v]"
                DataFrames.columns<String?>(rows) { _, _ -> null }.collect() shouldBe listOf(null)
                shouldThrow<Exception> { DataFrames.mapColumns(rows, DataFrames.schema(rows), NULL).count() }
                    .stackTraceToString() shouldContain "the function of mapColumns returned null"
            }

            test("a limit and a failing function leave no resources open: $way [SPK-11]") {
                conf()
                val all = Cluster.session.range(0, 100_000, 1, 4).toDF()
                DataFrames.mapColumns(all, DataFrames.schema(all)) { _, columns -> columns }.limit(3).count() shouldBe 3
                DataFrames.mapColumns(all, DataFrames.schema(all)) { _, columns -> columns }.limit(3).texts()
                    .size shouldBe 3
                val failing = DataFrames.mapColumns(all, DataFrames.schema(all)) { task, columns ->
                    columns.next().use { check(task.partition() != 2) { "test failure in partition 2" } }
                    columns
                }
                shouldThrow<Exception> { failing.count() }.stackTraceToString() shouldContain
                    "test failure in partition 2"
            }
        }
    }
})

private val OVER = AtomicReference<SparkTask?>()

private fun useLate(over: SparkTask): String {
    val closed = AtomicInteger()
    val refused = runCatching { over.closeAtEnd(AutoCloseable(closed::incrementAndGet)) }.exceptionOrNull()?.message
    val device = runCatching { over.device() }.exceptionOrNull()?.message
    return "$closed $refused; $device".replace(Regex("task \\d+"), "task N")
}

@Suppress("UNCHECKED_CAST") // a Java function can return null
private val NULL = ColumnFunction<RecordBatchReader?> { _, _ -> null } as ColumnFunction<RecordBatchReader>

/** A query for a row of each type that Spark reads from Parquet, and a row of nulls. */
private const val EVERY_TYPE = """
SELECT CAST(id AS int) i, id * 10000000000 l, CAST(id AS tinyint) b, CAST(id AS smallint) h, id % 2 = 0 o,
  CAST(id AS float) / 3 f, CAST(id AS double) / 7 d,
  CAST(id AS decimal(9, 2)) d9, CAST(-id AS decimal(18, 4)) d18, CAST(id AS decimal(38, 10)) / 3 d38,
  CAST(id AS string) s, CAST(repeat(CAST(id AS string), 30) AS binary) y,
  date_add(DATE'1969-12-30', CAST(id AS int)) da, timestamp_micros(id * 1000001 - 5) t,
  CAST(timestamp_micros(id * 999999 - 5) AS timestamp_ntz) n,
  make_dt_interval(0, 0, CAST(id AS int), -0.000001) dt, make_ym_interval(CAST(id AS int), -3) ym,
  array(id, NULL, -id) a, array(array('x', NULL), NULL) aa,
  named_struct('x', CAST(id AS int), 'y', CAST(NULL AS string)) st, map('k', id, 'l', NULL) m
FROM range(1, 50)
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
  NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
"""
