// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.channelFlow
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onCompletion
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerConsumer.Quirk
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

private const val TIMES = 20
private val OTHER = Schema.of(Field.of("name", DataType.UTF8))

/** Batches that the flow emits and never closes, as code without any knowledge of ownership does. */
private class Natural {
    val made = CopyOnWriteArrayList<RecordBatch>()

    fun batch(): RecordBatch = batchOf(made.size.toLong()).also(made::add)
}

/**
 * Checks that each batch is closed or passed on. The handle of a passed batch is closed as well, so the resource
 * counters must also be checked.
 */
private fun Natural.shouldBeTaken() = made.forEach { withClue(made.indexOf(it)) { it.isOpen shouldBe false } }

/** Ways to make a batch with short suspensions. */
private val FORMS: Map<String, suspend (make: () -> RecordBatch) -> RecordBatch> = mapOf(
    "in withContext, after a suspension" to { make ->
        withContext(CoroutineName("named")) {
            yield()
            make()
        }
    },
    "on another dispatcher" to { make -> withContext(Dispatchers.IO) { make() } },
    "in async" to { make -> coroutineScope { async { make() }.await() } },
    "in a channelFlow" to { make -> channelFlow { send(make()) }.first() },
    "in withTimeout, after a suspension" to { make ->
        withTimeout(60.seconds) {
            yield()
            make()
        }
    },
    "before a suspension" to { make -> make().also { delay(1.milliseconds) } },
)

