// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.kotlin

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.collections.shouldNotContain
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.schemaOf
import org.arbalest.coroutines.utf8
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Schema
import org.arbalest.spark.Cluster
import org.arbalest.spark.ColumnFunction
import org.arbalest.spark.ColumnPartition
import org.arbalest.spark.ColumnSource
import org.arbalest.spark.ColumnTask
import org.arbalest.spark.ScanRequest
import java.io.NotSerializableException

/** The Kotlin extensions of Spark DataFrames, with functions that run on executors in separate JVMs. */
class DataFramesSpec : FunSpec({
    afterTest { Cluster.shouldHoldNothing() }

    fun ids(): Dataset<Row> = Cluster.session.range(0, 1000, 1, 4).toDF()

    fun Dataset<Row>.rows(): List<List<Any?>> = collectAsList().map { row -> List(row.size()) { row.get(it) } }

    /** Returns the message of the NotSerializableException that a function causes. */
    fun unserializable(function: ColumnFunction<Long>): String =
        generateSequence(shouldThrow<Exception> { ids().columns(function).collect() } as Throwable) { it.cause }
            .filterIsInstance<NotSerializableException>().first().message!!

    test("a source is chosen by its class, nested or not, with options of any type [SPK-20]") {
        val squares = Cluster.session.read().option("partitions", 2)
            .arbalest<Squares.Source>("rows" to 3, "negative" to true)
        squares.rows().map { it[0] } shouldContainExactlyInAnyOrder listOf(0L, -1L, -4L, 0L, -1L, -4L)
        squares.select("pid").distinct().rows().map { it[0] } shouldNotContain ProcessHandle.current().pid()
        Cluster.session.read().arbalest<Squares.Source>("rows" to 1).columnSchema() shouldBe schemaOf<Squares>()
    }

    test("a source that cannot be created is rejected with the reason [SPK-20]") {
        shouldThrow<IllegalArgumentException> { Cluster.session.read().arbalest<ColumnSource>() }.message shouldContain
            "cannot be created"
        shouldThrow<IllegalArgumentException> { Cluster.session.read().arbalest<NoClass>() }.message shouldContain
            "public constructor"
    }

    test("a lambda goes to executors with the values, variables and functions that it uses [SPK-21]") {
        val times = 3
        val names = listOf("a", null)
        var seen = 1
        seen++
        val found = ids().columns { task, columns ->
            var sum = 0L
            columns.forEach { batch -> sum += batch.column("id").toLongArray().sumOf(::squared) * times }
            seen += 10
            listOf(ProcessHandle.current().pid(), task.partition(), sum, names, seen)
        }.collect()
        found.map { it[0] } shouldNotContain ProcessHandle.current().pid()
        found.map { it.drop(1) } shouldContainExactlyInAnyOrder List(4) { part ->
            listOf(part, 3 * (part * 250L until (part + 1) * 250L).sumOf(::squared), names, 12)
        }
        seen shouldBe 2
    }

    test("function references and ColumnFunction variables go to executors [SPK-21]") {
        val sums = List(4) { part -> (part * 250L until (part + 1) * 250L).sum() }
        ids().columns(::sum).collect() shouldBe sums
        ids().columns(Plus(1)::sum).collect() shouldBe sums.map { it + 1 }
        val function = ColumnFunction { _, columns -> sum(columns) }
        ids().columns(function).collect() shouldBe sums
        val marked: (ColumnTask, RecordBatchReader) -> Long = @JvmSerializableLambda { _, columns -> sum(columns) }
        ids().columns(marked).collect() shouldBe sums
    }

    test("a function may return null, and then its result type is nullable [SPK-21]") {
        val odd: List<Long?> = ids().columns { task, columns ->
            sum(columns).takeIf { task.partition() % 2 == 1 }
        }.collect()
        odd.map { it != null } shouldBe listOf(false, true, false, true)
    }

    test("an unserializable function fails when the job starts, and the error names the class [SPK-21]") {
        val elsewhere: (ColumnTask, RecordBatchReader) -> Long = { _, columns -> sum(columns) }
        unserializable(elsewhere) shouldContain "DataFramesSpec"
        unserializable(Unserializable().function()) shouldBe Unserializable::class.java.name
    }

    test("a schema goes to executors with a function [SPK-21]") {
        val schema = schemaOf<Squares>()
        ids().columns { _, _ -> schema.fields().joinToString { it.name() } }.collect().toSet() shouldBe
            setOf(schema.fields().joinToString { it.name() })
    }

    test("mapColumns takes the result's columns by name and type, or as a schema [SPK-22]") {
        val counted = ids().mapColumns("kind" to DataType.UTF8, "count" to DataType.INT64) { _, columns ->
            counted(columns)
        }
        counted.schema().catalogString() shouldBe "struct<kind:string,count:bigint>"
        counted.groupBy("kind").sum("count").rows() shouldContainExactlyInAnyOrder
            listOf(listOf("even", 500L), listOf(null, 500L))
        ids().mapColumns(schemaOf<Counted>()) { _, columns -> counted(columns) }.rows() shouldHaveSize 8
        ids().let { all -> all.mapColumns(all.columnSchema()) { _, columns -> columns }.count() } shouldBe 1000
        // Spark's own columns() still returns the names.
        ids().mapColumns("id" to DataType.INT64) { _, columns -> columns }.columns() shouldBe arrayOf("id")
    }
})

private fun squared(id: Long): Long = id * id

private fun sum(columns: RecordBatchReader): Long {
    var sum = 0L
    columns.forEach { batch -> sum += batch.column("id").toLongArray().sum() }
    return sum
}

@Suppress("UNUSED_PARAMETER") // has the signature of a ColumnFunction
private fun sum(task: ColumnTask, columns: RecordBatchReader): Long = sum(columns)

private data class Plus(val more: Long) : java.io.Serializable {
    @Suppress("UNUSED_PARAMETER")
    fun sum(task: ColumnTask, columns: RecordBatchReader): Long = sum(columns) + more
}

private class Unserializable {
    private val more = 1L

    fun function() = ColumnFunction { _, columns -> sum(columns) + more }
}

private data class Counted(val kind: String?, val count: Long?)

private fun counted(columns: RecordBatchReader): RecordBatchReader {
    val counts = LongArray(2)
    columns.forEach { batch -> batch.column("id").toLongArray().forEach { counts[(it % 2).toInt()]++ } }
    val batch = Devices.cpu().batch {
        utf8("kind", listOf("even", null))
        int64("count", counts)
    }
    return RecordBatchReader.of(batch.schema(), listOf(batch))
}

object NoClass : ColumnSource by Squares.Source()

/** Squares of row numbers, with the process that computed them. */
data class Squares(val square: Long, val pid: Long) {
    class Source : ColumnSource {
        override fun schema(options: Map<String, String>): Schema = schemaOf<Squares>()

        override fun partitions(request: ScanRequest): List<ColumnPartition> {
            val options = request.options()
            return List(options["partitions"]?.toInt() ?: 1) {
                Part(options.getValue("rows").toInt(), options["negative"] == "true")
            }
        }
    }

    private data class Part(val rows: Int, val negative: Boolean) : ColumnPartition {
        override fun open(task: ColumnTask): RecordBatchReader {
            val squares = List(rows) { Squares((if (negative) -1L else 1L) * it * it, ProcessHandle.current().pid()) }
            return Devices.cpu().batch(squares).let { RecordBatchReader.of(it.schema(), listOf(it)) }
        }
    }
}
