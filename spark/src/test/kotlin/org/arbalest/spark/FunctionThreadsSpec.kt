// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.api.java.UDF1
import org.apache.spark.sql.api.java.UDF2
import org.apache.spark.sql.types.DataTypes
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.CompletableFuture.supplyAsync
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.SynchronousQueue
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicInteger
import kotlin.concurrent.thread
import kotlin.io.path.Path
import kotlin.io.path.createFile
import kotlin.io.path.createTempDirectory
import kotlin.io.path.deleteExisting
import kotlin.io.path.listDirectoryEntries
import kotlin.time.Duration.Companion.seconds

/** Functions that pull on their own threads. These may outlive the task, at whose end Spark frees its data. */
class FunctionThreadsSpec : FunSpec({
    afterTest {
        Cluster.session.conf().unset("spark.arbalest.columnar")
        Cluster.session.conf().unset("spark.sql.execution.arrow.maxRecordsPerBatch")
        Cluster.shouldHoldNothing()
    }

    fun summed(query: Dataset<Row>): List<Long> = DataFrames.columns(query) { _, columns ->
        supplyAsync {
            var sum = 0L
            columns.forEach { sum += it.column("id").toLongArray().sum() }
            sum
        }.get()
    }.collect()

    test("a function may pull on another thread, which opens the partitions and runs the query [SPK-11]") {
        val numbers = Cluster.read(Numbers::class.java, "does" to "one by one", "partitions" to 5)
            .coalesce(1).select("id")
        val expected = (0 until 5L).sumOf { part -> (part * 100_000 until part * 100_000 + 300).sum() }
        summed(numbers) shouldBe listOf(expected)
        summed(numbers.selectExpr("id + spark_partition_id() AS id").where("id >= 0")) shouldBe listOf(expected)
        Cluster.session.conf().set("spark.arbalest.columnar", false)
        shouldThrow<Exception> { summed(numbers) }.stackTraceToString() shouldContain
            "must be pulled in the task's thread"
    }

    fun waits(folder: String) = Cluster.read(Numbers::class.java, "does" to "wait in $folder", "partitions" to 1)

    fun aggregated(folder: String): Dataset<Row> {
        Cluster.session.udf().register("wait", UDF2<Long, String, Long> { id, here ->
            id.also { if (it == 100L) awaitGo(Path(here)) }
        }, DataTypes.LongType)
        Cluster.session.udf()
            .register("counted", UDF1<Long, Long> { id -> id.also { COUNTED.incrementAndGet() } }, DataTypes.LongType)
        return Cluster.session.range(0, 200, 1, 1).selectExpr("wait(id, '$folder') AS id").groupBy("id").count()
            .selectExpr("counted(id) AS id")
    }

    for ((what, query) in mapOf<String, (String) -> Dataset<Row>>(
        "columns" to { waits(it).select("id") },
        "rows" to { waits(it).selectExpr("id + 1 AS id") },
        "aggregated rows in memory that Spark frees" to { aggregated(it) },
    )) {
        test("a task does not end while a thread of its function pulls $what [SPK-11]") {
            Cluster.session.conf().set("spark.sql.execution.arrow.maxRecordsPerBatch", 100)
            val folder = createTempDirectory("arbalest")
            val name = "$folder"
            val rows = query(name)
            val job = supplyAsync {
                DataFrames.columns(rows) { _, columns ->
                    thread { pullAll(columns) }
                    while (Path(name).listDirectoryEntries().isEmpty()) Thread.sleep(1)
                    0
                }.collect()
            }
            eventually(60.seconds) { folder.listDirectoryEntries() shouldHaveSize 1 }
            try {
                shouldThrow<TimeoutException> { job.get(2, SECONDS) } // a task that does not wait ends immediately
            } finally {
                folder.resolve("go").createFile()
            }
            job.get(60, SECONDS) shouldBe listOf(0)
            // `ended` occurs if the task ended slowly
            end() shouldContain Regex(if (what.startsWith("aggregated")) " 100$" else "was closed|^ended")
            folder.toFile().deleteRecursively()
        }
    }

    test("the end of a task cancels a source that blocks a thread of the function [SPK-11]") {
        val folder = createTempDirectory("arbalest")
        val name = "$folder"
        val blocked = Cluster.read(Numbers::class.java, "does" to "block in $folder", "partitions" to 1)
        for (id in listOf("id", "id + 1 AS id")) {
            val job = supplyAsync {
                DataFrames.columns(blocked.selectExpr(id)) { _, columns ->
                    thread { pullAll(columns) }
                    while (Path(name).listDirectoryEntries().isEmpty()) Thread.sleep(1)
                    0
                }.collect()
            }
            job.get(60, SECONDS) shouldBe listOf(0)
            end()
            folder.listDirectoryEntries().forEach { it.deleteExisting() }
        }
        folder.deleteExisting()
    }

    test("a native consumer that pulls after the end of the task receives an error [SPK-11]") {
        val endless = Cluster.read(Numbers::class.java, "batches" to -1, "partitions" to 1)
        for (query in listOf(endless.select("id"), endless.selectExpr("id + 1 AS id"))) {
            DataFrames.columns(query) { _, columns ->
                val pulls = SynchronousQueue<Unit>()
                thread {
                    val imported = Arena.ofConfined().use { arena ->
                        val address = ArrowDeviceArrayStreamStruct.allocate(arena).address()
                        CData.exportStream(columns, MemorySegment.ofAddress(address), CExport.DEVICE)
                        CData.importStream(MemorySegment.ofAddress(address), CImport.DEVICE)
                    }
                    imported.use {
                        it.next()!!.close()
                        pulls.put(Unit)
                        pullAll(it)
                    }
                }
                pulls.take()
                0
            }.collect() shouldBe listOf(0)
            // `was closed` occurs if the end of the task closed the reader during a pull
            end() shouldContain Regex("task \\d+ (has returned|or its function has ended)|was closed")
        }
    }
})

/** How the pulling threads of this executor ended. */
private val ENDS = ConcurrentLinkedQueue<String>()

/** Number of rows that left the aggregation. */
private val COUNTED = AtomicInteger()

private fun pullAll(columns: RecordBatchReader) {
    val ended = runCatching { columns.forEach {} }.exceptionOrNull()?.message ?: "ended"
    ENDS += "$ended, rows counted: ${COUNTED.getAndSet(0)}"
}

/** Waits until the one pulling thread has ended, and returns how it ended. */
private suspend fun end(): String {
    val seen = mutableListOf<String>()
    eventually(60.seconds) {
        seen += ends()
        seen shouldHaveSize 1
    }
    return seen.single()
}

/** Returns how the pulling threads of both executors ended. */
private fun ends(): List<String> = DataFrames.columns(Cluster.session.range(0, 64, 1, 64).toDF()) { _, _ ->
    Thread.sleep(5) // so that both executors run some tasks
    generateSequence(ENDS::poll).joinToString("; ")
}.collect().filter { it != "" }
