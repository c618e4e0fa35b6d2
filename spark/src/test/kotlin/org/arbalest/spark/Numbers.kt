// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.apache.spark.TaskContext
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.file.Path
import java.util.OptionalLong
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.createTempFile
import kotlin.io.path.exists

/**
 * A source of numbers, text and the process that made them: `partitions` of `batches` of `rows`, without an end if
 * `batches` is -1. The option `does` selects a special behaviour, for instance a failure.
 */
class Numbers : ColumnSource {
    override fun schema(options: Map<String, String>): Schema {
        schemas.incrementAndGet()
        return ALL
    }

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        if (request.options()["does"] == "no partitions") return Sources.nothing()
        lastRequest = request
        fun option(name: String, or: Int) = request.options()[name]?.toInt() ?: or
        val columns = request.schema().fields().map { it.name() }
        val partitions = option("partitions", 4)
        val hosts = request.options()["hosts"]?.split(",") ?: listOf()
        return List(partitions) {
            NumbersPartition(it, option("batches", 3), option("rows", 100), columns,
                request.options()["does"] ?: "", hosts)
        }
    }

    override fun accepts(predicate: Predicate, options: Map<String, String>): Boolean =
        options["accepts"] == predicate.name()

    override fun estimatedRows(request: ScanRequest): OptionalLong =
        OptionalLong.of(request.options()["estimatedRows"]?.toLong() ?: 1200)

    override fun estimatedBytes(request: ScanRequest): OptionalLong {
        val ofColumn = request.options()["bytesOfColumn"] ?: return OptionalLong.empty()
        return OptionalLong.of(ofColumn.toLong() * request.schema().fields().size)
    }

    companion object {
        val ALL: Schema = Schema.of(
            listOf(
                Field.of("id", DataType.INT64).withNullable(false),
                Field.of("name", DataType.UTF8),
                Field.of("half", DataType.FLOAT64),
                Field.of("pid", DataType.INT64),
            ),
        )

        @Volatile
        var lastRequest: ScanRequest? = null

        /** Number of times that the driver queried the schema. */
        val schemas = AtomicInteger()

        /** Number of open readers in this executor. */
        val open = AtomicInteger()

        private val pulls = ConcurrentHashMap<Pair<Int, Int>, CountDownLatch>()

        /** Returns this executor's latch that opens when the partition is pulled for the batch. */
        fun pull(partition: Int, batch: Int): CountDownLatch =
            pulls.computeIfAbsent(partition to batch) { CountDownLatch(1) }
    }
}

/** A source of all columns that makes only those that Spark needs; it fails without a request. */
private class Selecting(private val needed: List<String>, private val make: (Schema) -> RecordBatch?) :
    DeviceArrayReader.Source<RecordBatch> {
    private var selected: Schema? = null

    override fun select(vararg columns: Int): Boolean {
        selected = Schema.of(columns.map { Numbers.ALL.fields()[it] })
        return true
    }

    override fun next(): RecordBatch? {
        check(selected?.fields()?.map { it.name() } == needed) { "selected are $selected, but Spark needs $needed" }
        return make(checkNotNull(selected))
    }
}

