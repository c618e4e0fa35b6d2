// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.CancellationException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.Continuation
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.intrinsics.intercepted
import kotlin.coroutines.intrinsics.suspendCoroutineUninterceptedOrReturn
import kotlin.time.Duration.Companion.seconds

/** The elements that a lending flow owns until their emit. */
@OptIn(DelicateCoroutinesApi::class) // for CoroutineStart.ATOMIC
class LendingFlowSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("buffer lets the source run ahead by its capacity, and emits each element open and in order [OWN-16]") {
        val made = AtomicInteger()
        var at = 0
        val ahead = readerOf { if (at < 9) batchOf(at++.toLong()).also { made.incrementAndGet() } else null }
            .asFlow().buffer(2)
        val ids = mutableListOf<Long>()
        lateinit var last: RecordBatch
        withTimeout(5.seconds) {
            ahead.collect { batch ->
                // The elements of the collector, two in the buffer, and one that waits for space in the buffer.
                while (made.get() < minOf(9, batch.id.toInt() + 4)) yield()
                repeat(100) { yield() }
                made.get() shouldBe minOf(9, batch.id.toInt() + 4)
                ids += batch.id
                last = batch
            }
        }
        ids shouldContainExactly List(9) { it.toLong() }
        last.isOpen shouldBe false
    }

    for (capacity in listOf(0, 1, 64)) {
        test(
            "buffer($capacity) closes waiting elements and the reader when the collector stops early or throws " +
                "[OWN-16]",
        ) {
            var closed = 0
            fun batches() = readerOf(100, { closed++ }).asFlow().buffer(capacity)
            batches().map { it.id }.take(3).toList() shouldContainExactly listOf(0, 1, 2)
            shouldThrow<IOException> { batches().collect { throw IOException("full") } }.message shouldBe "full"
            closed shouldBe 2
        }

        test("buffer($capacity) closes waiting elements and the reader when the collection is cancelled [OWN-16]") {
            var closed = false
            coroutineScope {
                val collecting = CompletableDeferred<Unit>()
                val collection = launch {
                    readerOf(100, { closed = true }).asFlow().buffer(capacity).collect {
                        collecting.complete(Unit)
                        awaitCancellation()
                    }
                }
                collecting.await()
                collection.cancelAndJoin()
            }
            closed shouldBe true
        }
    }

    for (capacity in listOf(0, 2)) {
        test(
            "buffer($capacity) throws the reader's close error to a collector that stopped early, and suppresses it " +
                "in the collector's exception",
        ) {
            fun reader(): RecordBatchReader {
                var at = 0L
                return readerOf({ throw IllegalStateException("the tape is stuck") }) { batchOf(at++) }
            }
            // Pulls on this thread, so that no pull is in progress when the collector stops.
            shouldThrow<IllegalStateException> {
                reader().asFlow(Dispatchers.Unconfined).buffer(capacity).map { it.id }.take(1).toList()
            }.message shouldBe "the tape is stuck"
            val full = shouldThrow<IOException> {
                reader().asFlow(Dispatchers.Unconfined).buffer(capacity).collect { throw IOException("full") }
            }
            full.message shouldBe "full"
            // The coroutine library may throw a copy with the stack of the collecting coroutine. Its cause is the
            // original exception.
            generateSequence<Throwable>(full) {
                it.cause
            }.flatMap { it.suppressed.toList() }.map { it.message }.toList() shouldContainExactly
                listOf("the tape is stuck")
        }
    }

    test(
        "a buffered reader that is closed during a pull closes its source after the pull, and the collector keeps " +
            "its results [STR-11]",
    ) {
        val pulling = CountDownLatch(1)
        val closed = CountDownLatch(1)
        val closings = AtomicInteger()
        var at = 0L
        val reader = RecordBatchReader.of(IDS, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch? {
                if (at == 0L) return batchOf(at++)
                pulling.countDown()
                while (closed.count > 0) {
                    try {
                        closed.await()
                    } catch (_: InterruptedException) {
                        // native code cannot be interrupted
                    }
                }
                return null
            }

            override fun cancel() = closed.countDown()

            override fun close() {
                closings.incrementAndGet()
                error("the tape is stuck")
            }
        })
        val ids = reader.asFlow().buffer().map {
            pulling.await()
            it.id
        }
        ids.take(1).toList() shouldContainExactly listOf(0)
        closings.get() shouldBe 1
    }

    test("buffer throws the exception that the source throws after the collector stopped") {
        val source = lendingFlow {
            try {
                repeat(10) { emit(batchOf(it.toLong())) }
            } finally {
                throw IOException("the tape is torn")
            }
        }
        shouldThrow<IOException> { source.buffer(2).map { it.id }.take(1).toList() }.message shouldBe "the tape is torn"
    }

    test("buffer throws an error of the source after the earlier elements") {
        var at = 0L
        val ids = mutableListOf<Long>()
        val flow = readerOf { if (at < 3) batchOf(at++) else throw IOException("no more tape") }.asFlow().buffer()
        shouldThrow<DeviceException> { flow.collect { ids += it.id } }.message shouldContain "no more tape"
        ids shouldContainExactly listOf(0, 1, 2)
    }

    test(
        "lendingFlow rejects and closes an emit from another coroutine while one waits, and the waiting emit " +
            "continues [OWN-16]",
    ) {
        val batches = List(2) { batchOf(it.toLong()) }
        val refused = CompletableDeferred<Unit>()
        val ids = mutableListOf<Long>()
        withTimeout(5.seconds) {
            lendingFlow {
                val collector = this
                val other = CoroutineScope(currentCoroutineContext()).launch {
                    shouldThrow<IllegalStateException> { collector.emit(batches[1]) }
                    batches[1].isOpen shouldBe false
                    refused.complete(Unit)
                }
                emit(batches[0])
                batches[0].isOpen shouldBe false
                other.join()
            }.collect {
                refused.await()
                it.isOpen shouldBe true
                ids += it.id
            }
        }
        ids shouldContainExactly listOf(0)
    }

    test("flowOn runs the operators before it in its context, and the operators after it in the collector's [OWN-16]") {
        Executors.newSingleThreadExecutor { Thread(it, "upstream") }.asCoroutineDispatcher().use { dispatcher ->
            val collector = Thread.currentThread()
            val makers = mutableSetOf<String>()
            val ids = mutableListOf<Long>()
            lendingFlow {
                repeat(5) {
                    makers += Thread.currentThread().name.substringBefore(" @")
                    emit(batchOf(it.toLong()))
                }
            }.flowOn(dispatcher).collect {
                Thread.currentThread() shouldBe collector
                ids += it.id
            }
            makers shouldBe setOf("upstream")
            ids shouldContainExactly List(5) { it.toLong() }
        }
    }

    test("flowOn with a dispatcher that was shut down, or with a job, throws and does not hang") {
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
        dispatcher.close()
        withTimeout(5.seconds) {
            shouldThrow<CancellationException> { lendingFlow { emit(batchOf(1)) }.flowOn(dispatcher).collect {} }
        }
        shouldThrow<IllegalArgumentException> { lendingFlow { emit(batchOf(1)) }.flowOn(Job()) }
        shouldThrow<IllegalArgumentException> { lendingFlow { emit(batchOf(1)) }.buffer(-3) }.message shouldBe
            "a buffer holds at least 0 elements, not -3"
    }

    test("asTaskFlow().buffer() keeps waiting tasks extractable, and discards tasks that were not taken [OWN-16]") {
        for (taken in listOf(20, 5)) {
            withTimeout(5.seconds) {
                coroutineScope {
                    val schema = AsyncSchema(IDS, DeviceType.CPU, Metadata.empty())
                    val tasks = lendingTaskFlow {
                        repeat(20) { emit(AsyncTask.of(batchOf(it.toLong()), Metadata.empty())) }
                    }
                    val stream = CData.importAsyncStream(CImport.DEVICE) { handler ->
                        launch(Dispatchers.Default) { tasks.buffer(3).produceTasksTo(handler, schema) }
                    }
                    val ids = stream.asTaskFlow(4).buffer(4).map { task -> task.extract().use { it.id } }
                        .take(taken).toList()
                    ids shouldContainExactly List(taken) { it.toLong() }
                }
            }
        }
    }

    // With a kept continuation, a channel's `send` is cancelled in about one of 100,000 collections, if the first
    // context's job has completed (see ContinuationPerContext).
    for ((name, flow) in mapOf<String, LendingFlow<RecordBatch>.() -> Flow<RecordBatch>>(
        "lendingFlow" to { this },
        "onCompletion" to { onCompletion { emit(batchOf(2)) } },
        "retry" to {
            var attempts = 0
            onCompletion { if (it == null && attempts++ == 0) throw IOException() }.retry()
        },
        "rebatch" to { rebatch(1) },
        "map" to { map { it.retain() } },
    )) {
        test("$name emits from a scope and after it by different continuations [OWN-16]") {
            val emits = mutableListOf<Pair<CoroutineContext, Continuation<Unit>>>()
            withContext(Dispatchers.Default) {
                lendingFlow {
                    coroutineScope { emit(batchOf(0)) }
                    emit(batchOf(1))
                }.flow().collect(object : FlowCollector<RecordBatch> {
                    override suspend fun emit(value: RecordBatch): Unit = suspendCoroutineUninterceptedOrReturn {
                        value.close()
                        emits += Pair(it.context, it.intercepted())
                    }
                })
            }
            emits.distinctBy { (context) -> System.identityHashCode(context) }.size shouldBeGreaterThan 1
            for ((context, continuation) in emits) {
                (continuation.context === context) shouldBe true
                emits.all { (other, its) -> its !== continuation || other === context } shouldBe true
            }
        }
    }

    test("buffer and flowOn lose nothing in 300 collections that end at different moments on any thread [OWN-16]") {
        withTimeout(HANG) {
            repeat(300) { n ->
                coroutineScope {
                    val flow = readerOf(20).asFlow().buffer(n % 5).flowOn(Dispatchers.Default)
                    val collection = async(Dispatchers.Default, CoroutineStart.ATOMIC) {
                        flow.collect { repeat(n % 3) { yield() } }
                    }
                    repeat(n % 50) { yield() }
                    if (n % 4 != 0) collection.cancelAndJoin() else collection.await()
                }
            }
        }
    }
})

/** The time limit of a test that does much work. */
private val HANG = 60.seconds
