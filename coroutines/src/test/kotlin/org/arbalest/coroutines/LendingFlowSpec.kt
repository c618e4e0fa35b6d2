// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
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
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
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
import kotlin.time.Duration.Companion.seconds

/** What a lending flow holds for its collector is its own until it is lent. */
@OptIn(DelicateCoroutinesApi::class) // ATOMIC
class LendingFlowSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("buffer: the source runs ahead by what the buffer holds, and each is lent in its turn, open [OWN-16]") {
        val made = AtomicInteger()
        var at = 0
        val ahead = readerOf { if (at < 9) batchOf(at++.toLong()).also { made.incrementAndGet() } else null }
            .asFlow().buffer(2)
        val ids = mutableListOf<Long>()
        lateinit var last: DeviceArray
        withTimeout(5.seconds) {
            ahead.collect { batch ->
                // With the collector, two in the buffer, and one that waits for a place.
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
        test("buffer($capacity): a collector that has enough, or throws, closes what waits and the reader [OWN-16]") {
            var closed = 0
            fun batches() = readerOf(100, { closed++ }).asFlow().buffer(capacity)
            batches().map { it.id }.take(3).toList() shouldContainExactly listOf(0, 1, 2)
            shouldThrow<IOException> { batches().collect { throw IOException("full") } }.message shouldBe "full"
            closed shouldBe 2
        }

        test("buffer($capacity): a cancelled collection closes what waits and the reader [OWN-16]") {
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
            "buffer($capacity): what closing the reader throws is thrown where the collector had enough, and added " +
                "to what it threw",
        ) {
            fun reader(): DeviceArrayReader {
                var at = 0L
                return readerOf({ throw IllegalStateException("the tape is stuck") }) { batchOf(at++) }
            }
            // Pulled in this thread, so that no pull is under way when the collector has enough.
            shouldThrow<IllegalStateException> {
                reader().asFlow(Dispatchers.Unconfined).buffer(capacity).map { it.id }.take(1).toList()
            }.message shouldBe "the tape is stuck"
            val full = shouldThrow<IOException> {
                reader().asFlow(Dispatchers.Unconfined).buffer(capacity).collect { throw IOException("full") }
            }
            full.message shouldBe "full"
            // The library may throw a copy, with the stack of whoever collects, whose cause is the one that was thrown.
            generateSequence<Throwable>(full) {
                it.cause
            }.flatMap { it.suppressed.toList() }.map { it.message }.toList() shouldContainExactly
                listOf("the tape is stuck")
        }
    }

    test(
        "buffer: a reader that is closed while a pull is under way closes its source behind that; what this throws " +
            "the log says, and the collector has what it has [STR-11]",
    ) {
        val pulling = CountDownLatch(1)
        val closed = CountDownLatch(1)
        val closings = AtomicInteger()
        var at = 0L
        val reader = DeviceArrayReader.of(IDS, DeviceType.CPU, object : DeviceArrayReader.Source {
            override fun next(): DeviceArray? {
                if (at == 0L) return batchOf(at++)
                pulling.countDown()
                while (closed.count > 0) {
                    try {
                        closed.await()
                    } catch (_: InterruptedException) {
                        // as C, which cannot be interrupted
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

    test("buffer: what the source throws when the collector has had enough is thrown, and not lost") {
        val source = lendingFlow {
            try {
                repeat(10) { emit(batchOf(it.toLong())) }
            } finally {
                throw IOException("the tape is torn")
            }
        }
        shouldThrow<IOException> { source.buffer(2).map { it.id }.take(1).toList() }.message shouldBe "the tape is torn"
    }

    test("buffer: an error of the source comes after what it made before") {
        var at = 0L
        val ids = mutableListOf<Long>()
        val flow = readerOf { if (at < 3) batchOf(at++) else throw IOException("no more tape") }.asFlow().buffer()
        shouldThrow<DeviceException> { flow.collect { ids += it.id } }.message shouldContain "no more tape"
        ids shouldContainExactly listOf(0, 1, 2)
    }

    test(
        "lendingFlow: an emit of another coroutine, while one waits, is refused and closed, and the one " +
            "goes on [OWN-16]",
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

    test("flowOn: what comes before runs in the context, what comes after in the collector's [OWN-16]") {
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

    test("flowOn: a context that was shut down, or that has a job, is an error and no hang") {
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
        dispatcher.close()
        withTimeout(5.seconds) {
            shouldThrow<CancellationException> { lendingFlow { emit(batchOf(1)) }.flowOn(dispatcher).collect {} }
        }
        shouldThrow<IllegalArgumentException> { lendingFlow { emit(batchOf(1)) }.flowOn(Job()) }
        shouldThrow<IllegalArgumentException> { lendingFlow { emit(batchOf(1)) }.buffer(-3) }.message shouldBe
            "a buffer holds at least 0 elements, not -3"
    }

    test(
        "asTaskFlow().buffer(): tasks that waited can be extracted, and those that nobody took are discarded [OWN-16]",
    ) {
        for (taken in listOf(20, 5)) {
            withTimeout(5.seconds) {
                coroutineScope {
                    val schema = AsyncSchema(IDS.asField(), DeviceType.CPU, Metadata.empty())
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

    test("buffer and flowOn: three hundred collections that end at any moment, on any threads, lose nothing [OWN-16]") {
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

/** Ends a test that hangs, though it does much work. */
private val HANG = 60.seconds
