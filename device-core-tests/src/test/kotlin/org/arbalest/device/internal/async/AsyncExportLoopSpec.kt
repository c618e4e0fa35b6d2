// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.ArrowDeviceArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.released
import org.arbalest.device.types.Metadata
import java.lang.foreign.Arena
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionException
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.TimeUnit.SECONDS

/** The library's producer connected to the library's consumer through the C structs. */
class AsyncExportLoopSpec : FunSpec({
    extension(Balanced)

    val schema = batch(1).use { it.schema() }
    val described = AsyncSchema(schema, DeviceType.CPU, Metadata.of("rows", "many"))

    test("a discarded feed closes the array that it pulled ahead [ASY-28]") {
        val feed = ReaderFeed(RecordBatchReader.of(schema, listOf(batch(1), batch(1))))
        feed.pull()
        feed.stop()
        feed.discard()
    }

    fun loop(
        publisher: Flow.Publisher<RecordBatch>,
        executor: Executor = ForkJoinPool.commonPool(),
    ): Pair<AsyncArrayStream, CompletableFuture<Void>> {
        val produced = CompletableFuture<Void>()
        val arrays = CData.importAsyncStream(CImport.DEVICE) { handler ->
            CData.exportAsyncStream(AsyncProducer.of(described, publisher), handler, executor, CExport.DEVICE)
                .whenComplete { _, t ->
                    if (t == null) produced.complete(null) else produced.completeExceptionally(t)
                }
        }
        return arrays to produced
    }

    for ((name, executor) in mapOf(
        "a pool" to ForkJoinPool.commonPool(), "the caller's thread" to Executor { it.run() },
    )) {
        for (window in listOf(1L, 5L, 64L, Long.MAX_VALUE)) {
            test("a thousand arrays pass in requests of $window, with $name as the executor") {
                val (arrays, produced) = loop(Batches(1000), executor)
                val got = Collecting(window)
                arrays.subscribe(got)
                got.done.get(5, SECONDS)
                got.lengths shouldContainExactly List(1000) { (it % 7 + 1).toLong() }
                produced.get(5, SECONDS)
                arrays.released().toCompletableFuture().get(5, SECONDS)
                arrays.schema().toCompletableFuture().get().metadata() shouldBe Metadata.of("rows", "many")
            }
        }
    }

    test("an empty stream ends without demand") {
        val (arrays, produced) = loop(Batches(0))
        val got = Collecting(0)
        arrays.subscribe(got)
        got.done.get(5, SECONDS)
        got.lengths.shouldBeEmpty()
        produced.get(5, SECONDS)
    }

    test("an error arrives with its code, message and metadata") {
        val why =
            DeviceException(71, "no such table", null, Metadata.empty().with("k".toByteArray(), byteArrayOf(0, 1, 0)))
        val (arrays, produced) = loop(Batches(3, why))
        val got = Collecting(1)
        arrays.subscribe(got)
        val failed = shouldThrow<CompletionException> { got.done.join() }.cause as DeviceException
        failed.errno() shouldBe 71
        failed.message shouldBe "no such table"
        failed.metadata() shouldBe why.metadata()
        failed.cause shouldBeSameInstanceAs why
        got.lengths.size shouldBe 3
        shouldThrow<CompletionException> { produced.join() }.cause shouldBe why
    }

    test("closing an unused stream cancels its producer") {
        val (arrays, produced) = loop(Batches(1000))
        arrays.close()
        produced.get(5, SECONDS)
        arrays.released().toCompletableFuture().get(5, SECONDS)
    }

    test("a publisher that throws in request ends the stream with an error on both sides") {
        val rude = Flow.Publisher<RecordBatch> { subscriber ->
            subscriber.onSubscribe(object : Flow.Subscription {
                override fun request(n: Long) = error("do not ask")

                override fun cancel() = Unit
            })
        }
        val (arrays, produced) = loop(rude)
        val got = Collecting(1)
        arrays.subscribe(got)
        val failed = shouldThrow<CompletionException> { got.done.join() }.cause as DeviceException
        failed.message shouldBe "java.lang.IllegalStateException: do not ask"
        failed.cause.shouldBeInstanceOf<IllegalStateException>().message shouldBe "do not ask"
        shouldThrow<CompletionException> { produced.join() }
    }

    test("an exception keeps its type on its way through any number of C structs") {
        val why = NoSuchElementException()
        val first = RecordBatchReader.of(schema, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
            override fun next(): RecordBatch = throw why

            override fun close() = Unit
        })
        var reader = first
        Arena.ofConfined().use { arena ->
            for (isDeviceStream in listOf(false, true)) {
                val stream = arena.allocate(ArrowDeviceArrayStreamStruct.LAYOUT)
                if (isDeviceStream) CData.exportStream(reader, stream, CExport.DEVICE)
                else CData.exportStream(reader, stream, CExport.DATA)
                reader = if (isDeviceStream) CData.importStream(stream, CImport.DEVICE)
                else CData.importStream(stream, CImport.DATA)
            }
            val arrays = CData.importAsyncStream(CImport.DEVICE) {
                CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, ForkJoinPool.commonPool(),
                    CExport.DEVICE)
            }
            arrays.reader(1).use { back ->
                val failed = shouldThrow<DeviceException> { back.next() }
                failed.message shouldBe "java.util.NoSuchElementException"
                generateSequence<Throwable>(failed) { it.cause }.last() shouldBeSameInstanceAs why
            }
            arrays.released().toCompletableFuture().handle { _, _ -> }.get(5, SECONDS)
        }
    }

    test("a subscription that arrives after the cancellation is cancelled, too [ASY-28]") {
        val subscriber = CompletableFuture<Flow.Subscriber<in RecordBatch>>()
        val (arrays, produced) = loop({ subscriber.complete(it) })
        val late = subscriber.get(5, SECONDS)
        arrays.close()
        produced.get(5, SECONDS)
        var cancels = 0
        late.onSubscribe(object : Flow.Subscription {
            override fun request(n: Long) = error("requested after the end")

            override fun cancel() {
                cancels++
            }
        })
        cancels shouldBe 1
    }

    test("interrupting a thread that waits for the schema ends the stream") {
        val jobs = mutableListOf<Runnable>()
        val (arrays, produced) = loop(Batches(1)) { jobs += it } // run below, after the wait
        Thread.currentThread().interrupt()
        shouldThrow<DeviceException> { arrays.reader(1) }.errno() shouldBe org.arbalest.device.Errno.ECANCELED
        Thread.interrupted() shouldBe true
        while (jobs.isNotEmpty()) jobs.removeFirst().run()
        produced.get(5, SECONDS)
    }

    test("a pull stream passes through an async stream and back") {
        val reader = RecordBatchReader.of(schema, List(100) { batch(it + 1) })
        val arrays = CData.importAsyncStream(CImport.DEVICE) {
            CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, ForkJoinPool.commonPool(),
                CExport.DEVICE)
        }
        arrays.reader(4).use { back ->
            for (i in 1..100) back.next()!!.use { it.length() shouldBe i.toLong() }
            back.next().shouldBeNull()
        }
        arrays.released().toCompletableFuture().get(5, SECONDS)
    }
})

