// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onCompletion
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.job
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerStreams
import org.arbalest.support.PeerStreams.Flavour
import org.arbalest.support.PeerStreams.StreamCall
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.seconds

/** A dispatcher that runs each block and then calls [after], before the waiting coroutine resumes on its own thread. */
private class After(val after: () -> Unit) : CoroutineDispatcher() {
    override fun dispatch(context: CoroutineContext, block: Runnable) = Dispatchers.IO.dispatch(context) {
        block.run()
        after()
    }
}

class ReaderFlowSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("asFlow closes each array after its emit, and a retained array stays open") {
        val seen = mutableListOf<RecordBatch>()
        val kept = mutableListOf<RecordBatch>()
        readerOf(3).asFlow().collect {
            seen.forEach { before -> before.isOpen shouldBe false }
            seen += it
            kept += it.retain()
        }
        seen.any { it.isOpen } shouldBe false
        kept.map { it.id } shouldContainExactly listOf(0, 1, 2)
        kept.forEach(RecordBatch::close)
    }

    test("a collector may move an array out of the emit") {
        val moved = readerOf(2).asFlow().map { it.move() }.toList()
        moved.map { it.id } shouldContainExactly listOf(0, 1)
        moved.forEach(RecordBatch::close)
    }

    test("asFlow pulls nothing before the collection, and can be collected once") {
        val pulls = AtomicInteger()
        val reader = readerOf { if (pulls.incrementAndGet() == 1) batchOf(7) else null }
        val flow = reader.asFlow()
        pulls.get() shouldBe 0
        flow.collect()
        shouldThrow<IllegalStateException> { flow.collect() }.message shouldContain "collected only once"
        pulls.get() shouldBe 2
    }

    test("asFlow pulls and closes the reader on the dispatcher, and the collector stays on its thread") {
        val pulling = mutableSetOf<String>()
        fun note() { pulling += Thread.currentThread().name.substringBefore(" @") }
        Executors.newSingleThreadExecutor { Thread(it, "puller") }.asCoroutineDispatcher().use { puller ->
            Executors.newSingleThreadExecutor { Thread(it, "collector") }.asCoroutineDispatcher().use { collector ->
                withContext(collector) {
                    var at = 0L
                    readerOf(::note) { note(); if (at < 3) batchOf(at++) else null }.asFlow(puller).collect {
                        Thread.currentThread().name shouldContain "collector"
                    }
                }
            }
        }
        pulling shouldBe setOf("puller")
    }

    test("asFlow does not pull the next array before the collector has finished with the current one") {
        val pulls = AtomicInteger()
        var at = 0
        readerOf { pulls.incrementAndGet(); if (at < 3) batchOf(at++.toLong()) else null }.asFlow().collect {
            pulls.get() shouldBe it.id.toInt() + 1
        }
    }

    test("a collector that stops early closes the reader") {
        var closed = false
        readerOf(3) { closed = true }.asFlow().take(1).collect()
        closed shouldBe true
        (readerOf(3).asFlow() as Flow<RecordBatch>).first().isOpen shouldBe false
    }

    test("an error of the stream reaches the collector with errno and message after the earlier arrays") {
        var at = 0L
        val ids = mutableListOf<Long>()
        val flow = readerOf { if (at < 2) batchOf(at++) else throw DeviceException(61, "no more tape") }.asFlow()
        val error = shouldThrow<DeviceException> { flow.collect { ids += it.id } }
        error.errno() shouldBe 61
        error.message shouldBe "no more tape"
        ids shouldContainExactly listOf(0, 1)
    }

    test("an error of the collector passes `catch` unchanged, and closes the array and the reader") {
        var closed = false
        val mine = IllegalStateException("mine")
        val thrown = shouldThrow<IllegalStateException> {
            readerOf(3) { closed = true }.asFlow().catch { error("catch must not run") }.collect { throw mine }
        }
        generateSequence<Throwable>(thrown) { it.cause }.last() shouldBe mine
        closed shouldBe true
    }

    test("`catch` receives an error of the stream") {
        var caught: Throwable? = null
        readerOf { throw DeviceException(Errno.EIO, "broken") }.asFlow().catch { caught = it }.collect()
        caught?.message shouldBe "broken"
    }

    test("cancelling a suspended collector closes the array and the reader") {
        var closed = false
        val holding = CompletableDeferred<RecordBatch>()
        coroutineScope {
            val job = launch {
                readerOf(3) { closed = true }.asFlow().collect {
                    holding.complete(it)
                    awaitCancellation()
                }
            }
            val array = holding.await()
            array.isOpen shouldBe true
            job.cancelAndJoin()
            array.isOpen shouldBe false
            closed shouldBe true
        }
    }

    test("a collector that is cancelled during a pull waits for the pull and closes its array") {
        val pulling = CompletableDeferred<Unit>()
        val gate = CountDownLatch(1)
        var brought: RecordBatch? = null
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                readerOf {
                    pulling.complete(Unit)
                    gate.awaitDeaf()
                    batchOf(1).also { brought = it }
                }.asFlow().collect { error("the collector received an array after the cancellation") }
            }
            pulling.await()
            job.cancel()
            job.isCompleted shouldBe false
            gate.countDown()
            job.join()
        }
        brought?.isOpen shouldBe false
    }

    test("cancelling the collector interrupts a pull that waits in Kotlin code, and this is not an error") {
        val pulling = CompletableDeferred<Unit>()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                shouldThrow<CancellationException> {
                    readerOf { pulling.complete(Unit); CountDownLatch(1).await(); null }.asFlow().collect()
                }
            }
            pulling.await()
            job.cancelAndJoin()
        }
    }

    test("an array is closed when the collector is cancelled between the pull and the emit") {
        var brought: RecordBatch? = null
        val queued = CountDownLatch(1)
        val pulled = CompletableDeferred<Unit>()
        val cancelled = CountDownLatch(1)
        val suspended = CountDownLatch(1)
        // The collector's only thread runs, in this order: the start of the collection; a wait, during which the array
        // is pulled and the collection is cancelled; the resumed collection.
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { collector ->
            coroutineScope {
                launch(collector) { queued.await() }
                val job = launch(collector) {
                    readerOf {
                        suspended.await()
                        batchOf(1).also { brought = it }
                    }.asFlow(After { pulled.complete(Unit) })
                        .collect { error("the collector received an array after the cancellation") }
                }
                launch(collector) { suspended.countDown(); cancelled.await() }
                queued.countDown()
                pulled.await()
                job.cancel()
                cancelled.countDown()
            }
        }
        brought shouldNotBe null
        brought?.isOpen shouldBe false
    }

    test("cancelling a collector calls the source's cancel repeatedly while its pull ignores interrupts [STR-11]") {
        val pulling = CompletableDeferred<Unit>()
        val gate = CountDownLatch(1)
        val asked = AtomicInteger()
        try {
            coroutineScope {
                val job = launch(Dispatchers.Default) {
                    source(ask = { if (asked.incrementAndGet() == 3) gate.countDown() }) {
                        pulling.complete(Unit)
                        gate.awaitDeaf()
                        null
                    }.asFlow().collect()
                }
                pulling.await()
                job.cancel()
                val joined = withTimeoutOrNull(5.seconds) { job.join() }
                gate.countDown()
                joined shouldNotBe null
            }
        } finally {
            gate.countDown()
        }
        asked.get() shouldBeGreaterThan 2
    }

    test(
        "an exception of the source's cancel is suppressed in the cancellation, and the collector waits for the pull " +
            "[STR-11]",
    ) {
        val pulling = CompletableDeferred<Unit>()
        val asked = CompletableDeferred<Unit>()
        val ended = CompletableDeferred<Throwable?>()
        val gate = CountDownLatch(1)
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                source(ask = { asked.complete(Unit); error("cannot ask") }) {
                    pulling.complete(Unit)
                    gate.awaitDeaf()
                    null
                }.asFlow().onCompletion { ended.complete(it) }.collect()
            }
            pulling.await()
            job.cancel()
            asked.await()
            ended.isCompleted shouldBe false
            gate.countDown()
            job.join()
        }
        ended.await()?.suppressed?.map { it.message } shouldBe listOf("cannot ask")
    }

    test("the source's cancel is not called when the collector stops early or is cancelled between pulls [STR-11]") {
        val asked = AtomicInteger()
        fun reader(next: () -> RecordBatch?) = source(ask = { asked.incrementAndGet() }, next)
        reader { batchOf(1) }.asFlow().take(1).collect()
        coroutineScope {
            launch {
                val job = currentCoroutineContext().job
                reader { batchOf(1) }.asFlow().collect { job.cancel() }
            }.join()
        }
        asked.get() shouldBe 0
    }

    test("a collector that is cancelled before the first pull pulls nothing and closes the reader") {
        var closed = false
        coroutineScope {
            val job = launch {
                coroutineContext.job.cancel()
                readerOf({ closed = true }) { error("next was called after the cancellation") }.asFlow().collect()
            }
            job.join()
        }
        closed shouldBe true
    }

    test("the collector throws IllegalStateException when the reader is closed during the collection") {
        val reader = readerOf(3)
        shouldThrow<IllegalStateException> { reader.asFlow().collect { reader.close() } }.message shouldContain "closed"
    }

    test("a dispatcher that was shut down is reported, and the reader is closed") {
        var closed = false
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
        shouldThrow<IllegalStateException> {
            readerOf(3) { closed = true }.asFlow(dispatcher).onEach { dispatcher.close() }.collect()
        }.message shouldContain "was shut down"
        closed shouldBe true
    }

    test("a dispatcher that was shut down does not replace the collector's error") {
        var closed = false
        val mine = IOException("mine")
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
        shouldThrow<IOException> {
            readerOf(3) { closed = true }.asFlow(dispatcher).collect {
                dispatcher.close()
                throw mine
            }
        } shouldBe mine
        closed shouldBe true
    }

    test("an exception of the reader's close is suppressed in the stream's or the collector's error") {
        fun closing(count: Int) = readerOf(count) { error("cannot close") }
        val stream = shouldThrow<DeviceException> {
            readerOf({ error("cannot close") }) { throw DeviceException(61, "no more tape") }.asFlow().collect()
        }
        stream.message shouldBe "no more tape"
        stream.suppressed.single().message shouldBe "cannot close"
        val collector = shouldThrow<IllegalStateException> { closing(3).asFlow().collect { error("mine") } }
        collector.message shouldBe "mine"
        collector.suppressed.single().message shouldBe "cannot close"
        shouldThrow<IllegalStateException> { closing(3).asFlow().collect() }.message shouldBe "cannot close"
    }

    test(
        "an exception of the reader's close is thrown when the collector stops early or throws a CancellationException",
    ) {
        fun closing() = readerOf(3) { error("cannot close") }.asFlow()
        shouldThrow<IllegalStateException> { closing().take(1).collect() }.message shouldBe "cannot close"
        shouldThrow<IllegalStateException> { closing().map { it.id }.first() }.message shouldBe "cannot close"
        shouldThrow<IllegalStateException> { closing().collect { throw CancellationException("mine") } }
            .message shouldBe "cannot close"
    }

    test("an exception of the reader's close is suppressed in the cancellation of the collector") {
        coroutineScope {
            val ended = CompletableDeferred<Throwable?>()
            launch {
                val job = currentCoroutineContext().job
                readerOf(3) { error("cannot close") }.asFlow().onCompletion { ended.complete(it) }.collect {
                    job.cancel()
                    awaitCancellation()
                }
            }.join()
            val cancellation = ended.await()
            (cancellation is CancellationException) shouldBe true
            cancellation?.suppressed?.map { it.message } shouldBe listOf("cannot close")
        }
    }

    test("an array that is retained before `first` belongs to the caller") {
        readerOf(3).asFlow().map { it.retain() }.first().use { it.id shouldBe 0 }
    }
})

class ReaderFlowPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("asFlow reads the C peer's stream with its nulls") {
        val ids = mutableListOf<Long>()
        peerReader(batches = 4, rows = 10).asFlow().collect { batch ->
            val names = batch["name"].strings()
            val id = batch["id"].longs()
            for (row in id.indices) {
                ids += id[row]
                names.getOrNull(row) shouldBe if (id[row] % 7 == 6L) null else "row-${id[row]}"
            }
        }
        ids shouldContainExactly (0L until 40).toList()
        PeerStreams.calls(StreamCall.RELEASE) shouldBe 1
    }

    test("asFlow throws the C peer's error, even without a text") {
        val flow = peerReader(3, flavours = setOf(Flavour.FAIL, Flavour.TEXT_NULL), at = 1, code = 5).asFlow()
        shouldThrow<DeviceException> { flow.collect() }.errno() shouldBe 5
    }

    test("a collector that is cancelled during a native call releases the stream and its array after the call") {
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                peerReader(3, flavours = setOf(Flavour.GATE), at = 1).asFlow().collect()
            }
            eventually("a thread is at the gate, or the job has ended") { CPeer.waitingAtGate != 0L || !job.isActive }
            job.cancel()
            PeerStreams.calls(StreamCall.RELEASE) shouldBe 0
            CPeer.openGate()
            job.join()
        }
        PeerStreams.calls(StreamCall.RELEASE) shouldBe 1
    }
})

/** Creates a reader that takes its arrays from [pull] and calls [ask] when it is cancelled. */
private fun source(ask: () -> Unit, pull: () -> RecordBatch?): RecordBatchReader = RecordBatchReader.of(
    IDS,
    object : DeviceArrayReader.Source<RecordBatch> {
        override fun next(): RecordBatch? = pull()

        override fun cancel() = ask()
    },
)

/** Waits as native code does, which interrupts do not end. */
private fun CountDownLatch.awaitDeaf() {
    var interrupted = false
    while (true) {
        try {
            await()
            break
        } catch (_: InterruptedException) {
            interrupted = true
        }
    }
    if (interrupted) Thread.currentThread().interrupt()
}
