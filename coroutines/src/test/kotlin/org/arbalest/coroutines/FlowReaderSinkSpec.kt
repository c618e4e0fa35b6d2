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
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
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

/** Batches that are emitted and not closed, as one writes it who knows nothing of ownership. */
private class Natural {
    val made = CopyOnWriteArrayList<DeviceArray>()

    fun batch(): DeviceArray = batchOf(made.size.toLong()).also(made::add)
}

/**
 * Whether all are closed or handed on; a handle that was taken over is closed, so this is the ledger's matter as well.
 */
private fun Natural.shouldBeTaken() = made.forEach { withClue(made.indexOf(it)) { it.isOpen shouldBe false } }

/** Ways to come to a batch by suspensions that are short. */
private val FORMS: Map<String, suspend (make: () -> DeviceArray) -> DeviceArray> = mapOf(
    "within a name, after a suspension" to { make ->
        withContext(CoroutineName("named")) {
            yield()
            make()
        }
    },
    "in another dispatcher" to { make -> withContext(Dispatchers.IO) { make() } },
    "by async" to { make -> coroutineScope { async { make() }.await() } },
    "in a channelFlow" to { make -> channelFlow { send(make()) }.first() },
    "within a time, after a suspension" to { make ->
        withTimeout(60.seconds) {
            yield()
            make()
        }
    },
    "before a suspension" to { make -> make().also { delay(1.milliseconds) } },
)

/** What is emitted into a sink is the sink's, whatever happens to the emit. */
class FlowReaderSinkSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("asReader: a batch that was being made when the reader was closed is closed [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            val closed = CountDownLatch(1)
            val ended = CompletableFuture<Throwable?>()
            val reader = flow {
                emit(natural.batch())
                val next = natural.batch()
                closed.reached()
                emit(next)
                error("nothing is taken any more")
            }.onCompletion { ended.complete(it) }.asReader(IDS)
            reader.next()?.close()
            eventually("the second is made") { natural.made.size == 2 }
            reader.close()
            closed.countDown()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.shouldBeTaken()
        }
    }

    test("asReader: that holds for flows within scopes and other contexts, after they were suspended [OWN-16]") {
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
            eventually("the second is made") { natural.made.size == 2 }
            reader.close()
            closed.countDown()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.shouldBeTaken()
        }
    }

    for ((name, form) in FORMS)
        test("asReader: a batch that was being made $name when the reader was closed is closed [OWN-16]") {
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
                    error("nothing is taken any more")
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
        "asReader: an emit that waits when the reader is closed is refused at once, and what a buffer holds is " +
            "lost [OWN-16]",
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
            eventually("the second waits, and two are held") {
                natural.made.map { it.isOpen } == listOf(false, false, true, true)
            }
            reader.close()
            (ended.get(5, TimeUnit.SECONDS) is CancellationException) shouldBe true
            natural.made.count { it.isOpen } shouldBe 2
            natural.made.forEach { it.close() }
        }
    }

    test("asReader: a flow within a flow: either may be stopped while it makes a batch [OWN-16]") {
        for (outer in listOf(true, false)) repeat(TIMES) {
            val natural = Natural()
            val closed = CountDownLatch(1)
            val ended = CompletableFuture<Throwable?>()
            val inner = CompletableFuture<DeviceArrayReader>()
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
                eventually("the third is made") { natural.made.size == 3 }
                if (outer) reader.close() else inner.get(5, TimeUnit.SECONDS).close()
                closed.countDown()
                val end = ended.get(5, TimeUnit.SECONDS)
                if (!outer) (end is CancellationException) shouldBe true // the other has a taker, who closes
            }
            eventually("all are taken") { natural.made.none { it.isOpen } }
        }
    }

    test("asReader: batches of another type are refused, and closed, also those that come after it [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            flow { repeat(5) { emit(natural.batch()) } }.asReader(OTHER).use { reader ->
                shouldThrow<DeviceException> { reader.next() }
            }
            eventually("all are closed") { natural.made.none { it.isOpen } }
        }
    }

    test("a flow that is suspended when it is stopped is cancelled, and may suspend while it ends") {
        val ended = CompletableFuture<Throwable?>()
        val reader = flow<DeviceArray> {
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

    test("a reader behind a flow that waits in another dispatcher is interrupted") {
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
            eventually("it is interrupted") {
                time.pass(Upstream.GRACE) // which begins when the pull has noticed, if that was about to begin
                interrupted.isDone
            }
            interrupted.get(5, TimeUnit.SECONDS) shouldBe true
            pull.join()
        }
    }

    test("lendingFlow: each is open during its emit and closed after it; what is retained stays [OWN-16]") {
        val natural = Natural()
        val kept = lendingFlow { repeat(3) { emit(natural.batch()) } }.map {
            natural.made.map(DeviceArray::isOpen) shouldContainExactly
                List(natural.made.size) { i -> i == natural.made.lastIndex }
            it.retain()
        }.toList()
        natural.shouldBeTaken()
        kept.map { it.id } shouldContainExactly listOf(0, 1, 2)
        kept.forEach(DeviceArray::close)
    }

    test(
        "lendingFlow: cancelled from outside on the point of emitting, the batch is closed, whoever collects [OWN-16]",
    ) {
        suspend fun collected(cancelled: Flow<DeviceArray>): Unit = coroutineScope {
            launch { cancelled.collect { error("not for the collector") } }.join()
        }
        repeat(TIMES) {
            val natural = Natural()
            suspend fun FlowCollector<DeviceArray>.cancelledEmit() {
                currentCoroutineContext().cancel()
                emit(natural.batch())
                error("it was cancelled")
            }
            collected(lendingFlow { cancelledEmit() })
            lendingFlow { cancelledEmit() }.asReader(IDS, context = Dispatchers.Default + Job()).use { reader ->
                shouldThrow<DeviceException> { reader.next() }
            }
            natural.made.size shouldBe 2
            natural.shouldBeTaken()
        }
    }

    test("lendingFlow: what the collector throws is thrown as it is, and the batch is closed [OWN-16]") {
        val natural = Natural()
        val mine = IOException("full")
        shouldThrow<IOException> { lendingFlow { emit(natural.batch()) }.collect { throw mine } } shouldBe mine
        natural.shouldBeTaken()
    }

    test("lendingFlow is a flow: it emits in its collector's context only") {
        val natural = Natural()
        shouldThrow<IllegalStateException> {
            lendingFlow { withContext(Dispatchers.IO) { emit(natural.batch()) } }.collect()
        }
        natural.shouldBeTaken()
    }
})