/** A sink owns each emitted batch, even if the emit fails. */
class FlowReaderSinkSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("asReader closes a batch that the flow makes while the reader is closed [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            val closed = CountDownLatch(1)
            val ended = CompletableFuture<Throwable?>()
            val reader = flow {
                emit(natural.batch())
                val next = natural.batch()
                closed.reached()
                emit(next)
                error("emit returned although the reader was closed")
            }.onCompletion { ended.complete(it) }.asReader(IDS)
            reader.next()?.close()
            eventually("the flow makes the second batch") { natural.made.size == 2 }
            reader.close()
            closed.countDown()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.shouldBeTaken()
        }
    }

    test("asReader closes a batch of a flow that ran in scopes and other contexts when the reader is closed [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            val closed = CountDownLatch(1)
            val ended = CompletableFuture<Throwable?>()
            val reader = flow {
                withContext(CoroutineName("named")) { yield() }
                withContext(Dispatchers.IO) { yield() }
                coroutineScope {
                    launch { yield() }
                    yield()
                    emit(natural.batch())
                    yield()
                    val next = natural.batch()
                    closed.reached()
                    emit(next)
                }
            }.onCompletion { ended.complete(it) }.asReader(IDS)
            reader.next()?.close()
            eventually("the flow makes the second batch") { natural.made.size == 2 }
            reader.close()
            closed.countDown()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.shouldBeTaken()
        }
    }

    for ((name, form) in FORMS)
        test("asReader closes a batch that the flow makes $name while the reader is closed [OWN-16]") {
            repeat(TIMES) {
                val natural = Natural()
                val making = CountDownLatch(1)
                val closed = CountDownLatch(1)
                val ended = CompletableFuture<Throwable?>()
                val reader = flow {
                    emit(natural.batch())
                    val next = form {
                        making.countDown()
                        natural.batch().also { closed.reached() }
                    }
                    emit(next)
                    error("emit returned although the reader was closed")
                }.onCompletion { ended.complete(it) }.asReader(IDS, context = Dispatchers.Default + HeldTime().clock)
                reader.next()?.close()
                making.reached()
                reader.close()
                closed.countDown()
                (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
                natural.shouldBeTaken()
            }
        }

    test(
        "closing the reader rejects a waiting emit immediately, and the batches in a `buffer` operator are lost " +
            "[OWN-16]",
    ) {
        repeat(TIMES) {
            val natural = Natural()
            val ended = CompletableFuture<Throwable?>()
            val reader = flow {
                repeat(4) { emit(natural.batch()) }
                awaitCancellation()
            }.buffer(2).onCompletion { ended.complete(it) }
                .asReader(IDS, context = Dispatchers.Default + HeldTime().clock)
            reader.next()?.close()
            eventually("one batch waits in emit, and the buffer holds two") {
                natural.made.map { it.isOpen } == listOf(false, false, true, true)
            }
            reader.close()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.made.count { it.isOpen } shouldBe 2
            natural.made.forEach { it.close() }
        }
    }

    test("asReader: a nested flow loses no batch, whichever reader is closed while it makes one [OWN-16]") {
        for (outer in listOf(true, false)) repeat(TIMES) {
            val natural = Natural()
            val closed = CountDownLatch(1)
            val ended = CompletableFuture<Throwable?>()
            val inner = CompletableFuture<RecordBatchReader>()
            val reader = flow {
                val context = currentCoroutineContext()
                val within = flow {
                    repeat(2) { emit(natural.batch()) }
                    val next = natural.batch()
                    closed.reached()
                    emit(next)
                }.onCompletion { ended.complete(it) }.asReader(IDS, context = context)
                inner.complete(within)
                within.asFlow().collect { emit(it) }
            }.asReader(IDS)
            reader.use {
                repeat(2) { reader.next()?.close() }
                eventually("the inner flow makes the third batch") { natural.made.size == 3 }
                if (outer) reader.close() else inner.get(5, TimeUnit.SECONDS).close()
                closed.countDown()
                val end = ended.get(5, TimeUnit.SECONDS)
                // the outer reader still takes and closes the batch
                if (!outer) (end is CancellationException) shouldBe true
            }
            eventually("all batches are closed") { natural.made.none { it.isOpen } }
        }
    }

    test("asReader rejects batches of another type, and closes them and all later batches [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            flow { repeat(5) { emit(natural.batch()) } }.asReader(OTHER).use { reader ->
                shouldThrow<DeviceException> { reader.next() }
            }
            eventually("all batches are closed") { natural.made.none { it.isOpen } }
        }
    }

    test("closing the reader cancels a suspended flow, and the flow may suspend while it ends") {
        val ended = CompletableFuture<Throwable?>()
        val reader = flow<RecordBatch> {
            try {
                lend(1)
                awaitCancellation()
            } finally {
                withContext(NonCancellable) { yield() }
                currentCoroutineContext().isActive shouldBe false
            }
        }.onCompletion { ended.complete(it) }.asReader(IDS)
        reader.next()?.close()
        reader.close()
        (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
    }

    test("closing the outer reader interrupts a pull of the inner reader on another dispatcher") {
        val time = HeldTime()
        val waits = CountDownLatch(1)
        val interrupted = CompletableFuture<Boolean>()
        val reader = readerOf {
            waits.countDown()
            interrupted.complete(runCatching { CountDownLatch(1).await() }.exceptionOrNull() is InterruptedException)
            null
        }.asFlow().asReader(IDS, context = Dispatchers.Default + time.clock)
        coroutineScope {
            val pull = launch(Dispatchers.IO) { runCatching { reader.next() } }
            waits.reached()
            reader.close()
            eventually("the pull is interrupted") {
                // repeats, because the grace period may begin after the first call
                time.pass(Upstream.GRACE)
                interrupted.isDone
            }
            interrupted.get(5, TimeUnit.SECONDS) shouldBe true
            pull.join()
        }
    }

    test("lendingFlow closes each batch after its emit, and a retained batch stays open [OWN-16]") {
        val natural = Natural()
        val kept = lendingFlow { repeat(3) { emit(natural.batch()) } }.map {
            natural.made.map(RecordBatch::isOpen) shouldContainExactly
                List(natural.made.size) { i -> i == natural.made.lastIndex }
            it.retain()
        }.toList()
        natural.shouldBeTaken()
        kept.map { it.id } shouldContainExactly listOf(0, 1, 2)
        kept.forEach(RecordBatch::close)
    }

    test("lendingFlow closes a batch that it emits after its scope is cancelled, with any collector [OWN-16]") {
        suspend fun collected(cancelled: Flow<RecordBatch>): Unit = coroutineScope {
            launch { cancelled.collect { error("the collector received a batch after the cancellation") } }.join()
        }
        repeat(TIMES) {
            val natural = Natural()
            suspend fun FlowCollector<RecordBatch>.cancelledEmit() {
                currentCoroutineContext().cancel()
                emit(natural.batch())
                error("emit returned although the scope was cancelled")
            }
            collected(lendingFlow { cancelledEmit() })
            lendingFlow { cancelledEmit() }.asReader(IDS, context = Dispatchers.Default + Job()).use { reader ->
                shouldThrow<DeviceException> { reader.next() }
            }
            natural.made.size shouldBe 2
            natural.shouldBeTaken()
        }
    }

    test("lendingFlow throws the collector's exception unchanged and closes the batch [OWN-16]") {
        val natural = Natural()
        val mine = IOException("full")
        shouldThrow<IOException> { lendingFlow { emit(natural.batch()) }.collect { throw mine } } shouldBe mine
        natural.shouldBeTaken()
    }

    test("lendingFlow rejects an emit outside its collector's context") {
        val natural = Natural()
        shouldThrow<IllegalStateException> {
            lendingFlow { withContext(Dispatchers.IO) { emit(natural.batch()) } }.collect()
        }
        natural.shouldBeTaken()
    }
})

