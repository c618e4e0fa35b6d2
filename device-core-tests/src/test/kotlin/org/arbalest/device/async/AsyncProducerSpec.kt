// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowAsyncHandlerStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.Supplied
import org.arbalest.device.support.outcome
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.EveryType
import org.arbalest.support.PeerConsumer
import org.arbalest.support.PeerConsumer.Quirk
import org.arbalest.support.PeerConsumer.Quirk.*
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.CompletionStage
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import java.util.concurrent.ForkJoinPool
import java.util.concurrent.RejectedExecutionException

/** The library's async producer, with a C consumer that has its own threads. */
class AsyncProducerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val schema = Schema.of(listOf(Field.of("id", DataType.INT64)))
    val pool = ForkJoinPool.commonPool()
    val metadata = Metadata.empty().with("k".toByteArray(), byteArrayOf(0, 'x'.code.toByte(), 0))

    fun batch(first: Long, rows: Int = 10): RecordBatch =
        BatchBuilder.of(Devices.cpu(), rows).use { batch -> batch.int64("id", LongArray(rows) { first + it }).build() }

    /** Returns a reader of [count] batches of 10 rows, which then ends or fails with [failure]. */
    fun reader(count: Int, failure: Exception? = null): RecordBatchReader {
        var at = 0
        return RecordBatchReader.of(schema, DeviceType.CPU) {
            if (at < count) batch(10L * at++) else failure?.let { throw it }
        }
    }

    fun described(about: Metadata = Metadata.empty()) = AsyncSchema(schema, DeviceType.CPU, about)

    /** The ways to export one stream: from a reader or a publisher, on a pool or in the caller's thread. */
    val ways = mapOf<String, (MemorySegment, Int, Exception?) -> CompletionStage<Void>>(
        "a reader" to { handler, n, failure ->
            CData.exportAsyncStream(AsyncProducer.of(reader(n, failure), Metadata.empty()), handler, pool,
                CExport.DEVICE)
        },
        "a publisher" to { handler, n, failure ->
            CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(n, failure) { batch(10L * it) }), handler,
                pool, CExport.DEVICE)
        },
        "a publisher in the caller's thread" to { handler, n, failure ->
            CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(n, failure) { batch(10L * it) }), handler,
                Executor { it.run() }, CExport.DEVICE)
        },
    )

    fun consume(
        window: Long = 5,
        vararg quirks: Quirk,
        at: Long = 0,
        code: Int = 0,
        discardEvery: Long = 0,
        threads: Int = 1,
    ) =
        PeerConsumer(window, quirks.toSet(), at, code, discardEvery, threads)

    for ((way, produce) in ways) {
        for (window in listOf(1L, 5L, 64L)) {
            test("a consumer receives a thousand batches of $way, $window at a time [ASY-19]") {
                consume(window, CHECK_TAIL).use { consumer ->
                    produce(consumer.handler, 1000, null).outcome().getOrThrow()
                    consumer.join()
                    consumer.results().let {
                        it.rows shouldBe 10_000
                        it.checksum shouldBe EveryType.checksum(batch(0, 10_000))
                        it.ends shouldBe 1
                        it.releases shouldBe 1
                        it.typeDiffers + it.reservedDirty shouldBe 0
                    }
                }
            }
        }

        test("an empty stream of $way ends without demand [ASY-12]") {
            consume(0, NO_DEMAND).use { consumer ->
                produce(consumer.handler, 0, null).outcome().getOrThrow()
                consumer.results().let { it.ends shouldBe 1; it.requests shouldBe 0 }
            }
        }

        test("a stream of $way ends after its last batch without further demand [ASY-12]") {
            consume(0, NO_DEMAND).use { consumer ->
                val produced = produce(consumer.handler, 3, null)
                eventually("the consumer has the schema") { consumer.results().schemas != 0L }
                consumer.request(3)
                produced.outcome().getOrThrow()
                consumer.join()
                consumer.results().let { it.ends shouldBe 1; it.rows shouldBe 30 }
            }
        }

        test("an error in the middle of $way arrives after the batches before it [ASY-21]") {
            val why = IOException("disk gone", IllegalStateException("sector 7"))
            consume().use { consumer ->
                val failed = produce(consumer.handler, 4, why).outcome().exceptionOrNull()!!
                generateSequence(failed) { it.cause }.any { it === why } shouldBe true
                consumer.join()
                consumer.results().let {
                    it.rows shouldBe 40
                    it.code shouldBe Errno.EIO
                    it.message!! shouldContain "disk gone"
                    it.message shouldContain "sector 7"
                    it.ends shouldBe 0
                }
            }
        }

        for (quirk in listOf(CANCEL_SCHEMA, CANCEL_INSIDE, CANCEL_OUTSIDE)) {
            test(
                "a consumer of $way can cancel ($quirk) twice or from two threads, and request more " +
                    "[ASY-08, ASY-09, ASY-28]",
            ) {
                for (more in listOf(CANCEL_TWICE, CANCEL_RACE)) {
                    consume(5, quirk, more, REQUEST_CANCELLED, at = 7).use { consumer ->
                        produce(consumer.handler, 1000, null).outcome().getOrThrow()
                        consumer.join()
                        consumer.results().let {
                            it.errors shouldBe 0
                            it.releases shouldBe 1
                            it.tasks shouldBeLessThan 1000
                        }
                    }
                }
            }
        }

        test("a consumer of $way that rejects the schema, a task or the end receives only the release [ASY-11]") {
            for ((quirk, call) in mapOf(
                REFUSE_SCHEMA to "on_schema",
                REFUSE_TAKING to "on_schema",
                REFUSE_TASK to "on_next_task",
                REFUSE_END to "on_next_task",
            )) {
                val quirks = if (quirk == REFUSE_TAKING) arrayOf(REFUSE_SCHEMA, quirk) else arrayOf(quirk)
                consume(5, *quirks, at = 2, code = Errno.ENOMEM).use { consumer ->
                    val failed = produce(consumer.handler, 10, null).outcome().exceptionOrNull()
                        .shouldBeInstanceOf<DeviceException>()
                    failed.errno() shouldBe Errno.ENOMEM
                    failed.message shouldContain call
                    consumer.join()
                    consumer.results().let { it.errors + it.afterRefusal shouldBe 0; it.releases shouldBe 1 }
                }
            }
        }

        test("a consumer of $way that requests zero or fewer batches receives an error after its call [ASY-05]") {
            for (quirk in listOf(REQUEST_ZERO, REQUEST_NEGATIVE)) {
                consume(5, quirk, at = 3).use { consumer ->
                    val failed = produce(consumer.handler, 1000, null).outcome().exceptionOrNull()
                        .shouldBeInstanceOf<DeviceException>()
                    failed.errno() shouldBe Errno.EINVAL
                    consumer.join()
                    consumer.results().let {
                        it.code shouldBe Errno.EINVAL
                        it.message!! shouldContain if (quirk == REQUEST_ZERO) "request(0)" else "request(-1)"
                        it.errors shouldBe 1
                    }
                }
            }
        }
    }

    test(
        "on_schema comes first with a complete producer, and a schema that the consumer ignores is released " +
            "[ASY-01, ASY-02, ASY-03]",
    ) {
        consume(5, GATE_SCHEMA).use { consumer ->
            val produced = CData.exportAsyncStream(AsyncProducer.of(reader(3), Metadata.empty()), consumer.handler,
                pool, CExport.DEVICE)
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            consumer.results().let { it.schemas shouldBe 1; it.tasks shouldBe 0; it.deviceType shouldBe 1 }
            CPeer.openGate()
            produced.outcome().getOrThrow()
        }
        consume(5, LEAVE_SCHEMA).use {
            CData.exportAsyncStream(AsyncProducer.of(reader(3), Metadata.empty()), it.handler, pool, CExport.DEVICE)
                .outcome().getOrThrow()
        }
    }

    test("a consumer can request inside on_schema and on_next_task, and extract inside on_next_task [ASY-04]") {
        for (quirk in listOf(REQUEST_INSIDE, EXTRACT_INSIDE)) {
            consume(1, quirk).use { consumer ->
                CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(500) { batch(10L * it) }),
                    consumer.handler, Executor { it.run() }, CExport.DEVICE).outcome().getOrThrow()
                consumer.join()
                consumer.results().rows shouldBe 5000
            }
        }
    }

    test("demand adds up, one by one and beyond the maximum of a long [ASY-06]") {
        for (quirk in listOf(REQUEST_BURSTS, REQUEST_MAX)) {
            consume(64, quirk).use { consumer ->
                CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(1000) { batch(10L * it) }),
                    consumer.handler, pool, CExport.DEVICE).outcome().getOrThrow()
                consumer.join()
                consumer.results().rows shouldBe 10_000
            }
        }
    }

    test("the producer requests only a limited number of arrays ahead from a publisher, at any demand [ASY-06]") {
        consume(5, REQUEST_MAX, GATE_INSIDE, at = 10).use { consumer ->
            val supplied = Supplied(1000) { batch(10L * it) }
            val produced =
                CData.exportAsyncStream(AsyncProducer.of(described(), supplied), consumer.handler, pool, CExport.DEVICE)
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            supplied.sent shouldBeLessThanOrEqualTo 11 + 64
            CPeer.openGate()
            produced.outcome().getOrThrow()
        }
    }

    test("a consumer can discard tasks, and extract them out of order, on threads or after the release [ASY-16]") {
        for (quirks in listOf(setOf(), setOf(EXTRACT_NEWEST), setOf(EXTRACT_RELEASED))) {
            for (threads in listOf(1, 4)) {
                val window = if (EXTRACT_RELEASED in quirks) 1000L else 16L
                PeerConsumer(window, quirks, discardEvery = 3, threads = threads).use { consumer ->
                    CData.exportAsyncStream(AsyncProducer.of(reader(300), Metadata.empty()), consumer.handler, pool,
                        CExport.DEVICE).outcome().getOrThrow()
                    consumer.join()
                    consumer.results().let {
                        it.batches + it.discarded shouldBe 300
                        it.discarded shouldBeGreaterThan 90
                    }
                }
            }
        }
    }

    test("the second extraction of a task fails, and the first succeeds [ASY-16]") {
        consume(5, EXTRACT_TWICE, at = 2).use { consumer ->
            CData.exportAsyncStream(AsyncProducer.of(reader(10), Metadata.empty()), consumer.handler, pool,
                CExport.DEVICE).outcome().getOrThrow()
            consumer.join()
            consumer.results().rows shouldBe 100 // a second call that returned 0 would be a violation
        }
    }

    test("a failed extraction returns an errno, and the stream ends with on_error [ASY-18]") {
        val bad = Metadata.of("index", "2")
        consume(1).use { consumer ->
            val tasks = Supplied(10) {
                if (it == 2) AsyncTask.of(BatchBuilder.of(Devices.cpu(), 1).use { b ->
                    b.int64("wrong", longArrayOf(1)).float64("more", doubleArrayOf(1.0)).build()
                }, bad) else AsyncTask.of(batch(10L * it), Metadata.of("index", "$it"))
            }
            val failed = CData.exportAsyncStream(AsyncProducer.ofTasks(described(), tasks), consumer.handler, pool,
                CExport.DEVICE).outcome().exceptionOrNull()
            failed.shouldBeInstanceOf<DeviceException>().message shouldContain "returned an array of"
            consumer.join()
            consumer.results().let {
                it.extractCode shouldBe Errno.EINVAL
                it.code shouldBe Errno.EINVAL
                it.message!! shouldContain "returned an array of"
                it.errors shouldBe 1
            }
        }
    }

    test("an array of another type than the stream's fails the stream before its task is sent") {
        consume().use { consumer ->
            val failed = CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(1) {
                BatchBuilder.of(Devices.cpu(), 1).use { b ->
                    b.int64("id", longArrayOf(1)).float64("more", doubleArrayOf(1.0)).build()
                }
            }), consumer.handler, pool, CExport.DEVICE).outcome()
            failed.exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.EINVAL
            consumer.join()
            consumer.results().tasks shouldBe 0
        }
    }

    test("the producer checks an array for forbidden nulls before it sends the task [STR-12]") {
        val strict = AsyncSchema.of(Schema.of(Field.of("id", DataType.INT64).withNullable(false)), DeviceType.CPU)
        fun batch(isNull: Boolean) = BatchBuilder.of(Devices.cpu(), 2).use { b ->
            b.column(Field.of("id", DataType.INT64)).append(1).append(2).setNulls { isNull && it == 1 }
            b.build()
        }
        val batches = ArrayDeque(listOf(batch(false), batch(true)))
        consume().use { consumer ->
            val failed = CData.exportAsyncStream(AsyncProducer.of(strict, Supplied(2) { batches.removeFirst() }),
                consumer.handler, pool, CExport.DEVICE).outcome().exceptionOrNull()
            failed.shouldBeInstanceOf<DeviceException>().message shouldContain
                "$.id: row 1: null, but the field is not nullable"
            consumer.join()
            consumer.results().tasks shouldBe 1
        }
    }

    test("an array with other column names is an error, for a task when it is extracted [STR-12]") {
        fun swapped() = BatchBuilder.of(Devices.cpu(), 1).use { b -> b.int64("wrong", longArrayOf(1)).build() }
        val said = "a stream returned an array of another type: field 0 of the stream's is \"id: int64"
        consume().use { consumer ->
            val failed = CData.exportAsyncStream(AsyncProducer.of(described(), Supplied(1) { swapped() }),
                consumer.handler, pool, CExport.DEVICE).outcome().exceptionOrNull()
            failed.shouldBeInstanceOf<DeviceException>().message shouldContain said
            consumer.join()
            consumer.results().let { it.tasks shouldBe 0; it.message!! shouldContain said }
        }
        consume().use { consumer ->
            // The extraction can come before the end of the stream, which then becomes an error, or after it.
            CData.exportAsyncStream(
                AsyncProducer.ofTasks(described(), Supplied(1) { AsyncTask.of(swapped(), Metadata.empty()) }),
                consumer.handler,
                pool,
                CExport.DEVICE,
            ).outcome()
            consumer.join()
            consumer.results().extractCode shouldBe Errno.EINVAL
        }
    }

    test(
        "the producer ignores requests after the last task, after the release and while the consumer drains [ASY-22]",
    ) {
        repeat(50) {
            consume(40, LATE_REQUEST, EXTRACT_RELEASED, REQUEST_BEFORE, TOLERANT).use { consumer ->
                CData.exportAsyncStream(AsyncProducer.of(reader(30), Metadata.empty()), consumer.handler, pool,
                    CExport.DEVICE).outcome().getOrThrow()
                consumer.join()
                consumer.results().rows shouldBe 300
            }
        }
    }

    test("the producer lives as long as one of its tasks [ASY-22]") {
        consume(5, EXTRACT_RELEASED, GATE_EXTRACT).use { consumer ->
            val before = ResourceCounters.now().producers
            CData.exportAsyncStream(AsyncProducer.of(reader(3), Metadata.empty()), consumer.handler, pool,
                CExport.DEVICE).outcome().getOrThrow()
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            ResourceCounters.now().producers - before shouldBe 1
            CPeer.openGate()
            consumer.join()
            ResourceCounters.now().producers - before shouldBe 0
        }
    }

    test("the producer accepts a handler whose release does not mark it as released [ASY-24]") {
        consume(5, RELEASE_STAYS).use {
            CData.exportAsyncStream(AsyncProducer.of(reader(3), Metadata.empty()), it.handler, pool, CExport.DEVICE)
                .outcome().getOrThrow()
        }
    }

    test(
        "a failed producer still sets the handler's producer, reports its error and releases the handler " +
            "[ASY-01, ASY-25, STR-17]",
    ) {
        consume().use { consumer ->
            CData.exportAsyncStream(
                AsyncProducer.failed(DeviceException(Errno.ENOSYS, "no such \u0000 query", null, metadata)),
                consumer.handler,
                Runnable::run,
                CExport.DEVICE,
            )
            consumer.results().let {
                it.schemas shouldBe 0
                it.code shouldBe Errno.ENOSYS
                it.message shouldBe "no such \uFFFD query"
                it.errorMetadata shouldBe
                    byteArrayOf(1, 0, 0, 0, 1, 0, 0, 0, 'k'.code.toByte(), 3, 0, 0, 0, 0, 'x'.code.toByte(), 0)
                it.releases shouldBe 1
            }
        }
    }

    test("the metadata of the stream and of each task arrive in both layouts of the producer struct [ASY-27]") {
        for (documented in listOf(false, true)) {
            val quirks = if (documented) arrayOf(V_LAYOUT, CHECK_TAIL) else arrayOf(CHECK_TAIL)
            val ours = if (documented) arrayOf(AsyncQuirk.PRODUCER_HAS_RELEASE) else emptyArray()
            consume(5, *quirks.filter { !documented || it != CHECK_TAIL }.toTypedArray()).use { consumer ->
                val tasks = Supplied(20) {
                    AsyncTask.of(batch(10L * it), if (it % 2 == 0) metadata else Metadata.empty())
                }
                CData.exportAsyncStream(AsyncProducer.ofTasks(described(metadata), tasks), consumer.handler, pool,
                    CExport.DEVICE.quirks(*ours)).outcome().getOrThrow()
                consumer.join()
                consumer.results().let {
                    it.streamMetadata shouldBe
                        byteArrayOf(1, 0, 0, 0, 1, 0, 0, 0, 'k'.code.toByte(), 3, 0, 0, 0, 0, 'x'.code.toByte(), 0)
                    it.taskMetadata shouldBe 10
                    it.rows shouldBe 200
                }
            }
        }
    }

    test("an executor that rejects work ends the stream with an error for both sides") {
        consume().use { consumer ->
            val produced = CData.exportAsyncStream(AsyncProducer.of(reader(3), Metadata.empty()), consumer.handler,
                Executor { throw RejectedExecutionException("shut down") }, CExport.DEVICE)
            produced.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.ECANCELED
            consumer.results().let { it.code shouldBe Errno.ECANCELED; it.message!! shouldContain "shut down" }
        }
    }

    test("a publisher that breaks the rules of Reactive Streams leaks nothing") {
        val rude = Flow.Publisher<RecordBatch> { subscriber ->
            var cancelled = 0
            val subscription = object : Flow.Subscription {
                override fun request(n: Long) {
                    if (cancelled == 0 && n > 0) repeat(3) { subscriber.onNext(batch(it * 10L)) } // more than requested
                }

                override fun cancel() {
                    cancelled++
                    subscriber.onNext(batch(0)) // after the cancellation
                }
            }
            subscriber.onSubscribe(subscription)
            subscriber.onSubscribe(object : Flow.Subscription { // a second subscription
                override fun request(n: Long) = error("the producer requested from a second subscription")

                override fun cancel() = Unit
            })
        }
        consume(1, CANCEL_INSIDE, at = 1).use {
            CData.exportAsyncStream(AsyncProducer.of(described(), rude), it.handler, pool, CExport.DEVICE)
                .outcome().getOrThrow()
        }
    }

    test("an exception of the publisher's subscribe() ends the stream with an error") {
        consume().use { consumer ->
            val produced = CData.exportAsyncStream(AsyncProducer.of(described(), { throw IOException("no") }),
                consumer.handler, pool, CExport.DEVICE)
            produced.outcome().exceptionOrNull().shouldBeInstanceOf<IOException>()
            consumer.results().message!! shouldContain "no"
        }
    }

    test("a cancellation does not wait for a source that blocks in its pull [ASY-28]") {
        val stuck = java.util.concurrent.CountDownLatch(1)
        val source = object : DeviceArrayReader.Source<RecordBatch> {
            private var at = 0

            override fun next(): RecordBatch? {
                if (at < 2) return batch(10L * at++)
                stuck.await()
                return null
            }

            override fun cancel() = stuck.countDown()
        }
        consume(5, CANCEL_OUTSIDE, at = 1).use { consumer ->
            CData.exportAsyncStream(
                AsyncProducer.of(RecordBatchReader.of(schema, DeviceType.CPU, source), Metadata.empty()),
                consumer.handler,
                pool,
                CExport.DEVICE,
            ).outcome().getOrThrow()
            consumer.results().errors shouldBe 0
        }
    }

    test("an export rejects a handler that is released, incomplete or NULL") {
        Arena.ofConfined().use { arena ->
            val nothing = arena.allocate(ArrowAsyncHandlerStruct.LAYOUT)
            reader(3).use { source ->
                shouldThrow<IllegalArgumentException> {
                    CData.exportAsyncStream(AsyncProducer.of(source, Metadata.empty()), nothing, pool, CExport.DEVICE)
                }.message shouldContain "released"
                RawArrowAsyncHandler.setRelease(nothing.address(), 1)
                shouldThrow<IllegalArgumentException> {
                    CData.exportAsyncStream(AsyncProducer.failed(IOException()), nothing, Runnable::run, CExport.DEVICE)
                }.message shouldContain "is NULL"
            }
            shouldThrow<IllegalArgumentException> {
                CData.exportAsyncStream(AsyncProducer.failed(IOException()), MemorySegment.NULL, Runnable::run,
                    CExport.DEVICE)
            }.message shouldContain "NULL"
        }
    }
})
