// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncSchema
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Metadata
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.reactivestreams.tck.TestEnvironment
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.TimeUnit.SECONDS

/** The streams that a TCK class opens. The class may leave each of them in any state. */
internal class AsyncStreams {
    private val open = ConcurrentLinkedQueue<AsyncArrayStream>()
    private val ends = ConcurrentLinkedQueue<CompletableFuture<*>>()

    /** Connects the library's producer, which reads [source], to the library's consumer. */
    fun connect(
        source: Flow.Publisher<RecordBatch>,
    ): AsyncArrayStream = track(CData.importAsyncStream(CImport.DEVICE) { handler ->
        val produced =
            CData.exportAsyncStream(AsyncProducer.of(ones, source), handler, ForkJoinPool.commonPool(), CExport.DEVICE)
        ends += produced.toCompletableFuture()
    })

    /** Returns a stream that fails before its schema. */
    fun failed(): AsyncArrayStream = track(CData.importAsyncStream(CImport.DEVICE) {
        CData.exportAsyncStream(AsyncProducer.failed(IllegalStateException("this stream always fails")), it,
            Runnable::run, CExport.DEVICE)
    })

    /** Returns the subscriber of the library's producer, which feeds [consumer]. The test acts as the publisher. */
    fun producer(consumer: Extracting): Flow.Subscriber<RecordBatch> {
        val subscriber = CompletableFuture<Flow.Subscriber<in RecordBatch>>()
        connect { subscriber.complete(it) }.subscribe(consumer)
        @Suppress("UNCHECKED_CAST") // a subscriber of `in RecordBatch` accepts every RecordBatch
        return subscriber.get(5, SECONDS) as Flow.Subscriber<RecordBatch>
    }

    private fun track(arrays: AsyncArrayStream): AsyncArrayStream {
        open += arrays
        ends += arrays.released().toCompletableFuture()
        return arrays
    }

    /** Closes all streams, waits until they are released, and checks that no resources are left. */
    fun finish() {
        open.forEach(AsyncArrayStream::close)
        for (end in ends) end.handle { _, _ -> }.get(5, SECONDS)
        checkNothingIsLeft()
    }

    companion object {
        private val schema = one().use { it.schema() }
        private val ones = AsyncSchema(schema, DeviceType.CPU, Metadata.empty())

        fun one(): RecordBatch = BatchBuilder.of(Devices.cpu(), 1).use { it.int64("id", longArrayOf(1)).build() }

        fun checkNothingIsLeft() {
            eventually("no resources are left after the class") { Held.now().isZero }
        }

        /** Returns an environment that waits long for an expected signal, and briefly where no signal may arrive. */
        fun environment() = TestEnvironment(5000, 50, 10)
    }
}

/** A publisher of [count] arrays with one row, each created when it is requested. */
internal class Ones(private val count: Long) : Flow.Publisher<RecordBatch> {
    override fun subscribe(subscriber: Flow.Subscriber<in RecordBatch>) {
        subscriber.onSubscribe(object : Flow.Subscription {
            private var left = count
            private var wanted = 0L
            private var busy = false
            private var over = false

            override fun request(n: Long) {
                wanted += n
                if (busy) return
                busy = true
                while (!over && left > 0 && wanted > 0) {
                    wanted--
                    left--
                    subscriber.onNext(AsyncStreams.one())
                }
                busy = false
                if (over || left > 0) return
                over = true
                subscriber.onComplete()
            }

            override fun cancel() {
                over = true
            }
        })
        if (count == 0L) subscriber.onComplete()
    }
}

/** A consumer that extracts each task and closes the array. */
internal class Extracting(private val demand: Long) : Flow.Subscriber<AsyncTask> {
    private val subscribed = CompletableFuture<Flow.Subscription>()

    /**
     * The subscription. Reading it waits, because the producer may deliver it from another thread after `subscribe` has
     * returned.
     */
    val subscription: Flow.Subscription get() = subscribed.get(5, SECONDS)

    override fun onSubscribe(s: Flow.Subscription) {
        subscribed.complete(s)
        if (demand > 0) s.request(demand)
    }

    override fun onNext(task: AsyncTask) = task.extract().close()

    override fun onError(t: Throwable) = Unit

    override fun onComplete() = Unit
}
