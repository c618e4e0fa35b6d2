// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.support.Ones
import org.reactivestreams.tck.flow.FlowPublisherVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.Flow

/**
 * The tasks of an async stream under the Reactive Streams TCK. The library's own producer exports the stream as C
 * structs.
 */
class AsyncArrayStreamTckTest : FlowPublisherVerification<AsyncTask>(AsyncStreams.environment()) {
    private val streams = AsyncStreams()

    override fun createFlowPublisher(elements: Long): Flow.Publisher<AsyncTask> =
        closing(streams.connect(Ones(elements)))

    override fun createFailedFlowPublisher(): Flow.Publisher<AsyncTask> = closing(streams.failed())

    @AfterClass
    fun nothingIsLeft() = streams.finish()

    private fun closing(tasks: AsyncArrayStream) =
        Flow.Publisher<AsyncTask> { to -> tasks.subscribe(if (to == null) nobody() else Closing(to)) }

    /** Returns a null that Kotlin does not detect, because the publisher has to check it (§1.9). */
    @Suppress("UNCHECKED_CAST")
    private fun <T> nobody(): T = null as T

    /** A subscriber that closes each task before it passes the task on, because the TCK closes no resources. */
    private class Closing(private val to: Flow.Subscriber<in AsyncTask>) : Flow.Subscriber<AsyncTask> {
        override fun onSubscribe(subscription: Flow.Subscription) = to.onSubscribe(subscription)

        override fun onNext(task: AsyncTask) {
            task.close()
            to.onNext(task)
        }

        override fun onError(t: Throwable) = to.onError(t)

        override fun onComplete() = to.onComplete()
    }
}
