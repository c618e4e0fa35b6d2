// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.types.Metadata
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.Flow

/** The subscriber of [AsyncArrayStream.reader] against the Reactive Streams TCK, without a thread that pulls. */
class AsyncSourceTckTest : FlowSubscriberBlackboxVerification<AsyncTask>(AsyncStreams.environment()) {
    private val sources = ConcurrentLinkedQueue<AsyncSource>()

    override fun createFlowSubscriber(): Flow.Subscriber<AsyncTask> = AsyncSource(2).also { sources += it }

    override fun createElement(element: Int): AsyncTask = AsyncTask.of(AsyncStreams.one(), Metadata.empty())

    @AfterClass
    fun nothingIsLeft() {
        sources.forEach(AsyncSource::close)
        AsyncStreams.checkNothingIsLeft()
    }
}
