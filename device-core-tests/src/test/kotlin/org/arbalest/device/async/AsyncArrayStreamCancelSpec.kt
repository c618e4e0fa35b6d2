// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.support.AsyncCollector
import org.arbalest.device.support.connect
import org.arbalest.device.support.outcome
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerProducer
import org.arbalest.support.PeerProducer.Quirk.*
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CancellationException
import java.util.concurrent.Executors

/** The early or late end of imported async streams: nothing stays alive, and nothing is called twice. */
class AsyncArrayStreamCancelSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val elsewhere = Executors.newSingleThreadExecutor { Thread(it).apply { isDaemon = true } }
    afterSpec { elsewhere.shutdownNow() }

    test("the stream accepts and discards tasks that arrive after the cancellation [ASY-10, ASY-16]") {
        PeerProducer(100, 10, setOf(LATE, GATE_TASK, END_AFTER_CANCEL), at = 5, late = 7).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(20, onTask = { read(it) })
            arrays.subscribe(collector)
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            collector.subscription.cancel()
            CPeer.openGate()
            arrays.released().outcome().getOrThrow()
            producer.join()
            collector.ids.size shouldBe 5
            producer.results().let {
                it.discarded shouldBeIn listOf(7L, 8L)
                it.cancels shouldBe 1
                it.taskStatus shouldBe 0
            }
        }
    }

    test("many cancellations and requests from many threads call the producer's cancel once [ASY-07, ASY-08]") {
        PeerProducer(-1, 1, setOf(CANCEL_ONCE)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(3, elsewhere)
            arrays.subscribe(collector)
            eventually("the collector has 10 batches") { collector.ids.size >= 10 }
            List(4) {
                Thread.ofPlatform().start {
                    repeat(100) { collector.subscription.cancel(); collector.subscription.request(1) }
                }
            }.forEach { it.join() }
            arrays.close()
            arrays.released().outcome().getOrThrow()
            producer.join()
            producer.results().let {
                it.cancels shouldBe 1
                it.requestsCancelled shouldBe 0
            }
        }
    }

    test("the stream ignores the on_error that Arrow C++ sends after a cancellation [ASY-09]") {
        PeerProducer(-1, 1, setOf(ERROR_AFTER_CANCEL)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(3) { read(it); if (ids.size == 5) subscription.cancel() }
            arrays.subscribe(collector)
            arrays.released().outcome().getOrThrow()
            collector.done.isDone shouldBe false
            producer.join()
            producer.results().errors shouldBe 1
        }
    }

    test("a release without an end is normal after a cancellation [ASY-14]") {
        PeerProducer(-1, 1).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(3) { read(it); subscription.cancel() }
            arrays.subscribe(collector)
            arrays.released().outcome().getOrThrow()
            collector.done.isDone shouldBe false
        }
    }

    test("the stream discards unread tasks by NULL, or extracts them if NULL crashes the producer [ASY-16]") {
        for (quirks in listOf(emptySet(), setOf(NULL_CRASHES))) {
            PeerProducer(100, 10, quirks + GATE_END).use { producer ->
                val arrays = if (quirks.isEmpty()) producer.connect() else producer.connect(AsyncQuirk.NO_NULL_EXTRACT)
                val collector = AsyncCollector(0)
                arrays.subscribe(collector)
                collector.subscription.request(10)
                eventually("the producer has sent 11") { producer.results().sent >= 11 }
                arrays.close()
                CPeer.openGate()
                arrays.released().outcome().getOrThrow()
                collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<CancellationException>()
                producer.join()
                producer.results().let {
                    it.extracted shouldBe if (quirks.isEmpty()) 10 else 11
                    it.discarded shouldBe if (quirks.isEmpty()) 1 else 0
                    it.crashes + it.nullExtracts shouldBe 0
                }
                CPeer.shutGate()
            }
        }
    }

    test("requests and cancellations after the last signal do not reach the producer [ASY-20]") {
        for (quirks in listOf(setOf(GONE_BEFORE_RELEASE), setOf(GONE_BEFORE_RELEASE, ERROR))) {
            PeerProducer(3, 10, quirks + STRICT, at = 2, code = 5).use { producer ->
                val arrays = producer.connect()
                val collector = AsyncCollector()
                arrays.subscribe(collector)
                collector.done.outcome()
                collector.subscription.request(1)
                collector.subscription.cancel()
                arrays.close()
                producer.join()
                producer.results().let {
                    it.goneCalls shouldBe 0
                    it.cancels shouldBe 0
                }
            }
        }
    }

    test("no request of any thread reaches the producer after the stream has ended [ASY-22]") {
        repeat(200) {
            PeerProducer(7, 1, setOf(STRICT, GONE_BEFORE_RELEASE, REQUEST_QUEUE)).use { producer ->
                val arrays = producer.connect()
                val collector = AsyncCollector(3, elsewhere)
                arrays.subscribe(collector)
                collector.done.outcome().getOrThrow()
                producer.join()
                producer.results().let { (it.requestsEnded + it.goneCalls + it.crashes) shouldBe 0 }
            }
        }
    }

    for ((step, quirk) in mapOf(
        "before on_schema" to GATE_SCHEMA,
        "between tasks" to GATE_TASK,
        "before the end" to GATE_END,
        "after the end" to GATE_RELEASE,
    )) {
        for (how in listOf("cancel", "close", "close unsubscribed")) {
            test("$how $step leaves nothing alive and calls nothing twice [ASY-28]") {
                PeerProducer(10, 10, setOf(quirk, CANCEL_ONCE), at = 5).use { producer ->
                    val arrays = producer.connect()
                    val collector = AsyncCollector(20)
                    if (how != "close unsubscribed") arrays.subscribe(collector)
                    if (how != "close unsubscribed" || quirk == GATE_SCHEMA) eventually("a thread is at the gate") {
                        CPeer.waitingAtGate != 0L
                    }
                    if (how == "cancel") collector.subscription.cancel() else arrays.close()
                    CPeer.openGate()
                    arrays.released().outcome().getOrThrow()
                    producer.join()
                    producer.results().let {
                        it.released shouldBe 1
                        it.cancels shouldBe if (quirk == GATE_RELEASE && how != "close unsubscribed") 0 else 1
                    }
                }
                CPeer.shutGate()
            }
        }
    }
})
