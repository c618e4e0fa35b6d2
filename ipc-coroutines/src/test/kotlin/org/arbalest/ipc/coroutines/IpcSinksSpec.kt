// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.Runnable
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.lendingFlow
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.ArrowStream
import org.arbalest.device.ipc.IpcCompression
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.device.ipc.IpcWriteOptions
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.logged
import java.io.ByteArrayInputStream
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.OutputStream
import java.nio.file.NoSuchFileException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.io.path.readBytes
import kotlin.io.path.writeBytes

/** An output that counts flushes and closes. */
private class Recorded : ByteArrayOutputStream() {
    var flushes = 0
    var closes = 0

    override fun flush() {
        flushes++
    }

    override fun close() {
        closes++
    }
}

@OptIn(ExperimentalCoroutinesApi::class)
class IpcSinksSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a flow is written to a file, and its rows are counted") {
        val folder = tempdir().toPath()
        val file = folder.resolve("trades.arrow")
        val options = IpcWriteOptions.defaults().withCompression(IpcCompression.ZSTD)
            .withMetadata(Metadata.of("source", "test"))
        trades().writeArrowFile(file, options = options) shouldBe 6
        folder.files() shouldBe listOf("trades.arrow")
        ArrowFile.open(file).use {
            it.batchCount() shouldBe 3
            it.rowCount() shouldBe 6
            it.metadata() shouldBe Metadata.of("source", "test")
        }
        arrowFileFlow(file).map { it.ids() }.toList() shouldBe IDS
    }

    test("a sink that fails, or is cancelled, before it collects closes the flow's reader once [OWN-24]") {
        val folder = tempdir().toPath()
        val output = object : OutputStream() {
            override fun write(byte: Int) = throw IOException("the disk is full")
        }
        val sinks = listOf<suspend Flow<RecordBatch>.() -> Unit>(
            { writeArrowFile(folder.resolve("trades.arrow"), SCHEMA) },
            { writeArrowFile(folder.resolve("no/trades.arrow"), SCHEMA) },
            { writeArrowStream(output, SCHEMA) },
        )
        for ((i, sink) in sinks.withIndex()) for (cancelled in listOf(true, i == 0)) {
            val closes = AtomicInteger()
            val flow = RecordBatchReader.of(SCHEMA, object : DeviceArrayReader.Source<RecordBatch> {
                override fun next(): RecordBatch? = null

                override fun close() {
                    closes.incrementAndGet()
                }
            }).asFlow().buffer()
            val scope = CoroutineScope(Job().apply { if (cancelled) cancel() })
            val failure = CompletableDeferred<Throwable?>()
            scope.launch(start = CoroutineStart.UNDISPATCHED) {
                failure.complete(runCatching { flow.sink() }.exceptionOrNull())
            }
            (failure.await() is CancellationException) shouldBe cancelled
            closes.get() shouldBe 1
        }
        folder.files() shouldBe listOf()
    }

    test("a stream has its end mark, and its output is flushed and stays open") {
        val output = Recorded()
        trades().writeArrowStream(output) shouldBe 6
        output.closes shouldBe 0
        (output.flushes > 0) shouldBe true
        val length = output.size()
        output.write(42)
        val input = ByteArrayInputStream(output.toByteArray())
        arrowStreamFlow { input }.map { it.ids() }.toList() shouldBe IDS
        input.read() shouldBe 42
        length shouldBe output.size() - 1
    }

    test("an empty flow needs a schema, and the error says so") {
        val folder = tempdir().toPath()
        val file = folder.resolve("empty.arrow")
        shouldThrow<NoSuchElementException> { emptyFlow<RecordBatch>().writeArrowFile(file) }.message shouldBe
            "cannot write $file: the flow ended without a batch, and its schema is unknown. Pass the schema to write " +
            "a flow that may be empty"
        folder.files() shouldBe listOf()
        val output = Recorded()
        shouldThrow<NoSuchElementException> { emptyFlow<RecordBatch>().writeArrowStream(output) }
        output.size() shouldBe 0
        emptyFlow<RecordBatch>().writeArrowFile(file, SCHEMA) shouldBe 0
        emptyFlow<RecordBatch>().writeArrowStream(output, SCHEMA) shouldBe 0
        ArrowFile.open(file).use { it.schema() to it.batchCount() shouldBe (SCHEMA to 0) }
        ArrowStream.open(ByteArrayInputStream(output.toByteArray()), IpcReadOptions.defaults()).use {
            it.schema() shouldBe SCHEMA
            it.next() shouldBe null
        }
    }

    test("batches that a plain flow emits are closed, and so are borrowed ones") {
        val file = tempdir().toPath().resolve("trades.arrow")
        val emitted = mutableListOf<RecordBatch>()
        trades().map { it.slice(0, 1) }.map { it.also(emitted::add) }.writeArrowFile(file) shouldBe 3
        emitted.map { it.isOpen } shouldBe listOf(false, false, false)
        arrowFileFlow(file).map { it.ids() }.toList() shouldBe listOf(listOf(1L), listOf(3L), listOf(4L))
    }

    test("a flow that fails leaves no file and no warning, and an older file remains") {
        val folder = tempdir().toPath()
        val older = folder.resolve("older.arrow").apply { writeBytes(byteArrayOf(1, 2, 3)) }
        val failing = lendingFlow {
            emit(trades(1, 2))
            throw IOException("the source is gone")
        }
        for (file in listOf(older, folder.resolve("new.arrow"))) {
            logged("org.arbalest.device.ipc") {
                shouldThrow<IOException> { runBlocking { failing.writeArrowFile(file) } }.message shouldBe
                    "the source is gone"
            } shouldBe listOf()
        }
        folder.files() shouldBe listOf("older.arrow")
        older.readBytes() shouldBe byteArrayOf(1, 2, 3)
        val output = Recorded()
        shouldThrow<IOException> { failing.writeArrowStream(output) }
        output.closes shouldBe 0
        output.toByteArray() shouldBe streamBytes(trades(1, 2)).let { it.copyOf(it.size - END_MARK) }
    }

    test("a batch with another schema leaves no file, and is closed") {
        val folder = tempdir().toPath()
        var other: RecordBatch? = null
        shouldThrow<IllegalArgumentException> {
            flow {
                emit(trades(1, 2))
                emit(trades(3).use { it.select("id") }.also { other = it })
            }.writeArrowFile(folder.resolve("trades.arrow"))
        }
        other!!.isOpen shouldBe false
        folder.files() shouldBe listOf()
    }

    test("a folder that does not exist is an error before the flow begins, if the schema is known") {
        val file = tempdir().toPath().resolve("missing/trades.arrow")
        var begun = false
        shouldThrow<NoSuchFileException> { flow<RecordBatch> { begun = true }.writeArrowFile(file, SCHEMA) }
        begun shouldBe false
    }

    test("cancelling between two batches leaves no file") {
        val folder = tempdir().toPath()
        val written = CompletableDeferred<Unit>()
        coroutineScope {
            val writing = launch(Dispatchers.Default) {
                lendingFlow {
                    emit(trades(1, 2))
                    written.complete(Unit)
                    awaitCancellation()
                }.writeArrowFile(folder.resolve("trades.arrow"))
            }
            written.await()
            folder.files().size shouldBe 1 // the temporary file
            writing.cancel()
            writing.ends() shouldBe true
        }
        folder.files() shouldBe listOf()
    }

    test("cancelling a blocked write interrupts it, and closes the batch") {
        val blocked = CompletableDeferred<Unit>()
        val never = CountDownLatch(1)
        val output = object : OutputStream() {
            override fun write(byte: Int) = write(byteArrayOf(byte.toByte()), 0, 1)

            override fun write(bytes: ByteArray, offset: Int, length: Int) {
                blocked.complete(Unit)
                never.await()
            }
        }
        val batch = trades(1, 2)
        coroutineScope {
            val writing = launch(Dispatchers.Default) { flow { emit(batch) }.writeArrowStream(output) }
            blocked.await()
            writing.cancel()
            val ends = writing.ends()
            never.countDown()
            ends shouldBe true
        }
        batch.isOpen shouldBe false
    }

    test("a cancellation while the file is completed is too late") {
        val file = tempdir().toPath().resolve("empty.arrow")
        val writing = CompletableDeferred<Job>()
        val calls = AtomicInteger()
        val cancelling = object : CoroutineDispatcher() {
            override fun dispatch(context: CoroutineContext, block: Runnable) {
                val number = calls.incrementAndGet() // the first creates the file, the second completes it
                Dispatchers.IO.dispatch(context) {
                    if (number == 2) writing.getCompleted().cancel()
                    block.run()
                }
            }
        }
        val rows = CompletableDeferred<Long>()
        coroutineScope {
            val job = async(Dispatchers.Default) {
                writing.await()
                rows.complete(emptyFlow<RecordBatch>().writeArrowFile(file, SCHEMA, dispatcher = cancelling))
            }
            writing.complete(job)
            job.ends() shouldBe true
            job.isCancelled shouldBe true
        }
        rows.getCompleted() shouldBe 0
        ArrowFile.open(file).use { it.batchCount() shouldBe 0 }
    }

    test("a file is written on the dispatcher, and the flow runs in the caller's context") {
        val file = tempdir().toPath().resolve("trades.arrow")
        val threads = mutableSetOf<String>()
        Executors.newSingleThreadExecutor { Thread(it, "writes here") }.asCoroutineDispatcher().use { dispatcher ->
            val output = object : OutputStream() {
                override fun write(byte: Int) {
                    threads += Thread.currentThread().name.substringBefore(" @")
                }

                override fun write(bytes: ByteArray, offset: Int, length: Int) = write(0)
            }
            val caller = Thread.currentThread()
            flow {
                (Thread.currentThread() === caller) shouldBe true
                emit(trades(1))
            }.writeArrowStream(output, dispatcher = dispatcher)
        }
        threads shouldBe setOf("writes here")
        val gone = Executors.newSingleThreadExecutor().asCoroutineDispatcher().also { it.close() }
        shouldThrow<IllegalStateException> { trades().writeArrowFile(file, dispatcher = gone) }
            .message shouldContain "was shut down"
    }
})
