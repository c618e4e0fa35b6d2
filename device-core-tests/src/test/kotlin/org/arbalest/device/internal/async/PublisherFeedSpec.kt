// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.WakingSubscription
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.support.ConsumerByHand
import org.arbalest.device.support.ProducerByHand
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executor
import java.util.concurrent.Flow

/** The path of a consumer's demand to a publisher, and of the publisher's arrays into the stream. */
class PublisherFeedSpec : FunSpec({
    extension(ResourceCountersExtension)

    val type = ProducerByHand.one().use { AsyncSchema.of(it.schema(), DeviceType.CPU) }

    /**
     * A stream whose signals the test sends, also inside the publisher's request, and whose executor runs on the test's
     * command.
     */
    class Stream(consumer: ConsumerByHand, wakes: Boolean, val onRequest: Stream.(Long) -> Unit = {}) {
        val jobs = mutableListOf<Runnable>()
        var asked = 0L
        lateinit var subscriber: Flow.Subscriber<in RecordBatch>
        val done: CompletableFuture<Void>

        init {
            val publisher = Flow.Publisher<RecordBatch> {
                subscriber = it
                it.onSubscribe(if (wakes) Waking() else Plain())
            }
            done = CData.exportAsyncStream(AsyncProducer.of(type, publisher), consumer.handler, Executor { jobs += it },
                CExport.DEVICE).toCompletableFuture()
            run()
        }

        fun run() {
            while (jobs.isNotEmpty()) jobs.removeFirst().run()
        }

        open inner class Plain : Flow.Subscription {
            override fun request(n: Long) {
                asked += n
                onRequest(n)
            }

            override fun cancel() = Unit
        }

        inner class Waking : Plain(), WakingSubscription
    }

    test("a producer requests from a waking publisher inside request, and from others on its executor [ASY-04]") {
        for (wakes in listOf(true, false)) {
            ConsumerByHand().use { consumer ->
                val stream = Stream(consumer, wakes)
                consumer.request(2)
                stream.asked shouldBe if (wakes) 2 else 0
                stream.jobs.size shouldBe if (wakes) 0 else 1
                stream.run()
                stream.asked shouldBe 2
                stream.subscriber.onComplete()
                consumer.calls.last() shouldBe "release"
                stream.done.get()
            }
        }
    }

    test("a producer passes on signals from inside request by its executor, or after the running callback [ASY-04]") {
        ConsumerByHand().use { consumer ->
            val stream = Stream(consumer, wakes = true) {
                subscriber.onNext(ProducerByHand.one())
                if (asked == 3L) subscriber.onComplete()
            }
            consumer.request(1)
            consumer.tasks.size shouldBe 0
            consumer.inside = {
                if (it == "task" && consumer.tasks.size == 1) {
                    consumer.request(1)
                    consumer.tasks.size shouldBe 1
                }
            }
            stream.run()
            consumer.tasks.size shouldBe 2
            consumer.request(1)
            consumer.tasks.size shouldBe 2
            stream.run()
            consumer.calls.takeLast(3) shouldBe listOf("task", "end", "release")
            repeat(3) { consumer.extract(it, null) shouldBe 0 }
            stream.done.get()
        }
    }

    test("an exception from a publisher's request ends the stream, also inside the consumer's request [ASY-04]") {
        for (wakes in listOf(true, false)) {
            ConsumerByHand().use { consumer ->
                val stream = Stream(consumer, wakes) { error("the publisher is out of order") }
                consumer.request(1)
                consumer.calls shouldBe listOf("on_schema")
                stream.run()
                consumer.calls.last() shouldBe "release"
                consumer.calls.single { it.startsWith("on_error") } shouldContain "the publisher is out of order"
                shouldThrow<ExecutionException> { stream.done.get() }
            }
        }
    }

    test("a producer queues arrays beyond the demand, and requests at most one window of them [ASY-06]") {
        ConsumerByHand().use { consumer ->
            val stream = Stream(consumer, wakes = true)
            consumer.request(1)
            repeat(3) { stream.subscriber.onNext(ProducerByHand.one()) }
            consumer.tasks.size shouldBe 1
            consumer.request(1)
            stream.run()
            consumer.tasks.size shouldBe 2
            consumer.request(100)
            stream.run()
            consumer.tasks.size shouldBe 3
            stream.asked shouldBe 2 + 64
            repeat(3) { consumer.extract(it, null) shouldBe 0 }
            stream.subscriber.onComplete()
            stream.done.get()
        }
    }

    test("a producer owns an array once it is signalled, and the array's handle is consumed [OWN-16]") {
        ConsumerByHand().use { consumer ->
            val stream = Stream(consumer, wakes = false)
            consumer.request(2)
            stream.run()
            ProducerByHand.one().use {
                stream.subscriber.onNext(it)
                it.isOpen shouldBe false
            }
            consumer.extract(0, null) shouldBe 0
            stream.subscriber.onNext(ProducerByHand.one().apply { close() })
            consumer.tasks.size shouldBe 1
            consumer.calls.single { it.startsWith("on_error") } shouldContain "the array was closed"
            val failure = try {
                stream.done.get()
            } catch (e: ExecutionException) {
                e.cause
            }
            failure.shouldBeInstanceOf<IllegalStateException>().message!! shouldContain "the array was closed: "
        }
    }
})
