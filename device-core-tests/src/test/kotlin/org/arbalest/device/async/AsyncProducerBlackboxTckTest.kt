// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import org.arbalest.device.DeviceArray
import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.support.Extracting
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.Flow

/**
 * What [AsyncProducer.of] subscribes with against the Reactive Streams TCK; at the other end is a consumer that wants
 * all.
 */
class AsyncProducerBlackboxTckTest : FlowSubscriberBlackboxVerification<DeviceArray>(AsyncStreams.environment()) {
    private val streams = AsyncStreams()

    override fun createFlowSubscriber(): Flow.Subscriber<DeviceArray> = streams.producer(Extracting(Long.MAX_VALUE))

    override fun createElement(element: Int): DeviceArray = AsyncStreams.one()

    @AfterClass
    fun nothingIsLeft() = streams.finish()
}