/** Sinks with a native consumer. */
class FlowReaderSinkPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /**
     * Blocks the thread until the consumer has ended, and then for 5 ms, in which other threads may cancel the flow.
     */
    fun goneWhile(consumer: PeerConsumer) {
        consumer.join() shouldBe true
        val patience = System.nanoTime() + 5_000_000
        while (System.nanoTime() < patience) Thread.onSpinWait()
    }

    fun endings(name: String, vararg quirks: Quirk, code: Int = 0, schema: Schema = IDS, before: Int = 3) {
        test("produceTo closes a batch that the flow makes while the consumer $name [OWN-16]") {
            repeat(TIMES) {
                val natural = Natural()
                PeerConsumer(before + 1L, setOf(*quirks), at = before - 1L, code = code).use { consumer ->
                    val ending = runCatching {
                        flow {
                            repeat(before) { emit(natural.batch()) }
                            val next = natural.batch()
                            goneWhile(consumer)
                            emit(next)
                            while (true) emit(natural.batch()) // until the stream has ended
                        }.produceTo(consumer.handler, schema)
                    }
                    ending.exceptionOrNull()?.let { (it is DeviceException) shouldBe true }
                }
                natural.shouldBeTaken()
            }
        }
    }

    endings("cancels inside a callback after three batches", Quirk.CANCEL_INSIDE)
    endings("cancels outside callbacks after three batches", Quirk.CANCEL_OUTSIDE)
    endings("fails after two batches", Quirk.REFUSE_TASK, code = 5)
    endings("refuses the schema", Quirk.REFUSE_SCHEMA, code = 5, before = 0)
    endings("receives an error for a batch of another type", schema = OTHER, before = 1)

    for ((name, form) in FORMS)
        test("produceTo closes a batch that the flow makes $name while the consumer cancels [OWN-16]") {
            repeat(TIMES) {
                val natural = Natural()
                PeerConsumer(2, setOf(Quirk.CANCEL_OUTSIDE), at = 0).use { consumer ->
                    withContext(HeldTime().clock) {
                        flow {
                            emit(natural.batch())
                            emit(form { natural.batch().also { goneWhile(consumer) } })
                            while (true) emit(natural.batch()) // until the stream has ended
                        }.produceTo(consumer.handler, IDS)
                    }
                }
                natural.shouldBeTaken()
            }
        }

    test("produceTo closes an emitted batch without a request when the consumer cancels [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            PeerConsumer(1, setOf(Quirk.NO_DEMAND)).use { consumer ->
                withTimeout(5.seconds) {
                    // with this clock, only a wake-up by the sink ends the waiting emit
                    launch(Dispatchers.Default + HeldTime().clock) {
                        flow { repeat(3) { emit(natural.batch()) } }.produceTo(consumer.handler, IDS)
                    }
                    eventually("the consumer receives the schema") { consumer.results().schemas == 1L }
                    consumer.request(1)
                    eventually("the flow emits the second batch") { natural.made.size == 2 }
                    consumer.cancel()
                }
            }
            natural.shouldBeTaken()
        }
    }

    test("produceTo returns when the consumer cancels, even if the flow would never emit again") {
        PeerConsumer(1, setOf(Quirk.NO_DEMAND)).use { consumer ->
            withTimeout(5.seconds) {
                val producing = launch(Dispatchers.Default) {
                    flow {
                        lend(1)
                        awaitCancellation()
                    }.produceTo(consumer.handler, IDS)
                }
                eventually("the consumer receives the schema") { consumer.results().schemas == 1L }
                consumer.request(1)
                eventually("the consumer receives the batch") { consumer.results().tasks == 1L }
                consumer.cancel()
                producing.join()
                producing.isCancelled shouldBe false
            }
        }
    }

    test("produceTo loses no batch of a lendingFlow that is cancelled just before an emit [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            PeerConsumer(4).use { consumer ->
                coroutineScope {
                    launch {
                        val here = currentCoroutineContext()
                        lendingFlow {
                            emit(natural.batch())
                            here.cancel()
                            emit(natural.batch())
                        }.produceTo(consumer.handler, IDS)
                    }
                }
                consumer.join() shouldBe true
            }
            natural.made.size shouldBe 2
            natural.shouldBeTaken()
        }
    }

    test("produceTasksTo discards a task that the flow makes while the consumer cancels [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            PeerConsumer(4, setOf(Quirk.CANCEL_INSIDE), at = 2).use { consumer ->
                flow {
                    repeat(3) { emit(AsyncTask.of(natural.batch(), Metadata.empty())) }
                    val next = AsyncTask.of(natural.batch(), Metadata.empty())
                    goneWhile(consumer)
                    emit(next)
                }.produceTasksTo(consumer.handler, AsyncSchema(IDS, DeviceType.CPU, Metadata.empty()))
            }
        }
    }
})
