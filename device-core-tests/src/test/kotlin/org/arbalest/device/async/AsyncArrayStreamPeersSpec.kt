// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.support.AsyncCollector
import org.arbalest.device.support.Supplied
import org.arbalest.device.support.connect
import org.arbalest.device.support.outcome
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.Consumed
import org.arbalest.support.EveryType
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerProducer
import org.arbalest.support.Produced
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.util.concurrent.CompletionStage
import java.util.concurrent.Executors
import java.util.concurrent.ForkJoinPool
import org.arbalest.support.PeerConsumer.Quirk as Taking
import org.arbalest.support.PeerProducer.Quirk as Giving

/**
 * C peers that behave like the deployed peers Arrow C++ and arrow-go, each as producer and as consumer.
 *
 * The library must not break a rule in return. The peers report violations as usual, except those of their own
 * behaviour.
 */
class AsyncArrayStreamPeersSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val schema = AsyncSchema(Schema.of(listOf(Field.of("id", DataType.INT64))), DeviceType.CPU, Metadata.empty())
    val elsewhere = Executors.newSingleThreadExecutor { Thread(it).apply { isDaemon = true } }
    afterSpec { elsewhere.shutdownNow() }

    fun batch(first: Int): RecordBatch =
        BatchBuilder.of(Devices.cpu(), 10).use { batch ->
            batch.int64("id", LongArray(10) { 10L * first + it }).build()
        }

    val batches = (0 until 1000).map { b -> (b * 10L until (b + 1) * 10L).toList() }

    class Producer(val name: String, val quirks: Set<Giving>, val threaded: Boolean, vararg val allowed: AsyncQuirk)

    val producers = listOf(
        Producer("Arrow C++", PeerProducer.LIKE_ARROW_CPP, true, AsyncQuirk.PRODUCER_ENDS_EARLY),
        Producer("arrow-go", PeerProducer.LIKE_ARROW_GO, false, AsyncQuirk.NO_NULL_EXTRACT),
    )

    for (from in producers) {
        /** Consumes [count] batches of a peer like [from], and passes the peer's results to [look]. */
        fun take(
            count: Long,
            collector: AsyncCollector,
            vararg quirks: Giving,
            at: Long = 0,
            code: Int = 0,
            while_: (PeerProducer, AsyncArrayStream) -> Unit = { _, _ -> },
            look: (Produced) -> Unit,
        ) = PeerProducer(count, 10, from.quirks + quirks, at, code, message = "disk gone").use { producer ->
            val arrays = producer.connect(*from.allowed, threaded = from.threaded)
            arrays.subscribe(collector)
            while_(producer, arrays)
            arrays.released().outcome()
            producer.join() shouldBe true
            producer.results().let {
                it.goneCalls + it.crashes + it.nullExtracts + it.secondExtracts + it.badRequests +
                    it.blockedRequests shouldBe 0
                it.released shouldBe 1
                look(it)
            }
        }

        for (window in listOf(1L, 5L, 64L)) {
            test("a thousand batches of the ${from.name} producer arrive unchanged, $window at a time") {
                val collector = AsyncCollector(window, elsewhere)
                take(1000, collector) { it.ended shouldBe 1 }
                collector.done.outcome().getOrThrow()
                collector.ids shouldBe batches
            }
        }

        test("the ${from.name} producer ends the stream after exactly the available batches are requested") {
            val collector = AsyncCollector(0)
            take(7, collector, while_ = { _, arrays ->
                arrays.schema().outcome().getOrThrow()
                collector.subscription.request(7)
            }) { it.ended shouldBe 1 }
            collector.done.outcome().getOrThrow()
            collector.ids shouldBe batches.take(7)
        }

        test("a stream of the ${from.name} producer can be cancelled inside a task and from another thread") {
            for (executor in listOf(elsewhere, java.util.concurrent.Executor { it.run() })) {
                repeat(20) { round ->
                    val collector = AsyncCollector(16, executor) { task ->
                        if (ids.size == round) subscription.cancel()
                        if (task.isOpen) read(task)
                    }
                    take(1000, collector) { it.cancels shouldBe 1 }
                    collector.done.isDone shouldBe false
                }
            }
        }

        test("an error in the middle of the ${from.name} producer's stream reaches the subscriber") {
            val collector = AsyncCollector(5, elsewhere)
            take(100, collector, Giving.ERROR, at = 50, code = 5) { it.errors shouldBe 1 }
            collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>()
                .message shouldBe "disk gone"
        }

        test("a failed extraction from the ${from.name} producer fails the stream") {
            val collector = AsyncCollector(5, elsewhere)
            take(100, collector, Giving.EXTRACT_FAILS, at = 50, code = 5) {
                it.errors + it.cancels shouldBe (it.errors + it.cancels).coerceAtLeast(1)
            }
            collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>()
            collector.ids.take(50) shouldBe batches.take(50)
        }

        test("the stream rejects a malformed schema and malformed metadata of the ${from.name} producer") {
            for (quirk in listOf(Giving.BAD_SCHEMA, Giving.BAD_TASK_METADATA)) {
                val collector = AsyncCollector(5)
                take(10, collector, quirk, at = 3) { it.schemaStatus + it.taskStatus shouldBe Errno.EINVAL }
                collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>()
            }
        }

        test("an empty stream of the ${from.name} producer ends normally") {
            val collector = AsyncCollector(1)
            take(0, collector) { it.ended shouldBe 1 }
            collector.done.outcome().getOrThrow()
        }
    }

    for ((name, quirks) in mapOf(
        "Arrow C++" to PeerConsumer.LIKE_ARROW_CPP, "arrow-go" to PeerConsumer.LIKE_ARROW_GO,
    )) {
        /** Exports [count] batches to a peer like [name], and passes the peer's results to [look]. */
        fun give(
            count: Int,
            window: Long,
            vararg more: Taking,
            at: Long = 0,
            code: Int = 0,
            failure: Exception? = null,
            look: (Consumed, CompletionStage<Void>) -> Unit,
        ) = PeerConsumer(window, quirks + Taking.TOLERANT + more, at, code).use { consumer ->
            val produced = CData.exportAsyncStream(AsyncProducer.of(schema, Supplied(count, failure, ::batch)),
                consumer.handler, ForkJoinPool.commonPool(), CExport.DEVICE.quirks(AsyncQuirk.DROPS_TASKS))
            produced.outcome()
            consumer.join() shouldBe true
            consumer.results().let {
                it.releases shouldBe 1
                it.errorsCancelled + it.afterRefusal shouldBe 0
                look(it, produced)
            }
        }

        for (window in listOf(1L, 5L, 64L)) {
            test("the $name consumer receives a thousand batches unchanged, $window at a time") {
                give(1000, window) { seen, produced ->
                    produced.outcome().getOrThrow()
                    seen.rows shouldBe 10_000
                    seen.checksum shouldBe EveryType.checksum(BatchBuilder.of(Devices.cpu(), 10_000)
                        .use { b -> b.int64("id", LongArray(10_000) { it.toLong() }).build() })
                    seen.ends shouldBe 1
                }
            }
        }

        test("the $name consumer can cancel early") {
            for (how in listOf(Taking.CANCEL_SCHEMA, Taking.CANCEL_INSIDE, Taking.CANCEL_OUTSIDE)) {
                repeat(20) { round ->
                    give(1000, 16, how, at = round.toLong()) { seen, produced ->
                        produced.outcome().getOrThrow()
                        seen.errors shouldBe 0
                        seen.tasks shouldBeLessThan 1000
                    }
                }
            }
        }

        test("the $name consumer receives an error in the middle, and drops its queued tasks") {
            give(20, 64, failure = IOException("disk gone")) { seen, produced ->
                produced.outcome().exceptionOrNull().shouldBeInstanceOf<IOException>()
                seen.code shouldBe Errno.EIO
                seen.message!! shouldContain "disk gone"
            }
        }

        test("the $name consumer can reject a task") {
            give(100, 5, Taking.REFUSE_TASK, at = 50, code = Errno.ENOMEM) { seen, produced ->
                produced.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.ENOMEM
                seen.errors shouldBe 0
            }
        }

        test("the $name consumer can drain and request after the release") {
            repeat(20) {
                give(30, 40, Taking.EXTRACT_RELEASED) { seen, produced ->
                    produced.outcome().getOrThrow()
                    seen.rows shouldBe 300
                }
            }
        }

        test("the $name consumer receives the end of an empty stream") {
            give(0, 5) { seen, _ -> seen.ends shouldBe 1 }
        }
    }
})