/** The same with C as consumer. */
class FlowReaderSinkPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /**
     * Stays where it is, and does not suspend, until the consumer has gone; then as long as whoever thought of
     * cancelling may need.
     */
    fun goneWhile(consumer: PeerConsumer) {
        consumer.join() shouldBe true
        val patience = System.nanoTime() + 5_000_000
        while (System.nanoTime() < patience) Thread.onSpinWait()
    }

    fun endings(name: String, vararg quirks: Quirk, code: Int = 0, schema: Schema = IDS, before: Int = 3) {
        test("produceTo: a batch that was being made when the consumer $name is closed [OWN-16]") {
            repeat(TIMES) {
                val natural = Natural()
                PeerConsumer(before + 1L, setOf(*quirks), at = before - 1L, code = code).use { consumer ->
                    val ending = runCatching {
                        flow {
                            repeat(before) { emit(natural.batch()) }
                            val next = natural.batch()
                            goneWhile(consumer)
                            emit(next)
                            while (true) emit(natural.batch()) // until the stream knows
                        }.produceTo(consumer.handler, schema)
                    }
                    ending.exceptionOrNull()?.let { (it is DeviceException) shouldBe true }
                }
                natural.shouldBeTaken()
            }
        }
    }

    endings("takes three and cancels inside", Quirk.CANCEL_INSIDE)
    endings("takes three and cancels", Quirk.CANCEL_OUTSIDE)
    endings("takes two and fails", Quirk.REFUSE_TASK, code = 5)
    endings("refuses the schema", Quirk.REFUSE_SCHEMA, code = 5, before = 0)
    endings("finds another type", schema = OTHER, before = 1)

    for ((name, form) in FORMS)
        test("produceTo: a batch that was being made $name when the consumer cancelled is closed [OWN-16]") {
            repeat(TIMES) {
                val natural = Natural()
                PeerConsumer(2, setOf(Quirk.CANCEL_OUTSIDE), at = 0).use { consumer ->
                    withContext(HeldTime().clock) {
                        flow {
                            emit(natural.batch())
                            emit(form { natural.batch().also { goneWhile(consumer) } })
                            while (true) emit(natural.batch()) // until the stream knows
                        }.produceTo(consumer.handler, IDS)
                    }
                }
                natural.shouldBeTaken()
            }
        }

    test("produceTo: a batch that nobody has asked for when the consumer cancels is closed [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            PeerConsumer(1, setOf(Quirk.NO_DEMAND)).use { consumer ->
                withTimeout(5.seconds) {
                    launch(Dispatchers.Default + HeldTime().clock) { // an emit that waits is woken at once
                        flow { repeat(3) { emit(natural.batch()) } }.produceTo(consumer.handler, IDS)
                    }
                    eventually("the schema is there") { consumer.results().schemas == 1L }
                    consumer.request(1)
                    eventually("the second is emitted") { natural.made.size == 2 }
                    consumer.cancel()
                }
            }
            natural.shouldBeTaken()
        }
    }

    test("produceTo returns when the consumer cancels, also where the flow would never emit again") {
        PeerConsumer(1, setOf(Quirk.NO_DEMAND)).use { consumer ->
            withTimeout(5.seconds) {
                val producing = launch(Dispatchers.Default) {
                    flow {
                        lend(1)
                        awaitCancellation()
                    }.produceTo(consumer.handler, IDS)
                }
                eventually("the schema is there") { consumer.results().schemas == 1L }
                consumer.request(1)
                eventually("the batch is there") { consumer.results().tasks == 1L }
                consumer.cancel()
                producing.join()
                producing.isCancelled shouldBe false
            }
        }
    }

    test("produceTo: a lendingFlow that is cancelled from outside on the point of emitting loses nothing [OWN-16]") {
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

    test("produceTasksTo: a task that was being made when the consumer cancelled is discarded [OWN-16]") {
        repeat(TIMES) {
            val natural = Natural()
            PeerConsumer(4, setOf(Quirk.CANCEL_INSIDE), at = 2).use { consumer ->
                flow {
                    repeat(3) { emit(AsyncTask.of(natural.batch(), Metadata.empty())) }
                    val next = AsyncTask.of(natural.batch(), Metadata.empty())
                    goneWhile(consumer)
                    emit(next)
                }.produceTasksTo(consumer.handler, AsyncSchema(IDS.asField(), DeviceType.CPU, Metadata.empty()))
            }
        }
    }
})
