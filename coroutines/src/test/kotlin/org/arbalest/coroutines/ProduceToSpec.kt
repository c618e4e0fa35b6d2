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
import org.arbalest.device.RecordBatch
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

/** The path of a consumer's demand to the flow that produces for it. */
class ProduceToSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("produceTo passes on a batch that is requested and emitted inside onSubscribe [OWN-16]") {
        coroutineScope {
            val upstream = Upstream.start(this) {}
            val supply = Supply(elsewhere = true, RecordBatch::move) { it }
            val taken = mutableListOf<Long>()
            val subscriber = object : Subscriber<RecordBatch> {
                override fun onSubscribe(subscription: Subscription) {
                    subscription.request(1)
                    runBlocking { supply.emit(batchOf(7), upstream) } // the flow's thread may emit at this time
                }

                override fun onNext(item: RecordBatch) = item.use { taken += it.id }

                override fun onError(t: Throwable) = throw t

                override fun onComplete() = Unit
            }
            supply.subscribe(subscriber)
            taken shouldBe listOf(7L)
        }
    }

    test("the end of a flow during onSubscribe is signalled once, after onSubscribe returns") {
        for (elsewhere in listOf(true, false)) {
            val supply = Supply<RecordBatch>(elsewhere, RecordBatch::move) { it }
            val signals = mutableListOf<String>()
            val subscriber = object : Subscriber<RecordBatch> {
                override fun onSubscribe(subscription: Subscription) {
                    supply.end(null)
                    signals += "onSubscribe"
                }

                override fun onNext(item: RecordBatch) = item.close()

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

/** Demand from a native consumer. */
class ProduceToPeerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    test("a consumer's request does not run the flow, even if the flow resumes on the requesting thread [ASY-04]") {
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
                    eventually("the consumer receives the schema") { consumer.results().schemas == 1L }
                    for (i in 1..4) {
                        asking.set(Thread.currentThread())
                        consumer.request(1)
                        asking.set(null)
                        eventually("the flow emits the batch") { emitted.get() == i }
                    }
                }
                inside.get() shouldBe 0
            }
        }
    }
})
