// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.CancellationException
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration.Companion.seconds

/** Parallel workers of a lending flow, which own the elements that they process. */
@OptIn(DelicateCoroutinesApi::class) // for CoroutineStart.ATOMIC
class LendingFlowParallelSpec : FunSpec({
    extension(ResourceCountersExtension)

    test(
        "collectParallel runs the permitted number of workers in the context, and closes each element after its " +
            "worker [OWN-16]",
    ) {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        val meeting = List(3) { CompletableDeferred<Unit>() }
        val seen = ConcurrentLinkedQueue<Pair<Long, RecordBatch>>()
        withTimeout(5.seconds) {
            readerOf(9).asFlow().collectParallel(3) { batch ->
                most.accumulateAndGet(inside.incrementAndGet(), ::maxOf)
                // The first three workers wait for each other.
                if (batch.id < 3) {
                    meeting[batch.id.toInt()].complete(Unit)
                    meeting.forEach { it.await() }
                }
                Thread.currentThread().name shouldContain "DefaultDispatcher"
                seen += batch.id to batch
                inside.decrementAndGet()
            }
        }
        most.get() shouldBe 3
        seen.map { it.first } shouldContainExactlyInAnyOrder List(9) { it.toLong() }
        seen.none { it.second.isOpen } shouldBe true
    }

    test(
        "collectParallel ends all workers and closes everything when one worker throws while the buffer is full " +
            "[OWN-16]",
    ) {
        var closed = false
        val made = AtomicInteger()
        val working = CompletableDeferred<RecordBatch>()
        var at = 0L
        val reader = readerOf({ closed = true }) { batchOf(at++).also { made.incrementAndGet() } }
        withTimeout(5.seconds) {
            shouldThrow<IOException> {
                reader.asFlow().buffer(2).collectParallel(2) { batch ->
                    if (batch.id == 0L) {
                        working.complete(batch)
                        awaitCancellation()
                    }
                    working.await()
                    // Six elements: two in workers, one that waits for a worker, two in the buffer, and one that waits
                    // for space in the buffer.
                    while (made.get() < 6) yield()
                    throw IOException("the disk is full")
                }
            }.message shouldBe "the disk is full"
        }
        working.await().isOpen shouldBe false
        closed shouldBe true
    }

    test("cancelling collectParallel cancels its workers and closes their elements and the reader [OWN-16]") {
        var closed = false
        val held = List(2) { CompletableDeferred<RecordBatch>() }
        coroutineScope {
            val collection = launch {
                readerOf(100, { closed = true }).asFlow().collectParallel(2) { batch ->
                    held[batch.id.toInt()].complete(batch)
                    awaitCancellation()
                }
            }
            held.forEach { it.await().isOpen shouldBe true }
            collection.cancelAndJoin()
        }
        held.forEach { it.await().isOpen shouldBe false }
        closed shouldBe true
    }

    test("collectParallel throws the exception of the flow and cancels the workers [OWN-16]") {
        val held = List(2) { CompletableDeferred<RecordBatch>() }
        val flow = lendingFlow {
            repeat(2) { emit(batchOf(it.toLong())) }
            held.forEach { it.await() }
            throw IOException("the tape is torn")
        }
        withTimeout(5.seconds) {
            shouldThrow<IOException> {
                flow.collectParallel(2) { batch ->
                    held[batch.id.toInt()].complete(batch)
                    awaitCancellation()
                }
            }.message shouldBe "the tape is torn"
        }
        held.forEach { it.await().isOpen shouldBe false }
    }

    test("collectParallel throws a worker's own CancellationException, such as a timeout, as `collect` does") {
        val enough = CancellationException("enough")
        withTimeout(5.seconds) {
            val thrown = shouldThrow<CancellationException> {
                readerOf(100).asFlow().collectParallel(2) { throw enough }
            }
            generateSequence<Throwable>(thrown) { it.cause }.last() shouldBeSameInstanceAs enough
            shouldThrow<CancellationException> { readerOf(100).asFlow().mapParallel(2) { throw enough }.collect { } }
                .message shouldBe "enough"
        }
    }

    test("parallel operators reject a concurrency below one and a context with a job before the collection") {
        readerOf(2).use { reader ->
            for (concurrency in listOf(0, -1, Int.MIN_VALUE)) {
                val message = "concurrency is at least 1, not $concurrency"
                shouldThrow<IllegalArgumentException> { reader.asFlow().collectParallel(concurrency) { } }
                    .message shouldBe message
                shouldThrow<IllegalArgumentException> { reader.asFlow().mapParallel(concurrency) { } }
                    .message shouldBe message
            }
            shouldThrow<IllegalArgumentException> { reader.asFlow().collectParallel(1, Job()) { } }
                .message shouldContain "job"
            shouldThrow<IllegalArgumentException> { reader.asFlow().mapParallel(1, Job()) { } }
                .message shouldContain "job"
            reader.asFlow().map { it.id }.toList() shouldContainExactly listOf(0, 1)
        }
    }

    test(
        "parallel operators throw and close everything when the dispatcher is shut down, before or during the " +
            "collection [OWN-16]",
    ) {
        val dispatcher = Executors.newSingleThreadExecutor().asCoroutineDispatcher().also { it.close() }
        withTimeout(5.seconds) {
            shouldThrow<IllegalStateException> { readerOf(100).asFlow().collectParallel(2, dispatcher) { } }
                .message shouldContain "was shut down"
            shouldThrow<IllegalStateException> { readerOf(100).asFlow().mapParallel(2, dispatcher) { }.collect { } }
                .message shouldContain "was shut down"
            val closing = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
            shouldThrow<IllegalStateException> {
                readerOf(100).asFlow().collectParallel(2, closing) {
                    closing.close()
                    yield()
                }
            }.message shouldContain "was shut down"
        }
    }

    test("mapParallel keeps the order of the elements, whichever worker ends first [OWN-16]") {
        val ended = List(3) { CompletableDeferred<Unit>() }
        val order = ConcurrentLinkedQueue<Long>()
        val ids = withTimeout(5.seconds) {
            readerOf(3).asFlow().mapParallel(3) { batch ->
                ended.getOrNull(batch.id.toInt() + 1)?.await() // the last worker ends first
                order += batch.id
                batch.id.also { ended[it.toInt()].complete(Unit) }
            }.toList()
        }
        order.toList() shouldContainExactly listOf(2, 1, 0)
        ids shouldContainExactly listOf(0, 1, 2)
    }

    for (concurrency in listOf(1, 3)) {
        test("mapParallel($concurrency) keeps at most that many elements ahead of the collected one [OWN-16]") {
            val made = AtomicInteger()
            var at = 0L
            val reader = readerOf { if (at < 9) batchOf(at++).also { made.incrementAndGet() } else null }
            withTimeout(5.seconds) {
                // Besides the collected element and those in workers, one pulled element waits for a worker.
                reader.asFlow().mapParallel(concurrency, EmptyCoroutineContext) { it.id }.collect { id ->
                    val ahead = minOf(9, id.toInt() + 1 + concurrency)
                    while (made.get() < ahead) yield()
                    repeat(100) { yield() }
                    made.get() shouldBe ahead
                }
            }
        }
    }

    test("mapParallel closes waiting results when the collector stops early, throws or is cancelled [OWN-16]") {
        val results = ConcurrentLinkedQueue<RecordBatch>()
        val waiting = AtomicInteger()
        val scores = {
            readerOf(100).asFlow().mapParallel(3) { batch ->
                batchOf(batch.id + 100).also { results += it; waiting.incrementAndGet() }
            }
        }

        /** Waits until the workers have made more results than the collected one. */
        suspend fun another() {
            while (waiting.get() < 3) yield()
        }
        withTimeout(5.seconds) {
            val first = scores().map { result ->
                result.use {
                    another()
                    it.id
                }
            }
            first.take(1).toList() shouldContainExactly listOf(100)
            waiting.set(0)
            shouldThrow<IOException> {
                scores().collect { result ->
                    result.use {
                        another()
                        throw IOException("full")
                    }
                }
            }.message shouldBe "full"
            waiting.set(0)
            coroutineScope {
                val collecting = CompletableDeferred<Unit>()
                val collection = launch {
                    scores().collect { result ->
                        result.use {
                            another()
                            collecting.complete(Unit)
                            awaitCancellation()
                        }
                    }
                }
                collecting.await()
                collection.cancelAndJoin()
            }
        }
        results.none { it.isOpen } shouldBe true
    }

    test("mapParallel closes a result that a worker returns after its cancellation, as native code does [OWN-16]") {
        val made = ConcurrentLinkedQueue<RecordBatch>()
        val started = CompletableDeferred<Unit>()
        val results = readerOf(100).asFlow().mapParallel(2) { batch ->
            if (batch.id == 1L) {
                started.complete(Unit)
                shouldThrow<CancellationException> { awaitCancellation() }
            }
            batchOf(batch.id).also { made += it }
        }
        withTimeout(5.seconds) {
            val first = results.map { result ->
                result.use {
                    started.await()
                    it.id
                }
            }
            first.take(1).toList() shouldContainExactly listOf(0)
        }
        made.any { it.isOpen } shouldBe false
    }

    test("mapParallel ends with the error of an element's close, and does not lose the result [OWN-16]") {
        class Stuck : AutoCloseable {
            override fun close() = error("the tape is stuck")
        }
        val results = LendingFlow(flowOf(Stuck()), { it }).mapParallel(1) { batchOf(1) }
        shouldThrow<IllegalStateException> { results.collect { it.close() } }.message shouldBe "the tape is stuck"
    }

    test(
        "mapParallel ends immediately when a worker throws, even while a result is collected, and closes everything " +
            "[OWN-16]",
    ) {
        val collecting = CompletableDeferred<Unit>()
        withTimeout(5.seconds) {
            shouldThrow<IOException> {
                readerOf(100).asFlow().mapParallel(2) { batch ->
                    if (batch.id == 1L) {
                        collecting.await()
                        throw IOException("the disk is full")
                    }
                    batch.retain()
                }.collect { result ->
                    result.use {
                        collecting.complete(Unit)
                        awaitCancellation()
                    }
                }
            }.message shouldBe "the disk is full"
        }
    }

    test("mapParallel throws the exception of the flow after the results of the earlier elements") {
        var at = 0L
        val ids = mutableListOf<Long>()
        val flow = readerOf { if (at < 3) batchOf(at++) else throw IOException("no more tape") }.asFlow()
        shouldThrow<DeviceException> { flow.mapParallel(2) { it.id }.collect { ids += it } }.message shouldContain
            "no more tape"
        ids shouldContainExactly listOf(0, 1, 2)
    }

    test("a sink takes the arrays that mapParallel makes, and the rest is closed [OWN-16]") {
        readerOf(100).asFlow().mapParallel(3) { batchOf(it.id * 2) }.asReader(IDS).use { reader ->
            for (id in listOf(0L, 2L, 4L)) reader.next()!!.use { it.id shouldBe id }
        }
    }

    test("mapParallel accepts tasks and extracts some of them [OWN-16]") {
        val tasks = lendingTaskFlow { repeat(9) { emit(AsyncTask.of(batchOf(it.toLong()), Metadata.empty())) } }
        val ids = tasks.mapParallel(2) { task -> if (task.metadata().isEmpty()) task.extract().use { it.id } else -1 }
            .take(5).toList()
        ids shouldContainExactly List(5) { it.toLong() }
    }

    test(
        "collectParallel and mapParallel lose nothing in 300 collections that end at different moments on any thread " +
            "[OWN-16]",
    ) {
        withTimeout(HANG) {
            repeat(300) { n ->
                coroutineScope {
                    val flow = readerOf(20).asFlow()
                    val collection = async(Dispatchers.Default, CoroutineStart.ATOMIC) {
                        if (n % 2 == 0) flow.collectParallel(1 + n % 3) { repeat(n % 4) { yield() } }
                        else flow.mapParallel(1 + n % 3) { batchOf(it.id) }
                            .collect { result -> result.use { repeat(n % 4) { yield() } } }
                    }
                    repeat(n % 50) { yield() }
                    if (n % 5 != 0) collection.cancelAndJoin() else collection.await()
                }
            }
        }
    }
})

/** The time limit of a test that does much work. */
private val HANG = 60.seconds
