// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.comparables.shouldBeLessThanOrEqualTo
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowAsyncHandler
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.AsyncCollector
import org.arbalest.device.support.connect
import org.arbalest.device.support.outcome
import org.arbalest.device.types.Metadata
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerProducer
import org.arbalest.support.PeerProducer.Quirk.*
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.lang.foreign.MemorySegment
import java.util.concurrent.Executors

/** The library's async stream handler, driven by a C producer on its own threads. */
class AsyncArrayStreamSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val elsewhere = Executors.newSingleThreadExecutor { Thread(it).apply { isDaemon = true } }
    afterSpec { elsewhere.shutdownNow() }

    val binary = byteArrayOf(1, 0, 0, 0, 1, 0, 0, 0, 'k'.code.toByte(), 3, 0, 0, 0, 0, 'x'.code.toByte(), 0)
    val metadata = Metadata.empty().with("k".toByteArray(), byteArrayOf(0, 'x'.code.toByte(), 0))

    fun batches(n: Long, rows: Long = 10) = (0 until n).map { b -> (b * rows until (b + 1) * rows).toList() }

    fun failure(collector: AsyncCollector): DeviceException =
        collector.done.outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>()

    for (window in listOf(1L, 5L, 64L, Long.MAX_VALUE)) {
        for (quirk in listOf(STRICT, MANY_THREADS)) {
            test("a thousand batches arrive in order, $window at a time, $quirk [ASY-19]") {
                PeerProducer(1000, 10, setOf(quirk)).use { producer ->
                    val arrays = producer.connect()
                    val collector = AsyncCollector(window, elsewhere)
                    arrays.subscribe(collector)
                    collector.done.outcome().getOrThrow()
                    collector.ids shouldBe batches(1000)
                    arrays.released().outcome().getOrThrow()
                    producer.join()
                    producer.results().let {
                        it.extractedOutside shouldBe 1000
                        it.cancels shouldBe 0
                        if (window < 100) it.requested shouldBeLessThanOrEqualTo 1000 + window + 1
                    }
                }
            }
        }
    }

    test("the schema, the device type and the stream's metadata are known before the first task [ASY-01, ASY-27]") {
        PeerProducer(1, 10, streamMetadata = binary).use { producer ->
            producer.connect().use { arrays ->
                val schema = arrays.schema().outcome().getOrThrow()
                schema.schema().fields().map { it.name() } shouldBe listOf("id", "name")
                schema.deviceType() shouldBe DeviceType.CPU
                schema.metadata() shouldBe metadata
            }
        }
    }

    test("a quirk makes the stream read the documented layout of ArrowAsyncProducer [ASY-27]") {
        PeerProducer(1, 10, setOf(V_LAYOUT), streamMetadata = binary).use { producer ->
            producer.connect(AsyncQuirk.PRODUCER_HAS_RELEASE).use {
                it.schema().outcome().getOrThrow().metadata() shouldBe metadata
            }
        }
    }

    test("on_schema is rejected if the handler has no producer [ASY-01]") {
        PeerProducer(1, 10, setOf(NO_PRODUCER)).use { producer ->
            val collector = AsyncCollector()
            producer.connect().subscribe(collector)
            failure(collector).message shouldContain "before the handler's producer was set"
            producer.join()
            producer.results().schemaStatus shouldBe Errno.EINVAL
        }
    }

    test("a second on_schema is rejected, and the stream fails [ASY-02]") {
        PeerProducer(1, 10, setOf(SCHEMA_TWICE)).use { producer ->
            val collector = AsyncCollector(0)
            producer.connect().subscribe(collector)
            failure(collector).message shouldContain "twice"
        }
    }

    test("a schema that cannot be imported is rejected and released, and fails the stream with the reason [ASY-03]") {
        PeerProducer(1, 10, setOf(BAD_SCHEMA)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector()
            arrays.subscribe(collector)
            failure(collector).message shouldContain "?!"
            arrays.schema().outcome().isFailure shouldBe true
            arrays.released().outcome().exceptionOrNull()!!.message!! shouldContain "?!"
            producer.join()
            producer.results().schemaStatus shouldBe Errno.EINVAL
        }
    }

    test("the stream can request inside on_schema and on_next_task, one request at a time [ASY-04, ASY-23]") {
        PeerProducer(300, 1, setOf(REQUEST_QUEUE, GATE_SCHEMA)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(1) // requests one more inside each onNext
            arrays.subscribe(collector) // before on_schema, so that only the producer's thread gives signals
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            CPeer.openGate()
            collector.done.outcome().getOrThrow()
            producer.join()
            producer.results().let {
                it.blockedRequests shouldBe 0
                it.requestsInside shouldBe 301
            }
        }
    }

    test("a request that blocks delays neither tasks nor their extraction [ASY-23]") {
        PeerProducer(20, 1, setOf(GATE_REQUEST), at = 2).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(0)
            arrays.subscribe(collector)
            // the stream requests one task ahead, inside on_schema
            eventually("the producer has sent 1") { producer.results().sent >= 1 }
            collector.subscription.request(10)
            // ten, and the one requested ahead
            eventually("the producer has sent 11") { producer.results().sent >= 11 }
            val asking = elsewhere.submit { collector.subscription.request(5) }
            eventually("a thread is at the gate") { CPeer.waitingAtGate != 0L }
            collector.ids.size shouldBe collector.ids.size.coerceAtLeast(10)
            CPeer.openGate()
            asking.get()
            collector.subscription.request(Long.MAX_VALUE)
            collector.done.outcome().getOrThrow()
            collector.ids.size shouldBe 20
        }
    }

    test("the on_error that Arrow C++ sends after a refusal does not hide the reason of the refusal [ASY-11]") {
        PeerProducer(10, 10, setOf(BAD_TASK_METADATA, ERROR_AFTER_REFUSAL), at = 3).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector()
            arrays.subscribe(collector)
            failure(collector).let {
                it.errno() shouldBe Errno.EINVAL
                it.message shouldContain "metadata says it has -1 pairs"
            }
            collector.ids shouldBe batches(3)
            arrays.released().outcome().exceptionOrNull()!!.message!! shouldContain "-1 pairs"
            producer.join()
            producer.results().let {
                it.taskStatus shouldBe Errno.EINVAL
                it.takenBack shouldBe 1 // the producer keeps a refused task, as in Arrow C++ and arrow-go
                it.errors shouldBe 1
            }
        }
    }

    test("the stream ends without demand [ASY-12]") {
        PeerProducer(0, 1).use { producer ->
            val collector = AsyncCollector(0)
            producer.connect().subscribe(collector)
            collector.done.outcome().getOrThrow()
            producer.results().requested shouldBe 1 // the stream always requests one task ahead
        }
    }

    test("a subscriber that requests exactly the available tasks receives an end that needs demand [ASY-13]") {
        PeerProducer(3, 1, setOf(END_ON_DEMAND)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector(0)
            arrays.subscribe(collector)
            collector.subscription.request(3)
            collector.done.outcome().getOrThrow()
            collector.ids.size shouldBe 3
        }
    }

    test("a release without an end fails the stream [ASY-14]") {
        PeerProducer(3, 1, setOf(NO_END)).use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector()
            arrays.subscribe(collector)
            failure(collector).let {
                it.errno() shouldBe Errno.EIO
                it.message shouldContain "released the handler without an end or an error"
            }
            collector.ids.size shouldBe 3
            arrays.released().outcome().isFailure shouldBe true
        }
    }

    test("tasks can be extracted after their call, their stream and their handler have ended [ASY-15, ASY-16]") {
        PeerProducer(8, 10).use { producer ->
            val held = mutableListOf<org.arbalest.device.async.AsyncTask>()
            val arrays = producer.connect()
            val collector = AsyncCollector(8) { held += it }
            arrays.subscribe(collector)
            collector.done.outcome().getOrThrow()
            arrays.released().outcome().getOrThrow()
            Held.now().handlers shouldBe 0
            held.take(6).reversed().forEach { collector.read(it) }
            collector.ids.reversed() shouldBe batches(6)
            held.take(6).forEach { task ->
                task.isOpen shouldBe false
                task.close()
                shouldThrow<IllegalStateException> { task.extract() }.message shouldContain "once"
            }
            held.drop(6).forEach { it.close(); it.close() }
            producer.join()
            producer.results().let {
                it.extracted shouldBe 6
                it.discarded shouldBe 2
            }
        }
    }

    for ((quirk, text) in mapOf(
        null to "extract_data failed with EIO",
        EXTRACT_GARBAGE to "extract_data failed with EIO",
        EXTRACT_ZERO to "returned 0, but no array",
    )) {
        test("a failed extraction fails the stream: ${quirk ?: "as it should"} [ASY-17, ASY-18]") {
            PeerProducer(5, 10, setOfNotNull(EXTRACT_FAILS, quirk), at = 2, code = Errno.EIO, message = "disk gone")
                .use { producer ->
                    val arrays = producer.connect()
                    lateinit var failed: DeviceException
                    val collector = AsyncCollector(10) { task ->
                        try {
                            read(task)
                        } catch (e: DeviceException) {
                            failed = e
                        }
                    }
                    arrays.subscribe(collector)
                    failure(collector).message shouldBe "disk gone"
                    arrays.released().outcome().exceptionOrNull()!!.message shouldBe "disk gone"
                    failed.errno() shouldBe Errno.EIO
                    failed.message shouldContain text
                }
        }
    }

    test("a task with an array on another device fails the stream, and is released [STR-08]") {
        PeerProducer(3, 10, at = 1, flavours = setOf(PeerStreams.Flavour.OTHER_DEVICE)).use { producer ->
            val collector = AsyncCollector()
            producer.connect().subscribe(collector)
            failure(collector).message shouldContain "a stream of CPU arrays returned one on"
        }
    }

    test("the errno, message and binary metadata of an error arrive after the tasks before it [ASY-21]") {
        PeerProducer(9, 10, setOf(ERROR), at = 4, code = 71, message = "prices — gone", errorMetadata = binary)
            .use { producer ->
                val arrays = producer.connect()
                val collector = AsyncCollector()
                arrays.subscribe(collector)
                failure(collector).let {
                    it.errno() shouldBe 71
                    it.message shouldBe "prices — gone"
                    it.metadata() shouldBe metadata
                }
                collector.ids shouldBe batches(4)
            }
    }

    test("an error without a message reports its code, and a second release does nothing [ASY-21]") {
        PeerProducer(9, 10, setOf(ERROR, MESSAGE_NULL, RELEASE_TWICE), at = 0, code = Errno.ENOMEM).use { producer ->
            val collector = AsyncCollector()
            producer.connect().subscribe(collector)
            failure(collector).let {
                it.errno() shouldBe Errno.ENOMEM
                it.message shouldContain "ENOMEM"
            }
        }
    }

    test("only the release callback marks the handler as released, and frees it [ASY-24]") {
        var handler = MemorySegment.NULL
        PeerProducer(1, 1).use { producer ->
            val arrays = CData.importAsyncStream(CImport.DEVICE) { handler = it; producer.start(it) }
            arrays.close()
            arrays.released().outcome().getOrThrow()
            RawArrowAsyncHandler.release(handler.address()) shouldBe 0 // in quarantine: still readable
        }
    }

    test("an error before on_schema also fails the schema [ASY-25]") {
        PeerProducer(1, 1, setOf(ERROR_FIRST), code = Errno.ENOSYS, message = "no such query").use { producer ->
            val arrays = producer.connect()
            val collector = AsyncCollector()
            arrays.subscribe(collector)
            failure(collector).message shouldBe "no such query"
            arrays.schema().outcome().exceptionOrNull().shouldBeInstanceOf<DeviceException>()
                .errno() shouldBe Errno.ENOSYS
        }
    }

    test("a producer may make all callbacks before the import returns [ASY-26]") {
        PeerProducer(0, 1, setOf(ON_CALLER)).use { producer ->
            val arrays = producer.connect()
            Held.now().handlers shouldBe 0
            arrays.schema().outcome().getOrThrow()
            val collector = AsyncCollector()
            arrays.subscribe(collector)
            collector.done.outcome().getOrThrow()
        }
    }

    test("an exception of the start function fails the import, and leaks nothing [ASY-26]") {
        val before = ResourceCounters.now()
        shouldThrow<IllegalStateException> { CData.importAsyncStream(CImport.DEVICE) { error("no such library") } }
            .message shouldBe "no such library"
        ResourceCounters.now().since(before).isZero shouldBe true
        PeerProducer(-1, 1).use { producer ->
            shouldThrow<IllegalStateException> {
                CData.importAsyncStream(CImport.DEVICE) {
                    producer.start(it)
                    eventually("the handler has its producer") { RawArrowAsyncHandler.producer(it.address()) != 0L }
                    error("failed after the start") // not freed, because the producer still calls the handler
                }
            }
            producer.join() shouldBe true
        }
    }

    test("each task has its own metadata [ASY-27]") {
        PeerProducer(30, 1, setOf(TASK_METADATA)).use { producer ->
            val seen = mutableListOf<String?>()
            val collector = AsyncCollector { seen += it.metadata()["index"]; it.close() }
            producer.connect().subscribe(collector)
            collector.done.outcome().getOrThrow()
            seen shouldBe List(30) { "$it" }
        }
    }

    test("malformed metadata of the stream fails the stream") {
        PeerProducer(3, 1, setOf(BAD_STREAM_METADATA)).use { producer ->
            val collector = AsyncCollector()
            producer.connect().subscribe(collector)
            failure(collector).message shouldContain "-1 pairs"
        }
    }

    test("a task after the NULL task is rejected") {
        PeerProducer(3, 1, setOf(TASK_AFTER_END)).use { producer ->
            val collector = AsyncCollector()
            producer.connect().subscribe(collector)
            collector.done.outcome().getOrThrow()
            producer.join()
            producer.results().taskStatus shouldBe Errno.EINVAL
            CPeer.reset()
        }
    }

    test("the stream accepts tasks that arrive concurrently or without demand [ASY-19]") {
        for (quirk in listOf(CONCURRENT, OVERSEND)) {
            PeerProducer(40, 1, setOf(quirk), at = 5).use { producer ->
                val arrays = producer.connect()
                val collector = AsyncCollector(2, elsewhere)
                arrays.subscribe(collector)
                collector.done.outcome().getOrThrow()
                collector.tasks.get() shouldBeIn listOf(40L, 41L)
            }
        }
    }
})
