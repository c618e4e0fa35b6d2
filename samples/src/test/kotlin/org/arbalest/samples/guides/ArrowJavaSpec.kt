// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.apache.arrow.flight.FlightClient
import org.apache.arrow.flight.FlightProducer
import org.apache.arrow.flight.FlightServer
import org.apache.arrow.flight.FlightStream
import org.apache.arrow.flight.Location
import org.apache.arrow.flight.NoOpFlightProducer
import org.apache.arrow.flight.Ticket
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.memory.RootAllocator
import org.apache.arrow.vector.BigIntVector
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot
import org.apache.arrow.vector.dictionary.Dictionary
import org.apache.arrow.vector.dictionary.DictionaryEncoder
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider
import org.apache.arrow.vector.ipc.ArrowFileWriter
import org.apache.arrow.vector.ipc.ArrowStreamReader
import org.apache.arrow.vector.types.pojo.DictionaryEncoding
import org.arbalest.coroutines.*
import org.arbalest.device.Device
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.device.arrow.ArrowReaders
import org.arbalest.device.arrow.ArrowVectors
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import org.jetbrains.kotlinx.dataframe.api.filter
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.OutputStream
import java.lang.foreign.Arena
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardOpenOption.WRITE
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference

private const val ROWS = 1000

/** Creates rows that start at [from]. Every third row has no name. */
private fun trades(from: Long): RecordBatch = Devices.cpu().batch(ROWS) {
    int64("id", LongArray(ROWS) { from + it })
    float64("price", DoubleArray(ROWS) { (from + it) * 0.5 })
    utf8("name", List(ROWS) { row -> "n$row".takeIf { row % 3 != 0 } })
}

private val schema: Schema = trades(0).use { it.schema() }

private fun trades(vararg from: Long) = RecordBatchReader.of(schema, from.map { trades(it) })

/** A source without an end that counts its batches. */
private class Endless : DeviceArrayReader.Source<RecordBatch> {
    val made = AtomicInteger()
    val closed = CountDownLatch(1)

    override fun next() = trades(ROWS.toLong() * made.getAndIncrement())

    override fun close() = closed.countDown()
}

/** Creates batches of a column with a dictionary of Arrow Java. */
private fun colours(
    allocator: BufferAllocator,
    batches: Int,
): RecordBatchReader = MapDictionaryProvider().use { provider ->
    provider.put(Dictionary(texts(allocator, "red", "blue"), DictionaryEncoding(1, false, null)))
    val root = texts(allocator, "red", "blue", "red").use {
        VectorSchemaRoot.of(DictionaryEncoder.encode(it, provider.lookup(1)) as FieldVector)
    }
    root.use { ArrowVectors.toRecordBatch(it, provider) }.use { batch ->
        RecordBatchReader.of(batch.schema(), List(batches) { batch.retain() })
    }
}

private fun texts(allocator: BufferAllocator, vararg values: String) = VarCharVector("colour", allocator).apply {
    allocateNew()
    values.forEachIndexed { row, value -> setSafe(row, value.toByteArray()) }
    valueCount = values.size
}

private class Snippets(
    val language: String,
    val onto: (Device, Path, BufferAllocator, (RecordBatch) -> Unit) -> Unit,
    val write: (RecordBatchReader, OutputStream, BufferAllocator) -> Unit,
    val here: (RecordBatch) -> RecordBatch,
    val send: (RecordBatchReader, FlightProducer.ServerStreamListener, BufferAllocator) -> Thread,
    val receive: (FlightStream) -> RecordBatchReader,
)

