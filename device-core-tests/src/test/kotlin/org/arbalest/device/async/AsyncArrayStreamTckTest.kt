// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import org.arbalest.device.support.AsyncStreams
import org.arbalest.device.support.Ones
import org.reactivestreams.tck.flow.FlowPublisherVerification
import org.testng.annotations.AfterClass
import java.util.concurrent.Flow

/** The tasks of an async stream against the Reactive Streams TCK; by way of the C structs, from our producer. */
class AsyncArrayStreamTckTest : FlowPublisherVerification<AsyncTask>(AsyncStreams.environment()) {
    private val streams = AsyncStreams()

    override fun createFlowPublisher(elements: Long): Flow.Publisher<AsyncTask> =
        closing(streams.connect(Ones(elements)))

    override fun createFailedFlowPublisher(): Flow.Publisher<AsyncTask> = closing(streams.failed())

    @AfterClass
    fun nothingIsLeft() = streams.finish()

    private fun closing(tasks: AsyncArrayStream) =
        Flow.Publisher<AsyncTask> { to -> tasks.subscribe(if (to == null) nobody() else Closing(to)) }

    /** A null that Kotlin does not see: §1.9 is for the publisher to check. */
    @Suppress("UNCHECKED_CAST")
    private fun <T> nobody(): T = null as T

    /** Closes each task before it passes it on: the TCK knows of no resources. */
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
