// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Selection
import org.arbalest.device.types.Metadata
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerConsumer
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.lang.foreign.Arena
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** The source of a flow that is not collected. */
class DiscardSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** The operators that keep the source of a lending flow. */
    val operators = mapOf<String, LendingFlow<RecordBatch>.() -> Flow<RecordBatch>>(
        "none" to { this },
        "buffer" to { buffer(2) },
        "flowOn" to { flowOn(Dispatchers.IO) },
        "filterRows" to { filterRows { Selection.where(it.length()) { true } } },
        "selectColumns" to { selectColumns("id") },
        "rebatch" to { rebatch(2) },
        "mapParallel" to { mapParallel(2) { it.retain() } },
        "several" to { buffer(1).selectColumns("id").rebatch(3).flowOn(Dispatchers.IO) },
    )

    /** Calls [test] with a flow of a reader's batches for each operator, and checks that the reader is closed once. */
    suspend fun each(test: suspend (Flow<RecordBatch>) -> Unit) {
        for ((name, operator) in operators) withClue(name) {
            val closes = AtomicInteger()
            test(readerOf(9) { closes.incrementAndGet() }.asFlow().operator())
            closes.get() shouldBe 1
        }
    }

    test("a flow that is discarded closes its reader once, and cannot be collected any more [OWN-24]") {
        each { flow ->
            repeat(2) { flow.discard() }
            shouldThrow<IllegalStateException> { flow.collect { it.close() } }.message shouldContain
                "collected only once, and it was collected or discarded already"
        }
    }

    test("a discard after the collection has begun, or of a flow without a source, does nothing [OWN-24]") {
        each { flow ->
            var rows = 0L
            flow.collect {
                flow.discard()
                rows += it.length()
                it.close()
            }
            rows shouldBe 9
        }
        lendingFlow { emit(batchOf(1)) }.let { flow ->
            flow.discard()
            flow.map { it.id }.collect { it shouldBe 1 }
        }
    }

    test("a reader of a flow that is closed before its first pull closes the flow's reader [OWN-24]") {
        each { it.asReader(IDS).close() }
    }

    test("a stream of a flow that C releases unread closes the flow's reader [OWN-24]") {
        Arena.ofConfined().use { arena ->
            each {
                val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
                CData.exportStream(it.asReader(IDS), stream, CExport.DATA)
                CData.importStream(stream, CImport.DATA).close()
            }
        }
    }

    test("a reader of a flow whose parent job is cancelled before the first pull closes the flow's reader [OWN-24]") {
        each {
            val parent = Job().apply { cancel() }
            it.asReader(IDS, context = Dispatchers.Default + parent).use { reader ->
                shouldThrow<DeviceException> { reader.next() }.errno() shouldBe Errno.ECANCELED
            }
        }
    }

    test("the discard of an async stream's flow closes the stream, unless it was collected [OWN-24]") {
        for (discarded in listOf(true, false)) {
            val closes = AtomicInteger()
            val stream = CData.importAsyncStream(CImport.DEVICE) { handler ->
                val reader = readerOf(3) { closes.incrementAndGet() }
                CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), handler, Runnable::run,
                    CExport.DEVICE)
            }
            val flow = stream.asFlow()
            if (discarded) flow.discard()
            else {
                var rows = 0L
                flow.collect {
                    flow.discard()
                    rows += it.length()
                }
                rows shouldBe 3
            }
            stream.released().handle { _, _ -> }.toCompletableFuture().get(5, SECONDS)
            closes.get() shouldBe 1
        }
    }

    test("a close exception of a discarded reader reaches its caller [OWN-24]") {
        fun flow() = readerOf({ throw IOException("stuck") }) { null }.asFlow()
        shouldThrow<IllegalStateException> { flow().discard() }.cause?.message shouldBe "stuck"
        shouldThrow<IllegalStateException> { flow().asReader(IDS).close() }.cause?.message shouldBe "stuck"
    }
})

/** The source of a flow that a native consumer does not get. */
class DiscardPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("produceTo in a cancelled coroutine closes the flow's reader, and releases the handler [OWN-24]") {
        for (buffered in listOf(true, false)) PeerConsumer(1).use { consumer ->
            val closes = AtomicInteger()
            val flow = readerOf(9) { closes.incrementAndGet() }.asFlow().let { if (buffered) it.buffer(1) else it }
            val cancelled = CoroutineScope(Job().apply { cancel() })
            cancelled.launch(start = CoroutineStart.UNDISPATCHED) { flow.produceTo(consumer.handler, IDS) }.join()
            closes.get() shouldBe 1
            consumer.results().code shouldBe Errno.ECANCELED
        }
    }
})
