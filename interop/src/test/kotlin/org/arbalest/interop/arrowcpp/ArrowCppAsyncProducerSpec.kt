// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import org.arbalest.coroutines.asFlow
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.CompletionStage
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.ExecutionException
import java.util.concurrent.Flow
import java.util.concurrent.TimeUnit.SECONDS

private const val GONE = "disk gone"

/**
 * Tests Arrow C++'s async generator with our handler. If the generator is ready at every call, Arrow C++ frees its
 * producer struct before it reports the end.
 */
class ArrowCppAsyncProducerSpec : FunSpec({
    extension(ArrowCppBridge.needed)
    extension(ResourceCountersExtension)

    /**
     * Returns a producer that receives all batches and the end before its start. Therefore the starting thread makes
     * the callbacks, and the producer struct is freed before the last callback.
     */
    fun ready(batches: Int, fails: Boolean): CppProducer = CppProducer(Numbered.schema).apply {
        repeat(batches) { give(Numbered.batch(it)) }
        if (fails) fail(GONE) else end()
    }

    fun RecordBatchReader.drain(): List<List<Any?>> =
        generateSequence { next() }.map { it.use(Numbered::rows) }.toList()

    for (fails in listOf(false, true)) {
        val how = if (fails) "fails" else "ends"

        for (batches in listOf(0, 1, 2, 20)) {
            test("a ready generator that $how after $batches batches is read as a pull stream [ASY-29]") {
                for (prefetch in listOf(1, 5, 64)) {
                    ready(batches, fails).use { producer ->
                        val seen = mutableListOf<List<Any?>>()
                        val error = runCatching {
                            producer.connect().reader(prefetch).use { reader ->
                                generateSequence { reader.next() }.forEach { seen += it.use(Numbered::rows) }
                            }
                        }.exceptionOrNull()
                        error?.message shouldBe GONE.takeIf { fails }
                        seen shouldBe (0 until batches).map(Numbered::rows)
                        producer.outcome() shouldBe GONE.takeIf { fails }
                    }
                }
            }

            test("a ready generator that $how after $batches batches is collected as a flow [ASY-29]") {
                for (prefetch in listOf(1, 16)) {
                    ready(batches, fails).use { producer ->
                        val seen = mutableListOf<List<Any?>>()
                        val error = runCatching {
                            producer.connect().asFlow(prefetch).collect { seen += Numbered.rows(it) }
                        }.exceptionOrNull()
                        error?.message shouldBe GONE.takeIf { fails }
                        if (error == null) seen shouldBe (0 until batches).map(Numbered::rows)
                    }
                }
            }
        }

        test("the stream of a generator that $how at once is closed when its schema is known, or later [ASY-29]") {
            repeat(200) { round ->
                ready(0, fails).use { producer ->
                    val stream = producer.connect()
                    stream.schema().outcome()
                    if (round % 2 == 0) stream.released().outcome()
                    stream.close()
                    stream.released().outcome()
                }
            }
        }

        test("a generator that $how at once is released, and a later subscriber that requests gets the end [ASY-29]") {
            ready(0, fails).use { producer ->
                val stream = producer.connect()
                stream.released().outcome()
                val subscriber = Taker()
                stream.subscribe(subscriber)
                subscriber.subscription.request(5)
                subscriber.done.outcome().exceptionOrNull()?.message shouldBe GONE.takeIf { fails }
            }
        }

        test("a generator that $how at once is released, and a later subscriber cancels [ASY-29]") {
            ready(0, fails).use { producer ->
                val stream = producer.connect()
                stream.released().outcome()
                val subscriber = Taker()
                stream.subscribe(subscriber)
                subscriber.subscription.cancel()
                stream.close()
            }
        }

        test("a generator that $how at once is requested by one thread and cancelled by another [ASY-29]") {
            repeat(500) { round ->
                ready(round % 3, fails).use { producer ->
                    val stream = producer.connect()
                    val subscriber = Taker(close = round % 2 == 0)
                    stream.subscribe(subscriber)
                    val other = Thread.ofPlatform().start {
                        repeat(round % 50) { Thread.onSpinWait() }
                        subscriber.subscription.cancel()
                    }
                    subscriber.subscription.request(5)
                    other.join()
                    stream.released().outcome()
                    subscriber.kept.forEach(AsyncTask::close)
                }
            }
        }

        for (waiting in Waiting.entries) {
            test("a generator that $how while the consumer waits for it ends the pull stream, $waiting") {
                CppProducer(Numbered.schema, waiting).use { producer ->
                    val stream = producer.connect()
                    val reader = stream.reader(4)
                    producer.awaitAsked()
                    repeat(3) { producer.give(Numbered.batch(it)) }
                    repeat(3) { number -> reader.next()!!.use { Numbered.rows(it) } shouldBe Numbered.rows(number) }
                    producer.awaitAsked()
                    if (fails) producer.fail(GONE) else producer.end()
                    runCatching { reader.next() }.let {
                        it.exceptionOrNull()?.message shouldBe GONE.takeIf { fails }
                        it.getOrNull().shouldBeNull()
                    }
                    reader.close()
                }
            }

            test("a generator that $how without demand notifies a subscriber that requests later, $waiting [ASY-29]") {
                CppProducer(Numbered.schema, waiting).use { producer ->
                    val stream = producer.connect()
                    val subscriber = Taker()
                    stream.subscribe(subscriber)
                    producer.awaitAsked()
                    if (fails) producer.fail(GONE) else producer.end()
                    stream.released().outcome()
                    subscriber.subscription.request(1)
                    subscriber.done.outcome().exceptionOrNull()?.message shouldBe GONE.takeIf { fails }
                }
            }
        }
    }

    for (waiting in Waiting.entries) {
        test("a stream that is closed while it waits for its generator drops later batches, $waiting [ASY-10]") {
            CppProducer(Numbered.schema, waiting).use { producer ->
                val stream = producer.connect()
                val reader = stream.reader(4)
                producer.awaitAsked()
                producer.give(Numbered.batch(0))
                reader.next()!!.use { Numbered.rows(it) } shouldBe Numbered.rows(0)
                producer.awaitAsked()
                reader.close()
                producer.give(Numbered.batch(1))
                producer.end()
                stream.released().outcome().exceptionOrNull().shouldBeNull()
                producer.outcome() shouldBeIn listOf(null, "Consumer requested cancellation")
            }
        }

        test("a flow is cancelled while it waits for its generator, $waiting") {
            CppProducer(Numbered.schema, waiting).use { producer ->
                val seen = CompletableFuture<List<Any?>>()
                coroutineScope {
                    val collector = launch(Dispatchers.Default) {
                        producer.connect().use { stream ->
                            stream.asFlow().collect { seen.complete(Numbered.rows(it)) }
                        }
                    }
                    producer.give(Numbered.batch(0))
                    seen.get(5, SECONDS) shouldBe Numbered.rows(0)
                    producer.awaitAsked()
                    collector.cancel()
                    producer.give(Numbered.batch(1))
                    producer.end()
                    collector.join()
                }
            }
        }
    }

    test("a cancelled Arrow C++ stream ends without an error after its last batch, with on_error before it [ASY-09]") {
        for (batches in 1..3) {
            ready(batches, fails = false).use { producer ->
                var handler = MemorySegment.NULL
                val stream = CData.importAsyncStream(CImport.DEVICE, { handler = it })
                val subscriber = Taker(onTask = { it.extract().close(); subscription.cancel() })
                stream.subscribe(subscriber)
                subscriber.subscription.request(10)
                // The producer starts only now, so that the subscriber extracts the first task within the callback.
                producer.start(handler)
                stream.released().outcome().getOrThrow()
                producer.outcome() shouldBe "Consumer requested cancellation".takeIf { batches > 1 }
            }
        }
    }

    test("tasks outlive the stream, and the last one outlives the producer's struct, on other threads [ASY-16]") {
        repeat(50) { round ->
            ready(6, fails = round % 2 == 1).use { producer ->
                val stream = producer.connect()
                val subscriber = Taker()
                stream.subscribe(subscriber)
                subscriber.subscription.request(100)
                stream.released().outcome()
                subscriber.kept.size shouldBe 6
                subscriber.kept.mapIndexed { number, task ->
                    Thread.ofPlatform().start {
                        if (number % 3 == round % 3) task.close()
                        else task.extract().use { check(Numbered.rows(it) == Numbered.rows(number)) }
                        subscriber.subscription.request(1)
                    }
                }.forEach(Thread::join)
                subscriber.subscription.cancel()
            }
        }
    }

    test("a subscriber that requests exactly the number of tasks receives the end") {
        ready(4, fails = false).use { producer ->
            val subscriber = Taker(close = true)
            producer.connect().subscribe(subscriber)
            subscriber.subscription.request(4)
            subscriber.done.outcome().getOrThrow()
        }
    }

    test("four streams run at once, each on its own thread") {
        List(4) { number ->
            CompletableFuture.runAsync({
                repeat(20) {
                    ready(30, fails = false).use { producer ->
                        producer.connect().use { stream -> stream.reader(1 + number).use { it.drain() } } shouldBe
                            (0 until 30).map(Numbered::rows)
                    }
                }
            }, { Thread.ofPlatform().start(it) })
        }.forEach { it.get(HANG_SECONDS, SECONDS) }
    }
})

