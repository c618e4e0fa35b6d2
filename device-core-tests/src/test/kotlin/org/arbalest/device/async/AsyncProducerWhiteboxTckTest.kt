// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import org.arbalest.device.RecordBatch
import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.support.Extracting
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.Flow

/**
 * The subscriber of [AsyncProducerBlackboxTckTest], with a consumer that requests and cancels when the TCK requires it.
 */
class AsyncProducerWhiteboxTckTest : FlowSubscriberWhiteboxVerification<RecordBatch>(AsyncStreams.environment()) {
    private val streams = AsyncStreams()

    override fun createFlowSubscriber(probe: WhiteboxSubscriberProbe<RecordBatch>): Flow.Subscriber<RecordBatch> {
        val consumer = Extracting(0)
        return Probed(streams.producer(consumer), consumer, probe)
    }

    override fun createElement(element: Int): RecordBatch = AsyncStreams.one()

    @AfterClass
    fun nothingIsLeft() = streams.finish()

    private class Probed(
        private val subscriber: Flow.Subscriber<RecordBatch>,
        private val consumer: Extracting,
        private val probe: WhiteboxSubscriberProbe<RecordBatch>,
    ) : Flow.Subscriber<RecordBatch>, SubscriberPuppet {
        private var introduced = false

        override fun onSubscribe(subscription: Flow.Subscription?) {
            subscriber.onSubscribe(subscription)
            if (introduced) return
            introduced = true
            probe.registerOnSubscribe(this)
        }

        override fun onNext(array: RecordBatch?) {
            subscriber.onNext(array)
            probe.registerOnNext(array)
        }

        override fun onError(t: Throwable?) {
            subscriber.onError(t)
            probe.registerOnError(t)
        }

        override fun onComplete() {
            subscriber.onComplete()
            probe.registerOnComplete()
        }

        override fun triggerRequest(n: Long) = consumer.subscription.request(n)

        override fun signalCancel() = consumer.subscription.cancel()
    }
}