private data class NumbersPartition(
    val number: Int,
    val batches: Int,
    val rows: Int,
    val columns: List<String>,
    val does: String,
    val hosts: List<String>,
) : ColumnPartition {
    override fun preferredHosts(): List<String> = hosts

    override fun open(task: ColumnTask): RecordBatchReader {
        check(task.partition() == number || does.startsWith("union") || does == "one by one")
        check(does != "fail in open") { "no stream for partition $number" }
        val fields = Numbers.ALL.fields().filter { it.name() in columns }.toMutableList()
        if (does == "other type") fields.replaceAll {
            if (it.name() == "half") Field.of("half", DataType.FLOAT32) else it
        }
        if (does == "other nulls") fields.replaceAll { it.withNullable(true) }
        if (does == "union swapped") fields.reverse()
        if (does == "fewer columns") fields.removeFirst()
        if (does == "more columns") fields.add(0, Field.of("more", DataType.INT32))
        val schema = Schema.of(fields)
        val isBlocked = if (does.startsWith("block once in ")) number == 0 && task.attempt() == 0
        else does.startsWith("block in ")
        if (isBlocked) return RecordBatchReader.of(schema, Blocked(Path.of(does.substringAfter(" in "))))
        var batch = 0
        if (does == "selects") return RecordBatchReader.of(Numbers.ALL, Selecting(columns) { selected ->
            if (batch++ == batches) null else make(selected, batch - 1)
        })
        if (does == "one by one") {
            val open = Numbers.open.incrementAndGet()
            check(open == 1) { "$open readers are open, but only one may be open at a time" }
            return RecordBatchReader.of(schema, OneByOne { if (batch++ == batches) null else make(schema, batch - 1) })
        }
        val reader = RecordBatchReader.of(schema) {
            if (does.startsWith("wait in ") && batch == 1) awaitGo(Path.of(does.removePrefix("wait in ")))
            if (does == "kill" && batch == 1 && task.attempt() == 0 && number == 0) kill()
            if (does == "device ahead") {
                check(TaskContext.get() == null) { "a separate thread must pull, not the task's" }
                Numbers.pull(number, batch).countDown()
            }
            check(!does.startsWith("fail") || batch < 2) { "the stream of partition $number broke" }
            if (batch++ == batches) null else make(schema, batch - 1)
        }
        return when (does.removePrefix("fail, ")) {
            "device", "device ahead" -> task.onDevice(reader)
            "C stream" -> inC(ArrowArrayStreamStruct::allocate, reader, CExport.DATA, CImport.DATA)
            "C device stream" -> inC(ArrowDeviceArrayStreamStruct::allocate, reader, CExport.DEVICE, CImport.DEVICE)
            "async stream" -> CData.importAsyncStream(CImport.DEVICE) { handler ->
                CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), handler, ForkJoinPool.commonPool(),
                    CExport.DEVICE)
            }.reader(2)
            else -> reader
        }
    }

    /**
     * Exports a reader to a C stream and imports it from its address, as from an engine whose struct is gone after the
     * call.
     */
    private fun inC(
        allocate: (Arena) -> MemorySegment,
        reader: RecordBatchReader,
        out: CExport,
        back: CImport,
    ): RecordBatchReader = Arena.ofConfined().use { arena ->
        val struct = allocate(arena)
        CData.exportStream(reader, struct, out)
        CData.importStream(MemorySegment.ofAddress(struct.address()), back)
    }

    private fun make(schema: Schema, batch: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { builder ->
        val first = (number * 1000L + batch) * rows
        if (does == "many") {
            for (field in schema.fields()) builder.column(field).appendAll(LongArray(rows) { first + it })
            return builder.build()
        }
        for (field in schema.fields()) {
            val values = when (field.name()) {
                "id" -> List(rows) { first + it }
                "name" -> List(rows) { if (it % 10 == 3) null else "n${it % 7}" }
                "half" -> List(rows) { it / 2.0 }
                "pid" -> List(rows) { if (does.startsWith("union")) -first - it else ProcessHandle.current().pid() }
                else -> List(rows) { it.toLong() }
            }
            builder.column(
                field,
                if (does == "other type" && field.name() == "half") values.map { (it as Double).toFloat() } else values,
            )
        }
        builder.build()
    }
}

/** Creates a file in the folder, and waits until a file `go` exists there. */
internal fun awaitGo(folder: Path) {
    createTempFile(folder)
    while (!folder.resolve("go").exists()) Thread.sleep(10)
}

/** Kills this process, as a crash does. */
internal fun kill() {
    ProcessBuilder("kill", "-9", "${ProcessHandle.current().pid()}").start().waitFor()
}

private class OneByOne(private val from: () -> RecordBatch?) : DeviceArrayReader.Source<RecordBatch> {
    override fun next(): RecordBatch? = from()

    override fun close() {
        Numbers.open.decrementAndGet()
    }
}

/** A source that creates a file in a folder when it is pulled, and then blocks until it is cancelled. */
internal class Blocked(private val folder: Path) : DeviceArrayReader.Source<RecordBatch> {
    private val cancelled = CountDownLatch(1)

    override fun next(): RecordBatch? {
        createTempFile(folder)
        cancelled.await()
        return null
    }

    override fun cancel() = cancelled.countDown()
}