/**
 * A publisher of [count] batches of 1 to 7 rows. It signals them as they are requested, on the requesting thread, and
 * then the end or an error.
 */
internal class Batches(private val count: Int, private val failure: Throwable? = null) : Flow.Publisher<RecordBatch> {
    override fun subscribe(subscriber: Flow.Subscriber<in RecordBatch>) {
        subscriber.onSubscribe(object : Flow.Subscription {
            private var wanted = 0L
            private var sent = 0
            private var busy = false
            private var over = false

            override fun request(n: Long) {
                wanted += n
                if (busy) return
                busy = true
                while (!over && wanted > 0 && sent < count) {
                    wanted--
                    subscriber.onNext(batch(sent++ % 7 + 1))
                }
                end()
                busy = false
            }

            override fun cancel() {
                over = true
            }

            fun end() {
                if (over || sent < count) return
                over = true
                if (failure == null) subscriber.onComplete() else subscriber.onError(failure)
            }
        })
        if (count == 0) subscriber.onComplete()
    }
}

/** A subscriber that extracts each task where it is signalled, and requests [window] tasks at a time. */
internal class Collecting(private val window: Long) : Flow.Subscriber<AsyncTask> {
    val lengths = mutableListOf<Long>()
    val done = CompletableFuture<Unit>()
    private lateinit var subscription: Flow.Subscription
    private var got = 0L

    override fun onSubscribe(s: Flow.Subscription) {
        subscription = s
        if (window > 0) s.request(window)
    }

    override fun onNext(task: AsyncTask) {
        task.extract().use { lengths += it.length() }
        if (++got % window == 0L) subscription.request(window)
    }

    override fun onError(t: Throwable) {
        done.completeExceptionally(t)
    }

    override fun onComplete() {
        done.complete(Unit)
    }
}
