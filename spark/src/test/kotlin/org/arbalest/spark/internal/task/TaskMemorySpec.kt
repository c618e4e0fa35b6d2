// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.TaskContext
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.spark.Cluster
import org.arbalest.spark.DataFrames
import org.arbalest.spark.internal.vector.ArrowBatches
import org.arbalest.spark.internal.vector.SparkTypes

private const val MIB = 1L shl 20

class TaskMemorySpec : FunSpec({
    afterTest {
        Cluster.shouldHoldNothing()
    }

    test(
        "hide() releases a source's memory without an error, and the next count() reports an excess made meanwhile " +
            "[SPK-14]",
    ) {
        val said = DataFrames.columns(Cluster.session.range(0, 1, 1, 1).toDF()) { _, _ ->
            val memory = TaskMemory(TaskContext.get())
            memory.show(80 * MIB)
            val made = memory.manager().allocate(200 * MIB, 64)
            memory.hide(80 * MIB)
            val tooMuch = runCatching(memory::count).exceptionOrNull()?.message
            made.close()
            memory.count()
            memory.show(100 * MIB) // this fits again
            memory.hide(100 * MIB)
            memory.end()
            tooMuch
        }
        said.collect().single()!! shouldContain
            "need ${120 * MIB} bytes besides ${80 * MIB}, but Spark granted ${48 * MIB}"
    }

    test("closing a function's columns releases the memory of the arrays that it has closed [SPK-14]") {
        val rows = Cluster.session.range(0, 10_000_000, 1, 1).toDF() // 80 MB
        Cluster.session.conf().set("spark.sql.execution.arrow.maxRecordsPerBatch", 0)
        Cluster.session.conf().set("spark.sql.execution.arrow.maxBytesPerBatch", "1g")
        try {
            DataFrames.columns(rows) { _, columns ->
                val length = columns.next()!!.use { it.length() }
                columns.close()
                val other = TaskMemory(TaskContext.get())
                other.show(100 * MIB)
                other.end()
                length
            }.collect() shouldBe listOf(10_000_000L)
        } finally {
            Cluster.session.conf().unset("spark.sql.execution.arrow.maxRecordsPerBatch")
            Cluster.session.conf().unset("spark.sql.execution.arrow.maxBytesPerBatch")
        }
    }

    for (isSource in listOf(true, false)) {
        test(
            "the end of a stream releases its last array immediately, " +
                "${if (isSource) "of a source" else "of a function's result"}, made in the task's own memory [SPK-14]",
        ) {
            val schema = Schema.of(Field.of("id", DataType.INT64))
            val rows = DataFrames.columns(Cluster.session.range(0, 1, 1, 1).toDF()) { _, _ ->
                val task = SparkTask.of(TaskContext.get())
                var left = 1
                val made = RecordBatchReader.of(schema) {
                    // 80 MB of 128 MiB
                    if (left-- == 0) null else BatchBuilder.of(task.mainMemory().manager()).use {
                        it.column(schema.fields()[0]).appendAll(LongArray(10_000_000))
                        it.build()
                    }
                }
                val batches = ArrowBatches.of(made, task, isSource, SparkTypes.of(schema, false), false)
                while (batches.next()) {}
                val other = TaskMemory(TaskContext.get()) // stands for memory that Spark itself needs
                other.show(100 * MIB)
                other.end()
                batches.rows()
            }
            rows.collect() shouldBe listOf(10_000_000L)
        }
    }
})
