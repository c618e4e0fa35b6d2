// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import java.util.concurrent.Flow

/** A publisher of [count] items, on the thread that requests them, followed by the end or an error. */
internal class Supplied<T>(
    private val count: Int, private val failure: Exception? = null, private val make: (Int) -> T,
) : Flow.Publisher<T> {
    @Volatile
    var sent = 0
        private set

    override fun subscribe(subscriber: Flow.Subscriber<in T>) {
        val subscription = object : Flow.Subscription {
            private var wanted = 0L
            private var busy = false
            private var over = false

            override fun request(n: Long) {
                wanted += n
                if (busy) return
                busy = true
                while (!over && wanted > 0 && sent < count) {
                    wanted--
                    subscriber.onNext(make(sent++))
                }
                busy = false
                end()
            }

            override fun cancel() {
                over = true
            }

            fun end() {
                if (over || sent < count) return
                over = true
                if (failure == null) subscriber.onComplete() else subscriber.onError(failure)
            }
        }
        subscriber.onSubscribe(subscription)
        subscription.end()
    }
}
