// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import org.arbalest.device.RecordBatch
import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.support.Extracting
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.Flow

/** The subscriber of [AsyncProducer.of] under the Reactive Streams TCK, with a consumer that requests everything. */
class AsyncProducerBlackboxTckTest : FlowSubscriberBlackboxVerification<RecordBatch>(AsyncStreams.environment()) {
    private val streams = AsyncStreams()

    override fun createFlowSubscriber(): Flow.Subscriber<RecordBatch> = streams.producer(Extracting(Long.MAX_VALUE))

    override fun createElement(element: Int): RecordBatch = AsyncStreams.one()

    @AfterClass
    fun nothingIsLeft() = streams.finish()
}
