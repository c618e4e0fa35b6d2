// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.arbalest.device.DeviceArray
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerConsumer.Quirk
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.Flow.Subscriber
import java.util.concurrent.Flow.Subscription
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference
import kotlin.time.Duration.Companion.seconds

private const val TIMES = 20

/** How a consumer's demand comes to a flow that is produced. */
class ProduceToSpec : FunSpec({
    extension(ResourceCountersExtension)

    test(
        "produceTo: what is asked for while the subscription is being told, and emitted at once, is passed on [OWN-16]",
    ) {
        coroutineScope {
            val upstream = Upstream.start(this) {}
            val supply = Supply(elsewhere = true, DeviceArray::move) { it }
            val taken = mutableListOf<Long>()
            val subscriber = object : Subscriber<DeviceArray> {
                override fun onSubscribe(subscription: Subscription) {
                    subscription.request(1)
                    runBlocking { supply.emit(batchOf(7), upstream) } // as the flow's own thread may, now
                }

                override fun onNext(item: DeviceArray) = item.use { taken += it.id }

                override fun onError(t: Throwable) = throw t

                override fun onComplete() = Unit
            }
            supply.subscribe(subscriber)
            taken shouldBe listOf(7L)
        }
    }

    test("an end that comes before the subscription was told is told after it, once") {
        for (elsewhere in listOf(true, false)) {
            val supply = Supply<DeviceArray>(elsewhere, DeviceArray::move) { it }
            val signals = mutableListOf<String>()
            val subscriber = object : Subscriber<DeviceArray> {
                override fun onSubscribe(subscription: Subscription) {
                    supply.end(null)
                    signals += "onSubscribe"
                }

                override fun onNext(item: DeviceArray) = item.close()

                override fun onError(t: Throwable) = throw t

                override fun onComplete() {
                    signals += "onComplete"
                }
            }
            supply.subscribe(subscriber)
            supply.end(null)
            signals shouldBe listOf("onSubscribe", "onComplete")
        }
    }
})

/** The same with C as consumer. */
class ProduceToPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test(
        "produceTo: a consumer's request does not run the flow, also where that goes on in the thread that " +
            "wakes it [ASY-04]",
    ) {
        repeat(TIMES) {
            PeerConsumer(1, setOf(Quirk.NO_DEMAND)).use { consumer ->
                val asking = AtomicReference<Thread?>()
                val inside = AtomicInteger()
                val emitted = AtomicInteger()
                withTimeout(5.seconds) {
                    launch(Dispatchers.Unconfined) {
                        flow {
                            repeat(4) {
                                emit(batchOf(it.toLong()))
                                if (Thread.currentThread() === asking.get()) inside.incrementAndGet()
                                emitted.incrementAndGet()
                            }
                        }.produceTo(consumer.handler, IDS)
                    }
                    eventually("the schema is there") { consumer.results().schemas == 1L }
                    for (i in 1..4) {
                        asking.set(Thread.currentThread())
                        consumer.request(1)
                        asking.set(null)
                        eventually("it is emitted") { emitted.get() == i }
                    }
                }
                inside.get() shouldBe 0
            }
        }
    }
})
