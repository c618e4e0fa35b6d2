// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.RecordBatch
import java.util.concurrent.ConcurrentLinkedQueue

/**
 * The main memory of tasks, which counts against the 128 MiB of Spark's off-heap memory, and the arrays that they leave
 * open.
 */
class MemorySpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.shouldHoldNothing()
    }

    fun failure(block: () -> Unit): String = shouldThrow<Exception>(block).stackTraceToString()

    for (columnar in listOf(true, false)) {
        test(
            "columns that a function keeps count against Spark's off-heap memory, which is limited; columnar: " +
                "$columnar [SPK-14]",
        ) {
            Cluster.session.conf().set("spark.arbalest.columnar", columnar)
            val rows = Cluster.session.range(0, 40_000_000, 1, 2).toDF()
            fun kept(most: Int) = DataFrames.columns(rows) { _, columns ->
                val kept = ArrayDeque<RecordBatch>()
                try {
                    generateSequence(columns::next).forEach {
                        kept += it
                        if (kept.size > most) kept.removeFirst().close()
                    }
                    kept.size
                } finally {
                    kept.forEach(RecordBatch::close)
                }
            }.collect()
            kept(10) shouldBe listOf(10, 10)
            failure { kept(Int.MAX_VALUE) } shouldContain Regex("Spark's off-heap memory is used up: ENOMEM, columns " +
                "of task \\d+ need \\d+ bytes besides \\d+, but Spark granted \\d+")
        }
    }

    test("a source's array that is larger than Spark's off-heap memory is rejected [SPK-14]") {
        val rows =
            Cluster.read(Numbers::class.java, "does" to "many", "partitions" to 1, "batches" to 1, "rows" to 20_000_000)
        failure { rows.select("id").selectExpr("sum(id)").collectAsList() } shouldContain
            "need 160000000 bytes besides 0"
    }

    test("an array that passes through a function counts once [SPK-14]") {
        // 80 MB of 128 MiB
        val once = Cluster.read(Numbers::class.java, "does" to "many", "partitions" to 1, "batches" to 1,
            "rows" to 10_000_000).select("id")
        DataFrames.mapColumns(once, DataFrames.schema(once)) { _, columns -> columns }.count() shouldBe 10_000_000
    }

    test("a task that leaves an array open fails if the setting says so, and no later task fails [SPK-15]") {
        val rows = Cluster.session.range(0, 10, 1, 1).toDF()
        val left = DataFrames.columns(rows) { _, columns ->
            LEFT.add(columns.next()) // stays open in the executor
            0
        }
        failure { left.collect() } shouldContain
            Regex("task \\d+ of stage \\d+ left behind buffers=1, bufferBytes=\\d+, arrays=1: close each array")
        repeat(5) {
            DataFrames.columns(rows) { _, columns -> columns.use { it.next()!!.use(RecordBatch::length) } }
                .collect() shouldBe listOf(10)
        }
        val closed = DataFrames.columns(Cluster.session.range(0, 64, 1, 64).toDF()) { _, _ ->
            generateSequence(LEFT::poll).sumOf { array -> array.use { 1L } }
        }
        (closed.collect().sum() >= 2) shouldBe true // at least two attempts of the failed task ran on these executors
        failure { left.collect() } shouldContain Regex("left behind buffers=1, bufferBytes=\\d+, arrays=1: ")
        closed.collect()
    }
})

private val LEFT = ConcurrentLinkedQueue<RecordBatch>()