/** A subscriber that keeps its tasks, or runs [onTask] for each. It requests only by [subscription]. */
internal class Taker(
    private val close: Boolean = false,
    private val onTask: (Taker.(AsyncTask) -> Unit)? = null,
) : Flow.Subscriber<AsyncTask> {
    val kept = CopyOnWriteArrayList<AsyncTask>()
    val done = CompletableFuture<Unit>()
    private val subscribed = CompletableFuture<Flow.Subscription>()
    val subscription: Flow.Subscription get() = subscribed.get(5, SECONDS)

    override fun onSubscribe(subscription: Flow.Subscription) {
        subscribed.complete(subscription)
    }

    override fun onNext(task: AsyncTask) {
        when {
            onTask != null -> onTask.invoke(this, task)
            close -> task.close()
            else -> kept += task
        }
    }

    override fun onError(t: Throwable) {
        done.completeExceptionally(t)
    }

    override fun onComplete() {
        done.complete(Unit)
    }
}

/** Waits for a stage, and returns its result or the error that it fails with. */
internal fun <T> CompletionStage<T>.outcome(): Result<T> =
    try {
        Result.success(toCompletableFuture().get(5, SECONDS))
    } catch (e: CancellationException) {
        Result.failure(e)
    } catch (e: ExecutionException) {
        Result.failure(e.cause.let { if (it is CompletionException) it.cause!! else it!! })
    }

/** Limits a test that hangs. It is long, since the test does much work. */
private const val HANG_SECONDS = 60L
