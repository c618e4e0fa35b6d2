// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.maps.shouldContainAll
import io.kotest.matchers.shouldBe
import org.apache.spark.scheduler.SparkListener
import org.apache.spark.scheduler.SparkListenerStageCompleted
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.AccumulatorV2
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import scala.jdk.javaapi.CollectionConverters
import java.util.concurrent.ConcurrentHashMap
import org.apache.spark.sql.classic.Dataset as ClassicDataset

/** The metrics of a query in Spark's UI. */
class MetricsSpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.session.conf().set("spark.sql.adaptive.enabled", true)
        Cluster.shouldHoldNothing()
    }

    test("the metrics of a source count rows, batches, bytes, waiting time and copying time [SPK-17]") {
        Cluster.session.conf().set("spark.sql.adaptive.enabled", false)
        val rows = Cluster.read(Numbers::class.java).select("id", "half") as ClassicDataset<Row>
        rows.collectAsList().size shouldBe 1200
        val metrics = CollectionConverters.asJava(rows.queryExecution().executedPlan().collectLeaves().head()
            .metrics() as scala.collection.Map<String, SQLMetric>).mapValues { (_, metric) ->
            (metric as AccumulatorV2<*, *>).value() as Long
        }
        metrics shouldContainAll mapOf("numOutputRows" to 1200L, "batches" to 12L, "bytes" to 1200L * 16)
        metrics["waited"]!! shouldBeGreaterThan 0
        metrics["copied"]!! shouldBeGreaterThan 0
    }

    /** Returns the accumulators of the stages of a job. */
    fun counted(look: (Map<String, Long>) -> Unit = {}, job: () -> Unit): Map<String, Long> {
        val seen = ConcurrentHashMap<String, Long>()
        val listener = object : SparkListener() {
            override fun onStageCompleted(stage: SparkListenerStageCompleted) {
                for (each in CollectionConverters.asJava(stage.stageInfo().accumulables().values())) {
                    val name = each.name().getOrElse { "" }
                    if (name.startsWith("arbalest: ")) seen[name.removePrefix("arbalest: ")] = each.value()
                        .get() as Long
                }
            }
        }
        Cluster.session.sparkContext().addSparkListener(listener)
        try {
            job()
            Cluster.listen()
        } finally {
            Cluster.session.sparkContext().removeSparkListener(listener)
        }
        val times = seen.keys.filter { it.startsWith("µs") }
        // for rows, the copying time includes the wait
        val isOfRows = seen.keys.any { it.startsWith("batches made of") }
        seen[if (isOfRows) "µs copied" else "µs waited for columns"]!! shouldBeGreaterThan 0
        look(seen)
        return seen - times.toSet()
    }

    fun Dataset<Row>.pullAll() = DataFrames.columns(this) { _, columns ->
        columns.forEach {}
        0
    }.collect()

    test("the metrics of columns in functions count each way of making them [SPK-17]") {
        val numbers = Cluster.read(Numbers::class.java)
        counted { numbers.pullAll() } shouldBe
            mapOf("rows" to 1200L, "bytes of columns" to 12 * bytes(100), "batches shared with the source" to 12L)
        counted { Cluster.read(Layouts::class.java, "encoded" to true).select("id").pullAll() } shouldBe
            mapOf("rows" to 97L, "bytes of columns" to 8 * 97L, "batches shared with the source" to 1L)
        counted { Cluster.read(Layouts::class.java, "encoded" to true).select("unsigned").pullAll() } shouldBe
            mapOf("rows" to 97L, "bytes of columns" to 8 * 97L, "batches copied of columns" to 1L)
        counted { numbers.selectExpr("id + 1").pullAll() } shouldBe
            mapOf("rows" to 1200L, "bytes of columns" to 8 * 1200L, "batches made of internal rows" to 4L)
        Cluster.session.conf().set("spark.arbalest.columnar", false)
        counted { numbers.pullAll() } shouldBe
            mapOf("rows" to 1200L, "bytes of columns" to 4 * bytes(300), "batches made of rows" to 4L)
    }

    for (columnar in listOf(true, false)) {
        test(
            "the metrics of function results count rows, batches, bytes and waiting time; " +
                "${if (columnar) "columns" else "by rows"} [SPK-17]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            val numbers = Cluster.read(Numbers::class.java)
            val schema = Schema.of(Field.of("id", DataType.INT64))
            val few = DataFrames.mapColumns(numbers, schema) { _, columns ->
                RecordBatchReader.of(schema) {
                    columns.next()?.use { it.slice(0, 10).use { ten -> ten.convertTo(schema.asField()) } }
                }
            }
            val batches = if (columnar) 12L else 4L
            var waited = 0L
            val results = counted({ waited = it["µs waited for results"]!! }) {
                few.selectExpr("count(id)").collectAsList()
            }.filterKeys { it.endsWith("of results") }
            results shouldBe mapOf("batches of results" to batches, "rows of results" to 10 * batches,
                "bytes of results" to 80 * batches)
            waited shouldBeGreaterThan 0
        }
    }
})

/**
 * Returns the bytes of a batch: three columns of 64 bits, and a column of two-letter text with offsets, of which a
 * tenth is null.
 */
private fun bytes(rows: Long) = 3 * 8 * rows + 4 * (rows + 1) + 2 * (rows - rows / 10) + (rows + 7) / 8
