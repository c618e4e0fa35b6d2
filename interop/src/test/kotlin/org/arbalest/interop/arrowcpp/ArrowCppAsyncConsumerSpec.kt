// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.flow.flow
import org.arbalest.coroutines.produceTo
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncQuirk.DROPS_TASKS
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.interop.Batches
import org.arbalest.interop.EngineException
import org.arbalest.interop.Types
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.io.IOException
import java.util.concurrent.CompletableFuture
import java.util.concurrent.Executors
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.SubmissionPublisher
import java.util.concurrent.TimeUnit.SECONDS

/**
 * Tests our producer with Arrow C++'s handler. The handler requests more tasks while it drains its queue, even after
 * `release`, and never cancels.
 */
class ArrowCppAsyncConsumerSpec : FunSpec({
    extension(ArrowCppBridge.needed)
    extension(ResourceCountersExtension)

    val asyncSchema = AsyncSchema.of(Numbered.schema, DeviceType.CPU)
    val executor = Executors.newCachedThreadPool { Thread(it).apply { isDaemon = true } }
    afterSpec { executor.shutdownNow() }

    fun source(batches: Int, failure: Exception? = null) = object : DeviceArrayReader.Source<RecordBatch> {
        private var next = 0

        override fun next(): RecordBatch? = if (next < batches) Numbered.batch(next++) else failure?.let { throw it }
    }

    fun reader(batches: Int, failure: Exception? = null): RecordBatchReader =
        RecordBatchReader.of(Numbered.schema, DeviceType.CPU, source(batches, failure))

    /** Returns the rows of each batch until the end, and the error message of Arrow C++, or null. */
    fun CppConsumer.drain(): Pair<List<List<Any?>>, String?> {
        val seen = mutableListOf<List<Any?>>()
        val error = runCatching { generateSequence { next() }.forEach { seen += it.use(Numbered::rows) } }
            .exceptionOrNull()
        if (error != null && error !is EngineException) throw error
        return seen to error?.message
    }

    for (window in listOf(1L, 5L, 64L)) {
        for (batches in listOf(0, 1, 100)) {
            test("Arrow C++ receives $batches batches with a queue of $window") {
                CppConsumer(window).use { consumer ->
                    val produced = CData.exportAsyncStream(AsyncProducer.of(reader(batches), Metadata.empty()),
                        consumer.handler, executor, CExport.DEVICE)
                    consumer.schema shouldBe Numbered.schema
                    consumer.drain() shouldBe ((0 until batches).map(Numbered::rows) to null)
                    produced.outcome().getOrThrow()
                }
            }
        }
    }

    test("Arrow C++ extracts all batches after the producer has ended the stream [ASY-22]") {
        repeat(20) {
            CppConsumer(64).use { consumer ->
                CData.exportAsyncStream(AsyncProducer.of(reader(30), Metadata.empty()), consumer.handler, executor,
                    CExport.DEVICE).outcome().getOrThrow()
                consumer.drain() shouldBe ((0 until 30).map(Numbered::rows) to null)
            }
        }
    }

    test("Arrow C++ receives the batches of a flow") {
        CppConsumer(5).use { consumer ->
            val drained = CompletableFuture.supplyAsync({ consumer.drain() }, executor)
            flow { repeat(30) { emit(Numbered.batch(it)) } }.produceTo(consumer.handler, Numbered.schema)
            drained.get(5, SECONDS) shouldBe ((0 until 30).map(Numbered::rows) to null)
        }
    }

    for (batches in listOf(0, 1, 50)) {
        test("Arrow C++ reports a failure after $batches batches and drops the tasks that it had not extracted") {
            for (window in listOf(1L, 5L, 64L)) {
                CppConsumer(window).use { consumer ->
                    val produced = CData.exportAsyncStream(
                        AsyncProducer.of(reader(batches, IOException("disk gone")), Metadata.empty()),
                        consumer.handler,
                        executor,
                        CExport.DEVICE.quirks(DROPS_TASKS),
                    )
                    val (seen, error) = consumer.drain()
                    error!! shouldContain "disk gone"
                    seen shouldBe (0 until seen.size).map(Numbered::rows)
                    produced.outcome().isFailure shouldBe true
                }
            }
        }
    }

    test("Arrow C++ reports the error of a stream that fails before its schema [ASY-25]") {
        CppConsumer(5).use { consumer ->
            CData.exportAsyncStream(AsyncProducer.failed(IOException("no such table")), consumer.handler, Runnable::run,
                CExport.DEVICE)
            shouldThrow<EngineException> { consumer.schema }.message!! shouldContain "no such table"
        }
    }

    test("a failed extraction ends in on_error, for which Arrow C++ waits [ASY-18]") {
        CppConsumer(5).use { consumer ->
            val tasks = SubmissionPublisher<AsyncTask>(ForkJoinPool.commonPool(), 16)
            // This task comes from Arrow C++, and its array does not have the announced type.
            CppProducer(Numbered.schema).use { producer ->
                producer.give(Numbered.batch(0))
                val subscriber = Taker()
                producer.connect().also { it.subscribe(subscriber) }.let { stream ->
                    subscriber.subscription.request(2)
                    producer.end()
                    stream.released().outcome().getOrThrow()
                }
                val other = Schema.of(Numbered.schema.fields().take(1))
                val produced = CData.exportAsyncStream(
                    AsyncProducer.ofTasks(AsyncSchema.of(other, DeviceType.CPU), tasks),
                    consumer.handler,
                    executor,
                    CExport.DEVICE.quirks(DROPS_TASKS),
                )
                consumer.schema
                eventually("the publisher has a subscriber") { tasks.numberOfSubscribers != 0 }
                tasks.submit(subscriber.kept.single())
                shouldThrow<EngineException> { consumer.next() }
                produced.outcome().isFailure shouldBe true
                tasks.close()
            }
        }
    }

    test("a consumer that is closed after some batches drops the remaining tasks when the stream ends") {
        CppConsumer(2).let { consumer ->
            val produced = CData.exportAsyncStream(AsyncProducer.of(reader(10), Metadata.empty()), consumer.handler,
                executor, CExport.DEVICE.quirks(DROPS_TASKS))
            consumer.next()!!.use { Numbered.rows(it) } shouldBe Numbered.rows(0)
            consumer.drain().second shouldBe null
            consumer.close()
            produced.outcome().getOrThrow()
        }
    }

    test("tasks from Arrow C++ pass through the library to Arrow C++, and the last consumer extracts them") {
        CppProducer(Numbered.schema).use { producer ->
            repeat(40) { producer.give(Numbered.batch(it)) }
            producer.end()
            CppConsumer(5).use { consumer ->
                val produced = CData.exportAsyncStream(AsyncProducer.ofTasks(asyncSchema, producer.connect()),
                    consumer.handler, executor, CExport.DEVICE)
                consumer.drain() shouldBe ((0 until 40).map(Numbered::rows) to null)
                produced.outcome().getOrThrow()
            }
        }
    }

    for (type in Types.all) {
        test("batches of $type pass into Arrow C++'s handler and out of its generator") {
            CppConsumer(2).use { consumer ->
                val stream = Batches.stream(type) { if (it < 3) Batches.laid(type, 10 * it, 10) else null }
                CData.exportAsyncStream(AsyncProducer.of(stream, Metadata.empty()), consumer.handler, executor,
                    CExport.DEVICE)
                CppProducer(consumer.schema).use { producer ->
                    generateSequence { consumer.next() }.forEach(producer::give)
                    producer.end()
                    producer.connect().reader(2).use { Batches.read(it) shouldBe Batches.expected(type, 0 until 30) }
                }
            }
        }
    }

    test("four streams run at once, each on the threads of its own consumer") {
        List(4) { number ->
            CompletableFuture.runAsync({
                repeat(20) {
                    CppConsumer(1L + number).use { consumer ->
                        CData.exportAsyncStream(AsyncProducer.of(reader(30), Metadata.empty()), consumer.handler,
                            executor, CExport.DEVICE)
                        consumer.drain() shouldBe ((0 until 30).map(Numbered::rows) to null)
                    }
                }
            }, executor)
        }.forEach { it.get(HANG_SECONDS, SECONDS) }
    }
})

/** Limits a test that hangs. It is long, since the test does much work. */
private const val HANG_SECONDS = 60L
