// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row

/** Arrays of Arbalest sources in functions over columns. */
class SharedSpec : FunSpec({
    afterTest {
        Cluster.shouldHoldNothing()
    }

    for (encoded in listOf(false, true)) {
        test(
            "functions receive the arrays of a source " +
                "${if (encoded) "as copies, where Spark has another layout" else "as they are, without a copy"} " +
                "[SPK-16]",
        ) {
            val rows = Cluster.read(Layouts::class.java, "encoded" to encoded)
            val shared = DataFrames.columns(rows) { _, columns ->
                var shared = 0
                var all = 0
                columns.forEach { batch ->
                    for (column in batch.schema().fields().indices.map(batch::column)) {
                        for (buffer in 1 until column.bufferCount()) {
                            all++
                            if (column.bufferAddress(buffer) in Layouts.ADDRESSES) shared++
                        }
                    }
                }
                "$shared of $all"
            }
            shared.collect() shouldBe listOf(if (encoded) "0 of 10" else "5 of 5")
            val same = DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns -> columns }
            same.schema().catalogString() shouldBe rows.schema().catalogString()
            same.texts() shouldContainExactly rows.texts()
        }
    }

    test("a union of sources matches columns by position, as Spark does, and not by name [SPK-16]") {
        val both = Cluster.read(Numbers::class.java, "partitions" to 2, "does" to "union").select("id", "pid")
        val swapped = Cluster.read(Numbers::class.java, "partitions" to 2, "does" to "union swapped")
            .select("pid", "id")
        for (union in listOf(both.union(swapped), swapped.union(both))) {
            val same = DataFrames.mapColumns(union, DataFrames.schema(union)) { _, columns -> columns }
            fun sums(of: Dataset<Row>) = of.toDF("a", "b").selectExpr("sum(a % 1000)", "sum(a - b)").collectAsList()
                .map { "$it" }
            sums(same) shouldBe sums(union)
        }
    }

    test("null rows of a batch are null in Spark's rows, in functions over columns and in their results [REQ-21]") {
        val rows = Cluster.read(NullRows::class.java)
        val expected = listOf(1L, null, 3L, 1L, null, 3L)
        rows.select("v").collectAsList().map { it.get(0) } shouldBe expected
        val seen = DataFrames.columns(rows) { _, columns ->
            val seen = mutableListOf<Any?>()
            columns.forEach { seen.addAll(it.column("v").toList()) }
            "$seen"
        }
        seen.collect() shouldBe listOf("$expected")
        val made = DataFrames.mapColumns(rows, DataFrames.schema(rows)) { _, columns ->
            columns.close()
            NullRows.reader(false)
        }
        made.collectAsList().map { it.get(0) } shouldBe expected
    }

    test("a null row of a column that is not nullable fails rows and functions with the same message [REQ-21]") {
        val rows = Cluster.read(NullRows::class.java, "strict" to true)
        for (read in listOf<() -> Any>({
            rows.select("v").collectAsList()
        }, { DataFrames.columns(rows) { _, columns -> "${generateSequence(columns::next).count()}" }.collect() })) {
            generateSequence(shouldThrow<Exception> { read() } as Throwable) {
                it.cause
            }.joinToString { "${it.message}" } shouldContain
                "$.v: row 1 of the batch is null in the batch's own bitmap, but this column is not nullable"
        }
    }

    test("an array that a function keeps outlives its source's batch and reader [SPK-16]") {
        val kept = DataFrames.columns(
            Cluster.read(Numbers::class.java, "partitions" to 1, "batches" to 5),
        ) { _, columns ->
            val arrays = generateSequence(columns::next).toList()
            columns.close()
            arrays.sumOf { array -> array.use { it.column("id").toLongArray().sum() } }
        }
        kept.collect() shouldBe listOf((0L until 500).sum())
    }
})
