// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.names
import org.arbalest.device.Devices
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.ipc.ArrowFile
import org.arbalest.device.ipc.IpcException
import org.arbalest.device.ipc.IpcReadOptions
import org.arbalest.support.ResourceCountersExtension
import java.io.ByteArrayInputStream
import java.io.IOException
import java.io.InputStream
import java.lang.foreign.Arena
import java.nio.channels.FileChannel
import java.nio.file.NoSuchFileException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.io.path.deleteExisting
import kotlin.io.path.writeText

@OptIn(ExperimentalCoroutinesApi::class)
class IpcFlowsSpec : FunSpec({
    extension(ResourceCountersExtension)
    val folder = tempdir().toPath()
    val file = folder.resolve("trades.arrow")

    val arena = autoClose(Arena.ofShared())

    beforeSpec { trades().writeArrowFile(file) }

    test("a file's flow reads all batches in each collection") {
        val flow = arrowFileFlow(file)
        repeat(2) { flow.map { it.ids() }.toList() shouldBe IDS }
    }

    test("a file is opened by the collection, not before") {
        val other = folder.resolve("later.arrow")
        val flow = arrowFileFlow(other)
        shouldThrow<NoSuchFileException> { flow.collect {} }
        trades().writeArrowFile(other)
        flow.map { it.ids() }.toList() shouldBe IDS
        other.deleteExisting()
    }

    test("a flow has only the chosen columns") {
        arrowFileFlow(file, IpcReadOptions.defaults().withColumns("symbol")).map { it.schema().names to it.length() }
            .toList() shouldContainExactly listOf(2L, 1L, 3L).map { listOf("symbol") to it }
        shouldThrow<IllegalArgumentException> {
            arrowFileFlow(file, IpcReadOptions.defaults().withColumns("price")).collect {}
        }.message shouldContain "price"
    }

    test("a batch is closed after its emit, and a retained one outlives the collection") {
        val borrowed = mutableListOf<RecordBatch>()
        arrowFileFlow(file).collect { borrowed += it }
        borrowed.map { it.isOpen } shouldBe listOf(false, false, false)
        val kept = arrowFileFlow(file).map { it.retain() }.take(1).toList().single()
        kept.use { it.ids() shouldBe IDS.first() }
    }

    test("a stream's flow opens an input for each collection, reads it on the dispatcher and closes it") {
        val opened = mutableListOf<String>()
        val closed = AtomicInteger()
        val bytes = streamBytes(trades(1, 2), trades(3), trades(4, 5, 6))
        Executors.newSingleThreadExecutor { Thread(it, "reads here") }.asCoroutineDispatcher().use { dispatcher ->
            val flow = arrowStreamFlow(dispatcher = dispatcher) {
                opened += Thread.currentThread().name.substringBefore(" @")
                object : ByteArrayInputStream(bytes) {
                    override fun close() {
                        closed.incrementAndGet()
                    }
                }
            }
            opened.size shouldBe 0
            flow.map { it.ids() }.toList() shouldBe IDS
            (closed.get() > 0) shouldBe true
            flow.buffer(2).map { it.ids() }.toList() shouldBe IDS
        }
        opened shouldBe listOf("reads here", "reads here")
    }

    test("an input that is malformed, ends early or cannot be opened fails the collection, and is closed") {
        val bytes = streamBytes(trades(1, 2), trades(3))
        for (bad in listOf(byteArrayOf(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), bytes.copyOf(bytes.size / 2))) {
            val closed = AtomicInteger()
            shouldThrow<IpcException> {
                arrowStreamFlow {
                    object : ByteArrayInputStream(bad) {
                        override fun close() {
                            closed.incrementAndGet()
                        }
                    }
                }.collect {}
            }
            (closed.get() > 0) shouldBe true
        }
        shouldThrow<IOException> { arrowStreamFlow { throw IOException("refused") }.collect {} }.message shouldBe
            "refused"
        val text = folder.resolve("text.arrow").apply { writeText("a text that is long enough for a footer") }
        shouldThrow<IpcException> { arrowFileFlow(text).collect {} }
    }

    test("a dispatcher that was shut down is an error, and not a cancellation") {
        val gone = Executors.newSingleThreadExecutor().asCoroutineDispatcher().also { it.close() }
        shouldThrow<IllegalStateException> { arrowFileFlow(file, dispatcher = gone).collect {} }
            .message shouldContain "was shut down"
    }

    for ((place, bytes) in mapOf(
        "the schema" to ByteArray(0),
        "the second batch" to streamBytes(trades(1, 2)).let { whole -> whole.copyOf(whole.size - END_MARK) },
    )) {
        test("cancelling a collection that waits for $place closes the input and ends the read") {
            val input = HeldInput(bytes)
            val rows = AtomicInteger()
            coroutineScope {
                val collection = launch(Dispatchers.Default) {
                    arrowStreamFlow { input }.collect { rows.addAndGet(it.length().toInt()) }
                }
                input.waits.await()
                collection.cancel()
                val ends = collection.ends()
                input.close()
                ends shouldBe true
            }
            rows.get() shouldBe if (bytes.isEmpty()) 0 else 2
            input.isClosed shouldBe true
        }
    }

    test("cancelling a collection whose input is being opened interrupts the thread, and closes a late input") {
        for (isStubborn in listOf(false, true)) {
            val entered = CompletableDeferred<Unit>()
            val gate = CountDownLatch(1)
            val input = HeldInput(ByteArray(0))
            fun connect(): InputStream {
                entered.complete(Unit)
                try {
                    gate.await()
                } catch (e: InterruptedException) {
                    if (!isStubborn) throw e
                }
                return input
            }
            coroutineScope {
                val collection = launch(Dispatchers.Default) { arrowStreamFlow { connect() }.collect {} }
                entered.await()
                collection.cancel()
                val ends = collection.ends()
                gate.countDown()
                input.close().takeUnless { ends }
                ends shouldBe true
            }
            if (isStubborn) input.isClosed shouldBe true
        }
    }

    test("a stream that is opened in spite of a cancellation is closed") {
        val bytes = streamBytes(trades(1, 2))
        val collection = CompletableDeferred<Job>()
        val input = object : ByteArrayInputStream(bytes) {
            override fun read(target: ByteArray, offset: Int, length: Int): Int {
                collection.getCompleted().cancel()
                return super.read(target, offset, length)
            }
        }
        coroutineScope {
            val job = launch(Dispatchers.Default, CoroutineStart.LAZY) { arrowStreamFlow { input }.collect {} }
            collection.complete(job)
            job.ends() shouldBe true // the extension finds a reader that stays open
        }
    }

    test("cancelling a collection of a file's reader leaves the file open for the others [FIL-18]") {
        val isReading = CompletableDeferred<Unit>()
        val memory = object : MemoryAllocator {
            override fun isCpuAccessible() = true

            override fun allocate(bytes: Long, alignment: Long): Long {
                isReading.complete(Unit)
                while (!Thread.currentThread().isInterrupted) Thread.onSpinWait() // the read begins interrupted
                return arena.allocate(bytes, alignment).address()
            }

            override fun free(address: Long, bytes: Long) {}
        }
        val options = IpcReadOptions.defaults().withMemory(MemoryManager.of(Devices.cpu(), memory))
        for (opened in listOf(ArrowFile.open(file, options), ArrowFile.open(FileChannel.open(file), options))) {
            opened.use { shared ->
                coroutineScope {
                    val collection = launch(Dispatchers.Default) { shared.reader().asFlow().collect {} }
                    isReading.await()
                    collection.cancel()
                    collection.ends() shouldBe true
                }
                shared.rowCount() shouldBe 6 // reads by the channel
            }
        }
    }

    test("cancelling a collector in its own work closes the batch and the input") {
        val emitted = CompletableDeferred<RecordBatch>()
        val input = HeldInput(streamBytes(trades(1, 2)))
        coroutineScope {
            val collection = launch(Dispatchers.Default) {
                arrowStreamFlow { input }.collect {
                    emitted.complete(it)
                    awaitCancellation()
                }
            }
            emitted.await()
            collection.cancel()
            collection.ends() shouldBe true
        }
        emitted.await().isOpen shouldBe false
        input.isClosed shouldBe true
    }
})