/** Runs the snippets of docs/guides/arrow-java.md. The allocators fail a test that leaves memory in them. */
class ArrowJavaSpec : FunSpec({
    extension(ResourceCountersExtension)

    val languages = listOf(
        Snippets("Java", { device, file, allocator, action -> ArrowIpcJava.onto(device, file, allocator, action) },
            ArrowIpcJava::write, ArrowIpcJava::here, FlightJava::send, FlightJava::receive),
        Snippets("Kotlin", ::onto, ::write, ::here, ::send, ::receive),
    )

    /**
     * Runs a Flight server and a client in this process with an allocator each, and waits until the server's thread
     * ends.
     */
    fun flight(
        answer: (FlightProducer.ServerStreamListener, BufferAllocator) -> Thread,
        block: (FlightStream) -> Unit,
    ) {
        RootAllocator().use { allocator ->
            allocator.newChildAllocator("server", 0, Long.MAX_VALUE).use { ours ->
                allocator.newChildAllocator("client", 0, Long.MAX_VALUE).use { theirs ->
                    val sender = CompletableFuture<Thread>()
                    val producer = object : NoOpFlightProducer() {
                        override fun getStream(
                            context: FlightProducer.CallContext,
                            ticket: Ticket,
                            listener: FlightProducer.ServerStreamListener,
                        ) {
                            sender.complete(answer(listener, ours))
                        }
                    }
                    FlightServer.builder(ours, Location.forGrpcInsecure("127.0.0.1", 0), producer).build().start()
                        .use { server ->
                            FlightClient.builder(theirs, Location.forGrpcInsecure("127.0.0.1", server.port)).build()
                                .use { client ->
                                    block(client.getStream(Ticket(byteArrayOf(1))))
                                }
                            sender.get(5, SECONDS).join(Duration.ofSeconds(5)) shouldBe true
                        }
                }
            }
        }
    }

    for (snippets in languages) {
        val language = snippets.language

        test("$language: an IPC file is copied to a device and written as IPC from there") {
            val file = Files.createTempFile("trades", ".arrow")
            try {
                RootAllocator().use { allocator ->
                    ArrowReaders.toArrowReader(trades(0, 1000), allocator).use { reader ->
                        ArrowFileWriter(reader.vectorSchemaRoot, reader, FileChannel.open(file, WRITE)).use {
                            while (reader.loadNextBatch()) it.writeBatch()
                        }
                    }
                    val device: Device = Devices.device(DeviceType.EXT_DEV, 0)
                    val there = mutableListOf<RecordBatch>()
                    snippets.onto(device, file, allocator) { there += it.retain() }
                    there.map { it.device() } shouldContainExactly listOf(device, device)
                    val bytes = ByteArrayOutputStream()
                    snippets.write(RecordBatchReader.of(schema, there.map { batch -> batch.use { snippets.here(it) } }),
                        bytes, allocator)
                    ArrowReaders.toRecordBatchReader(
                        ArrowStreamReader(ByteArrayInputStream(bytes.toByteArray()), allocator),
                    ).useArrays { back ->
                        var from = 0L
                        for (batch in back) {
                            trades(from).use { it.contentEquals(batch) shouldBe true }
                            from += ROWS
                        }
                        from shouldBe 2000
                    }
                    eventually("the file's batches are freed after their copies") { allocator.allocatedMemory == 0L }
                }
            } finally {
                Files.delete(file)
            }
        }

        test("$language: a root is exported to the C structs and imported again") {
            RootAllocator().use { allocator ->
                Arena.ofConfined().use { arena ->
                    val (array, schema) = ArrowArrayStruct.allocate(arena) to ArrowSchemaStruct.allocate(arena)
                    trades(5).use { ArrowVectors.toVectorSchemaRoot(it, allocator) }.use {
                        if (language == "Java") ArrowIpcJava.handOver(it, array, schema)
                        else handOver(it, array, schema)
                    }
                    (if (language == "Java") ArrowIpcJava.takeBack(array, schema, allocator)
                    else takeBack(array, schema, allocator)).use { root ->
                        root.rowCount shouldBe ROWS
                        (root.getVector("id") as BigIntVector).get(3) shouldBe 8
                    }
                }
            }
        }

        test("$language: a Flight client receives all batches of a reader") {
            flight({ listener, allocator -> snippets.send(trades(0, 1000, 2000), listener, allocator) }) { stream ->
                val ids = mutableListOf<Long>()
                snippets.receive(stream).useArrays { batches ->
                    for (batch in batches) {
                        ids += batch["id"].longs()[0]
                        trades(ids.last()).use { it.contentEquals(batch) shouldBe true }
                    }
                }
                ids shouldContainExactly listOf(0L, 1000, 2000)
            }
        }

        test("$language: a Flight client receives a dictionary before the first batch") {
            flight({ listener, allocator -> snippets.send(colours(allocator, 2), listener, allocator) }) { stream ->
                val values = mutableListOf<List<Any?>>()
                snippets.receive(stream).useArrays { batches ->
                    for (batch in batches) values += batch.column("colour").toList()
                }
                values shouldContainExactly List(2) { listOf("red", "blue", "red") }
            }
        }

        test("$language: a Flight server waits for a slow client") {
            val sender = AtomicReference<Thread>()
            val last = AtomicInteger(100_000) // more batches than gRPC buffers
            val batches = object : DeviceArrayReader.Source<RecordBatch> {
                val made = AtomicInteger()

                override fun next(): RecordBatch? {
                    sender.set(Thread.currentThread())
                    return if (made.get() < last.get()) trades(ROWS.toLong() * made.getAndIncrement()) else null
                }
            }
            flight(
                { listener, allocator -> snippets.send(RecordBatchReader.of(schema, batches), listener, allocator) },
            ) { stream ->
                eventually("the server waits") { sender.get()?.state == Thread.State.WAITING }
                last.set(batches.made.get() + 100)
                var from = 0L
                snippets.receive(stream).useArrays {
                    for (batch in it) batch["id"].longs()[0] shouldBe from.also { from += ROWS }
                }
                from shouldBe last.get().toLong() * ROWS
            }
        }

        for (failure in listOf(DeviceException(Errno.EIO, "the disk is gone"), AssertionError("a bug"))) {
            test("$language: a batch that fails ends the Flight stream with an error: ${failure.message}") {
                val failing = object : DeviceArrayReader.Source<RecordBatch> {
                    var pulls = 0

                    override fun next() = if (pulls++ == 0) trades(0) else throw failure
                }
                flight({ listener, allocator ->
                    snippets.send(RecordBatchReader.of(schema, failing), listener, allocator)
                }) { stream ->
                    var batches = 0
                    shouldThrow<DeviceException> { snippets.receive(stream).useArrays { for (batch in it) batches++ } }
                    batches shouldBe 1
                }
            }
        }

        test("$language: a Flight server that is interrupted while it waits sends an error instead of the end") {
            val sender = AtomicReference<Thread>()
            val endless = object : DeviceArrayReader.Source<RecordBatch> {
                override fun next() = trades(0).also { sender.set(Thread.currentThread()) }
            }
            flight(
                { listener, allocator -> snippets.send(RecordBatchReader.of(schema, endless), listener, allocator) },
            ) { stream ->
                eventually("the server waits") { sender.get()?.state == Thread.State.WAITING }
                sender.get().interrupt()
                shouldThrow<DeviceException> {
                    snippets.receive(stream).useArrays { for (batch in it) batch.length() shouldBe ROWS }
                }.message shouldContain "interrupted"
            }
        }

        test("$language: a Flight server stops when the client's flow stops early") {
            val endless = Endless()
            flight(
                { listener, allocator -> snippets.send(RecordBatchReader.of(schema, endless), listener, allocator) },
            ) { stream ->
                val kept = mutableListOf<RecordBatch>()
                runBlocking { snippets.receive(stream).asFlow().take(3).collect { kept += it.retain() } }
                endless.closed.await(5, SECONDS) shouldBe true
                kept.map { batch -> batch.use { it["id"].longs()[0] } } shouldContainExactly listOf(0L, 1000, 2000)
            }
            endless.made.get() shouldBeLessThan 1000 // batches of some 30 kB each: the server waits for its client
        }

        test("$language: a Flight client can be cancelled repeatedly while the server is silent") {
            repeat(30) { // Flight sometimes loses the end of a stream that is interrupted
                val closed = CountDownLatch(1)
                val gate = CountDownLatch(1)
                val silent = object : DeviceArrayReader.Source<RecordBatch> {
                    var pulls = 0

                    override fun next(): RecordBatch? {
                        if (pulls++ == 0) return trades(0)
                        gate.await()
                        return null
                    }

                    override fun close() = closed.countDown()
                }
                flight(
                    { listener, allocator -> snippets.send(RecordBatchReader.of(schema, silent), listener, allocator) },
                ) { stream ->
                    runBlocking(Dispatchers.Default) {
                        val first = CompletableDeferred<Long>()
                        val job = launch {
                            snippets.receive(stream).asFlow().collect { first.complete(it["id"].longs()[0]) }
                        }
                        first.await() shouldBe 0
                        job.cancelAndJoin()
                    }
                    gate.countDown()
                    closed.await(5, SECONDS) shouldBe true
                }
            }
        }
    }

    test("Kotlin: a flow becomes an ArrowReader and a flow again") {
        RootAllocator().use { allocator ->
            val doubled = lendingFlow { for (from in listOf(0L, 1000L)) emit(trades(from)) }
            var rows = 0L
            runBlocking { asFlow(asArrowReader(doubled, schema, allocator)).collect { rows += it.length() } }
            rows shouldBe 2000
        }
    }

    test("Kotlin: a query's batches become a DataFrame, and the frame is ingested by the database") {
        RootAllocator().use { allocator ->
            DuckDbDriver.open().use { database ->
                database.connect().use { connection ->
                    connection.createStatement().use { sql ->
                        val frame = toDataFrame(sql.query("SELECT i::BIGINT AS id, 'n' || i AS name, CASE WHEN i % 2 " +
                            "= 0 THEN i / 4 END AS price FROM range(5000) t(i)"), allocator)
                        frame.rowsCount() shouldBe 5000
                        frame.columnNames() shouldContainExactly listOf("id", "name", "price")
                        frame[4998]["name"] shouldBe "n4998"
                        frame[4999]["price"] shouldBe null
                        allocator.allocatedMemory shouldBe 0 // the frame is a copy
                        val cheap = frame.filter { (this["id"] as Long) < 10 }
                        lend(cheap) { batch -> connection.ingest(AdbcIngest.into("cheap"), batch.retain()) } shouldBe 10
                        sql.query("SELECT sum(id)::BIGINT, count(price), max(name) FROM cheap").use { reader ->
                            reader.next()!!.use { batch ->
                                List(3) { batch.column(it)[0] } shouldContainExactly listOf(45L, 5L, "n9")
                            }
                        }
                    }
                }
            }
        }
    }
})
