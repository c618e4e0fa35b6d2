// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.abi.RawArrowAsyncTask
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.internal.array.ArrayRelease
import org.arbalest.device.support.ConsumerByHand
import org.arbalest.device.support.ProducerByHand
import org.arbalest.device.support.isReleased
import org.arbalest.device.support.soil
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CancellationException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.TimeUnit.SECONDS

/** Rules of the async stream that become visible only if the other side takes each step by hand. */
class AsyncHandlerByHandSpec : FunSpec({
    extension(ResourceCountersExtension)

    val type = ProducerByHand.one().use { AsyncSchema.of(it.schema(), DeviceType.CPU) }

    fun failure(stage: CompletionStage<*>): Throwable? =
        try {
            stage.toCompletableFuture().get(5, SECONDS)
            null
        } catch (e: ExecutionException) {
            e.cause
        } catch (e: CancellationException) {
            e
        }

    /** A publisher whose items the test signals itself. */
    class Given : Flow.Publisher<RecordBatch> {
        val subscriber = CompletableFuture<Flow.Subscriber<in RecordBatch>>()
        @Volatile var asked = 0L

        @Volatile var cancelled = 0
        var onRequest: () -> Unit = {}

        override fun subscribe(s: Flow.Subscriber<in RecordBatch>) {
            s.onSubscribe(object : Flow.Subscription {
                override fun request(n: Long) {
                    asked += n
                    onRequest()
                }

                override fun cancel() {
                    cancelled++
                }
            })
            subscriber.complete(s)
        }
    }

    /** A subscriber that records its signals. It requests [first] tasks at once, and passes each task to [onTask]. */
    class Noting(
        private val first: Long,
        private val onTask: Noting.(AsyncTask) -> Unit = { it.close() },
    ) : Flow.Subscriber<AsyncTask> {
        lateinit var subscription: Flow.Subscription
        val signals = mutableListOf<String>()

        override fun onSubscribe(s: Flow.Subscription) {
            subscription = s
            if (first > 0) s.request(first)
        }

        override fun onNext(task: AsyncTask) {
            signals += "task"
            onTask(task)
        }

        override fun onError(t: Throwable) {
            signals += "error ${t.message}"
        }

        override fun onComplete() {
            signals += "end"
        }
    }

    test("a pull stream's producer sends only as many tasks as were requested [ASY-06]") {
        ConsumerByHand().use { consumer ->
            val jobs = mutableListOf<Runnable>()
            fun run() {
                while (jobs.isNotEmpty()) jobs.removeFirst().run()
            }
            val reader = RecordBatchReader.of(type.schema(), List(5) { ProducerByHand.one() })
            val done = CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), consumer.handler,
                Executor { jobs += it }, CExport.DEVICE)
            run()
            consumer.tasks.size shouldBe 0
            consumer.request(2)
            run()
            consumer.tasks.size shouldBe 2
            consumer.request(1)
            run()
            consumer.tasks.size shouldBe 3
            consumer.cancel()
            run()
            repeat(3) { consumer.extract(it, null) shouldBe 0 }
            consumer.calls.last() shouldBe "release"
            failure(done) shouldBe null
        }
    }

    test("a producer ignores each request after a cancellation, also of less than one task [ASY-07]") {
        ConsumerByHand().use { consumer ->
            val jobs = mutableListOf<Runnable>()
            val done = CData.exportAsyncStream(AsyncProducer.of(type, Given()), consumer.handler,
                Executor { jobs += it }, CExport.DEVICE)
            consumer.cancel()
            consumer.request(0)
            consumer.request(5)
            while (jobs.isNotEmpty()) jobs.removeFirst().run()
            consumer.calls shouldContainExactly listOf("release")
            failure(done) shouldBe null
        }
    }

    // ---- ASY-17 ----

    test("a consumer marks the output as released before extract_data, whatever its memory held [ASY-17]") {
        var before = 0L
        ProducerByHand { _, out ->
            before = RawArrowArray.release(out)
            RawArrowArray.setRelease(out, 0)
            0
        }.use { producer ->
            val arrays = producer.connect()
            var failed: Throwable? = null
            arrays.subscribe(Noting(5) { task ->
                soil(RawArrowDeviceArray.SIZE + RawArrowAsyncTask.SIZE)
                failed = runCatching { task.extract() }.exceptionOrNull()
            })
            producer.schema() shouldBe 0
            producer.task(0) shouldBe 0
            before shouldBe 0
            failed.shouldBeInstanceOf<DeviceException>().message shouldContain "returned 0, but no array"
            producer.end()
            producer.release()
        }
    }

    test("a consumer that discards a task by extraction marks the output as released first [ASY-17]") {
        var before = -1L
        ProducerByHand { _, out ->
            before = RawArrowArray.release(out)
            RawArrowArray.setRelease(out, 0)
            0
        }.use { producer ->
            val arrays = producer.connect(AsyncQuirk.NO_NULL_EXTRACT)
            arrays.subscribe(Noting(5) { task ->
                soil(RawArrowDeviceArray.SIZE + RawArrowAsyncTask.SIZE)
                task.close()
            })
            producer.schema()
            producer.task(0)
            before shouldBe 0
            producer.end()
            producer.release()
        }
    }

    test("a producer marks the output as released if extract_data fails, whatever its memory held [ASY-17]") {
        ConsumerByHand().use { consumer ->
            val given = Given()
            val done = CData.exportAsyncStream(AsyncProducer.of(type, given), consumer.handler,
                ForkJoinPool.commonPool(), CExport.DEVICE)
            val subscriber = given.subscriber.get(5, SECONDS)
            consumer.request(2)
            eventually("2 arrays were requested") { given.asked >= 2 }
            subscriber.onNext(ProducerByHand.one())
            eventually("the consumer has a task") { consumer.tasks.isNotEmpty() }
            val out = consumer.dirty()
            consumer.extract(0, out) shouldBe 0
            consumer.isReleased(out) shouldBe false
            ArrayRelease.release(out.address())
            val second = consumer.dirty()
            consumer.extract(0, second) shouldNotBe 0 // the task was already extracted
            consumer.isReleased(second) shouldBe true
            subscriber.onComplete()
            consumer.awaitRelease()
            failure(done) shouldBe null
        }
    }

    // ---- ASY-18 ----

    test(
        "a consumer reports the producer's error after a failed extract_data, also if the subscriber cancelled " +
            "[ASY-18]",
    ) {
        ProducerByHand { _, _ -> Errno.EIO }.use { producer ->
            val arrays = producer.connect()
            val subscriber = Noting(5) { task ->
                runCatching { task.extract() }.exceptionOrNull().shouldBeInstanceOf<DeviceException>()
                    .errno() shouldBe Errno.EIO
                subscription.cancel()
            }
            arrays.subscribe(subscriber)
            producer.schema()
            producer.task(0)
            producer.error(Errno.EIO, "disk gone")
            producer.release()
            failure(arrays.released()).shouldBeInstanceOf<DeviceException>().message shouldBe "disk gone"
        }
    }

    test("a producer sends on_error after a failed extract_data, without more requests, and then release [ASY-18]") {
        val wrong = BatchBuilder.of(Devices.cpu(), 1).use {
            it.int64("id", longArrayOf(1)).float64("more", doubleArrayOf(1.0)).build()
        }
        val tasks = Flow.Publisher<AsyncTask> { subscriber ->
            subscriber.onSubscribe(object : Flow.Subscription {
                override fun request(n: Long) = subscriber.onNext(AsyncTask.of(wrong, Metadata.empty()))

                override fun cancel() = Unit
            })
        }
        ConsumerByHand().use { consumer ->
            val done = CData.exportAsyncStream(AsyncProducer.ofTasks(type, tasks), consumer.handler,
                ForkJoinPool.commonPool(), CExport.DEVICE)
            eventually("the consumer was called") { consumer.calls.isNotEmpty() }
            consumer.request(1)
            eventually("the consumer has a task") { consumer.tasks.isNotEmpty() }
            val out = consumer.dirty()
            consumer.extract(0, out) shouldBe Errno.EINVAL
            consumer.isReleased(out) shouldBe true
            consumer.awaitRelease()
            consumer.calls.map { it.substringBefore(" a stream") } shouldContainExactly
                listOf("on_schema", "task", "on_error ${Errno.EINVAL}", "release")
            failure(done).shouldBeInstanceOf<DeviceException>().message shouldContain "returned an array of"
        }
    }

    // ---- ASY-23 ----

    /** Returns how many requests of these sizes wait to be served, once [delivered] tasks have arrived. */
    fun waiting(requests: List<Long>, delivered: Int): Int {
        val starts = requests.runningFold(0L, Long::plus).dropLast(1)
        return starts.count { it > delivered }
    }

    test("a consumer has at most one request waiting behind the one that is served [ASY-23]") {
        for (burst in listOf(1, 7)) {
            ProducerByHand(ProducerByHand.GIVES).use { producer ->
                val arrays = producer.connect()
                arrays.subscribe(Noting(20) { task ->
                    task.extract().close()
                    repeat(burst) { subscription.request(1) }
                })
                producer.schema()
                for (i in 0 until 60) {
                    producer.task(i)
                    waiting(producer.requests, i + 1) shouldBeLessThanOrEqual 1
                }
                producer.end()
                producer.release()
            }
        }
    }

    test("a consumer sends requests from before the schema as one [ASY-23]") {
        ProducerByHand(ProducerByHand.GIVES).use { producer ->
            val arrays = producer.connect()
            val subscriber = Noting(0)
            arrays.subscribe(subscriber)
            repeat(100) { subscriber.subscription.request(1) }
            producer.schema()
            producer.requests.size shouldBeLessThanOrEqual 1
            producer.end()
            producer.release()
        }
    }

    test("a producer returns from request though its source blocks, inside a callback and outside [ASY-23]") {
        val pool = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
        val gate = java.util.concurrent.CountDownLatch(1)
        ConsumerByHand().use { consumer ->
            var count = 0
            val reader = RecordBatchReader.of(type.schema(), DeviceType.CPU) {
                if (count++ == 0) {
                    ProducerByHand.one()
                } else {
                    gate.await()
                    null
                }
            }
            consumer.inside = { if (it == "task") repeat(20) { consumer.request(1) } }
            val done = CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), consumer.handler, pool,
                CExport.DEVICE)
            eventually("the consumer was called") { consumer.calls.isNotEmpty() }
            pool.submit { repeat(20) { consumer.request(1) } }.get(5, SECONDS)
            eventually("the consumer has a task") { consumer.tasks.isNotEmpty() }
            pool.submit { repeat(20) { consumer.request(1) } }.get(5, SECONDS)
            consumer.extract(0, null) shouldBe 0
            gate.countDown()
            consumer.awaitRelease()
            failure(done) shouldBe null
        }
        pool.shutdown()
    }

    // ---- ASY-25 ----

    test("a consumer reports an error before on_schema to the schema, any subscriber and the release [ASY-25]") {
        for (late in listOf(false, true)) {
            ProducerByHand(ProducerByHand.GIVES).use { producer ->
                val arrays = producer.connect()
                val subscriber = Noting(1)
                if (!late) arrays.subscribe(subscriber)
                producer.error(Errno.ENOSYS, "no such device")
                producer.schema() shouldNotBe 0 // only release may follow
                producer.release()
                if (late) arrays.subscribe(subscriber)
                subscriber.signals shouldContainExactly listOf("error no such device")
                for (stage in listOf(arrays.schema(), arrays.released())) {
                    val why = failure(stage).shouldBeInstanceOf<DeviceException>()
                    why.errno() shouldBe Errno.ENOSYS
                    why.message shouldBe "no such device"
                }
                producer.requests.shouldBeEmpty()
                producer.cancels shouldBe 0
            }
        }
    }

    test("closing a consumer while its stream ends discards tasks with onError, never with onComplete [ASY-28]") {
        val threads = Executors.newFixedThreadPool(2)
        try {
            repeat(500) {
                ProducerByHand(ProducerByHand.GIVES).use { producer ->
                    val arrays = producer.connect()
                    val subscriber = Noting(0)
                    arrays.subscribe(subscriber)
                    producer.schema() shouldBe 0
                    producer.task(0) shouldBe 0 // not requested yet, so the consumer queues it
                    val start = CyclicBarrier(2)
                    val ending = threads.submit { start.await().also { producer.end() } }
                    val closing = threads.submit { start.await().also { arrays.close() } }
                    ending.get(5, SECONDS)
                    closing.get(5, SECONDS)
                    producer.release()
                    producer.extracts shouldContainExactly listOf(-1)
                    subscriber.signals.single() shouldContain "error"
                }
            }
        } finally {
            threads.shutdown()
        }
    }

    /** Checks that the consumer of a stream without a schema receives on_error and release, and nothing else. */
    fun receivesOnlyAnError(consumer: ConsumerByHand, text: String) {
        consumer.awaitRelease()
        consumer.calls.size shouldBe 2
        consumer.calls[0] shouldContain "on_error"
        consumer.calls[0] shouldContain text
        consumer.calls[1] shouldBe "release"
    }

    test("a producer whose schema cannot be exported sends on_error and release [ASY-25]") {
        val field = Field.of("c", DataType.INT8)
        val huge = AsyncSchema(Schema.of(List(1 shl 20) { field }), DeviceType.CPU, Metadata.empty())
        ConsumerByHand().use { consumer ->
            val done = CData.exportAsyncStream(AsyncProducer.of(huge, Given()), consumer.handler,
                ForkJoinPool.commonPool(), CExport.DEVICE)
            receivesOnlyAnError(consumer, "can be exported")
            failure(done).shouldBeInstanceOf<IllegalArgumentException>()
        }
    }

    test("a producer that cannot even begin sends on_error and release [ASY-25]") {
        val failing = object : AbstractSet<AsyncQuirk>() {
            override val size get() = error("no memory for the stream")

            override fun iterator() = error("no memory for the stream")

            override fun contains(element: AsyncQuirk): Boolean = error("no memory for the stream")
        }
        ConsumerByHand().use { consumer ->
            val reader = RecordBatchReader.of(type.schema(), listOf(ProducerByHand.one()))
            val done = AsyncExport.start(consumer.handler.address(), type, ReaderFeed(reader), { it.run() }, failing)
            receivesOnlyAnError(consumer, "no memory for the stream")
            failure(done).shouldBeInstanceOf<IllegalStateException>()
        }
    }

    test("a producer whose executor rejects its work sends on_error before the schema, and release [ASY-25]") {
        ConsumerByHand().use { consumer ->
            val done = CData.exportAsyncStream(AsyncProducer.of(type, Given()), consumer.handler,
                Executor { throw RejectedExecutionException("closed for the night") }, CExport.DEVICE)
            receivesOnlyAnError(consumer, "closed for the night")
            failure(done).shouldBeInstanceOf<DeviceException>()
        }
    }

    // ---- ASY-28 ----

    for (step in listOf(
        "before on_schema", "inside on_schema", "before a task", "inside a task", "with tasks queued", "before the end",
        "inside the end", "after the end", "after the release",
    )) {
        for (how in listOf("cancel", "close")) {
            test("after a consumer's $how $step, each task is extracted once, and no cancel follows the end [ASY-28]") {
                ProducerByHand(ProducerByHand.GIVES).use { producer ->
                    val arrays = producer.connect()
                    lateinit var subscription: Flow.Subscription
                    fun at(now: String) {
                        if (now == step) if (how == "cancel") subscription.cancel() else arrays.close()
                    }
                    arrays.subscribe(object : Flow.Subscriber<AsyncTask> {
                        override fun onSubscribe(s: Flow.Subscription) {
                            subscription = s
                            s.request(2)
                        }

                        override fun onNext(task: AsyncTask) {
                            at("inside a task")
                            task.extract().close()
                        }

                        override fun onError(t: Throwable) = at("inside the end")

                        override fun onComplete() = at("inside the end")
                    })
                    arrays.schema().thenAccept { at("inside on_schema") }
                    at("before on_schema")
                    producer.schema() shouldBe 0
                    at("before a task")
                    val asked = producer.requests.sum().coerceAtLeast(3)
                    for (i in 0 until asked.toInt()) {
                        producer.task(i) shouldBe 0 // late tasks are accepted, too
                        if (i == 2) at("with tasks queued")
                    }
                    at("before the end")
                    producer.end() shouldBe 0
                    val before = producer.cancels
                    at("after the end")
                    producer.release()
                    at("after the release")
                    arrays.close()
                    producer.cancels shouldBe before
                    before shouldBe if (step.startsWith("after") || step == "inside the end") 0 else 1
                    producer.extracts.map { if (it < 0) -it - 1 else it }.sorted() shouldContainExactly
                        (0 until asked.toInt()).toList()
                }
            }
        }
    }

    test("a consumer discards a task at which its subscriber throws, and cancels the producer once [ASY-28]") {
        ProducerByHand(ProducerByHand.GIVES).use { producer ->
            val arrays = producer.connect()
            arrays.subscribe(Noting(5) { error("the subscriber failed") })
            producer.schema()
            producer.task(0) shouldBe 0
            producer.task(1) shouldBe 0
            producer.extracts shouldContainExactly listOf(-1, -2)
            producer.cancels shouldBe 1
            producer.release()
        }
    }

    test("a closed reader discards a later task, and cancels a later subscription [ASY-28]") {
        val requests = mutableListOf<Long>()
        var cancels = 0
        val subscription = object : Flow.Subscription {
            override fun request(n: Long) {
                requests += n
            }

            override fun cancel() {
                cancels++
            }
        }
        AsyncSource(2).run {
            close()
            onSubscribe(subscription)
        }
        requests.shouldBeEmpty()
        cancels shouldBe 1
        AsyncSource(2).run {
            onSubscribe(subscription)
            onNext(AsyncTask.of(ProducerByHand.one(), Metadata.empty()))
            close()
            onNext(AsyncTask.of(ProducerByHand.one(), Metadata.empty()))
        }
    }

    test("a producer that is cancelled before on_schema only calls release [ASY-28]") {
        ConsumerByHand().use { consumer ->
            val jobs = mutableListOf<Runnable>()
            val done = CData.exportAsyncStream(AsyncProducer.of(type, Given()), consumer.handler,
                Executor { jobs += it }, CExport.DEVICE)
            consumer.cancel()
            while (jobs.isNotEmpty()) jobs.removeFirst().run()
            consumer.calls shouldContainExactly listOf("release")
            failure(done) shouldBe null
        }
    }

    test("a producer closes an array that its publisher sends after the consumer's cancellation [ASY-28]") {
        ConsumerByHand().use { consumer ->
            val given = Given()
            CData.exportAsyncStream(AsyncProducer.of(type, given), consumer.handler, ForkJoinPool.commonPool(),
                CExport.DEVICE)
            val subscriber = given.subscriber.get(5, SECONDS)
            consumer.request(2)
            eventually("2 arrays were requested") { given.asked >= 2 }
            consumer.cancel()
            consumer.awaitRelease()
            eventually("the publisher was cancelled") { given.cancelled != 0 }
            subscriber.onNext(ProducerByHand.one())
            given.cancelled shouldBe 1
            consumer.calls shouldContainExactly listOf("on_schema", "release")
        }
    }
})
