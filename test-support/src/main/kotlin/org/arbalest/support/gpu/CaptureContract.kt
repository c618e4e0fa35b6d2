// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.SyncEvent
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.tensors.DLPack
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import java.lang.foreign.Arena
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicBoolean

/**
 * The contract of captures. While another thread captures a graph in global mode, the library's calls do not invalidate
 * the capture, and the library interprets rejected calls correctly.
 */
fun captureContract(backend: GpuBackend): TestFactory = funSpec {
    var hasGates = false
    beforeTest {
        // allocates the gates' memory outside of a capture
        if (!hasGates) backend.gpu(0).createStream().use { backend.gate(it)?.open() }
        hasGates = true
    }

    val device by lazy { backend.gpu(0) }
    val double = backend.double
    val words = backend.words

    test("library calls do not invalidate another thread's capture, and restore their thread's mode [DEV-23]") {
        backend.settle()
        double.capturing {
            journey(device, backend::gate)
            journey(backend.gpu(1), backend::gate)
            for (type in backend.types) Devices.device(type, 0).allocate(1000).close()
            device.createStream().use { stream ->
                for (size in listOf(100L, 100_000L, 9L shl 20)) {
                    pageable(size, 1).use { from ->
                        device.allocate(size).use { there ->
                            stream.copy(from, there)
                            pageable(size, 2).use { back ->
                                stream.copy(there, back)
                                stream.synchronize()
                                back.segment().mismatch(from.segment()) shouldBe -1
                            }
                        }
                    }
                }
                stream.record().use { event ->
                    event.synchronize()
                    event.isReady shouldBe true
                }
            }
            shouldThrow<DeviceException> { device.allocate(GpuDouble.MEMORY * 2) }.errno() shouldBe Errno.ENOMEM
            Arena.ofShared().use { arena ->
                val unpinned = CountDownLatch(1)
                device.pin(arena.allocate(10_000, 4096)) { unpinned.countDown() }.close()
                unpinned.await(5, SECONDS) shouldBe true
            }
            backend.settle()
            double.refused shouldBe 0
            double.captureMode shouldBe 0
        }
    }

    for (code in listOf(900, 907)) {
        test(
            "while queries fail with $code, an event is neither done nor failed, and its releases are deferred " +
                "[DEV-17, DEV-24]",
        ) {
            backend.settle()
            val before = ResourceCounters.now()
            backend.trim()
            val memory = double.live(Live.DEVICE)
            val stream = device.createStream()
            val gate = backend.gate(stream)
            val event = stream.record()
            val there = numbers(1000).use { it.copyTo(device, stream) }
            val stages = listOf(event.onReady(), event.onReady()).map { it.toCompletableFuture() }
            double.capturing(events = code) {
                there.close()
                val asked = double.refused
                event.isReady shouldBe false
                eventually("each event is queried repeatedly") { double.refused > asked + 20 }
                stages.count { it.isDone } shouldBe 0
                double.live(Live.DEVICE) shouldBe memory + 1
                gate.open()
                eventually("the work is over") { double.live(Live.COMMANDS) == 0L }
                val late = event.onReady().toCompletableFuture()
                val askedThen = double.refused
                eventually("each event is queried again") { double.refused > askedThen + 20 }
                (stages + late).count { it.isDone } shouldBe 0
                double.live(Live.DEVICE) shouldBe memory + 1
                ResourceCounters.now().since(before).waits() shouldBeGreaterThan 0
            }
            stages.forEach { it.get(5, SECONDS) }
            event.isReady shouldBe true
            event.close()
            stream.close()
            eventually("all resources are released") {
                backend.trim()
                ResourceCounters.now().since(before).isZero && double.live(Live.DEVICE) == memory
            }
        }
    }

    test("a copy that fails halfway keeps its memory and slots until its stream can be queried [DEV-41]") {
        val size = 9L shl 20
        device.createStream().use { stream ->
            // slots exist now
            repeat(2) {
                pageable(size, 1).use { from ->
                    device.allocate(size).use { stream.copy(from, it); stream.synchronize() }
                }
            }
            backend.settle()
            val before = ResourceCounters.now()
            val memory = double.live(Live.DEVICE)
            val gate = backend.gate(stream)
            val (from, there) = pageable(size, 1) to device.allocate(size)
            val record = backend.functions.single { it.endsWith("EventRecord") }
            double.capturing(events = 907, hasModes = false) { // otherwise waiting for the stream is possible
                double.fail(record) // the record after the first slots, whose copy is queued
                shouldThrow<DeviceException> { stream.copy(from, there) }.message shouldContain "(999)"
                double.failNothing() shouldBe 0
                from.close()
                there.close()
                double.live(Live.DEVICE) shouldBe memory + 1
                ResourceCounters.now().since(before).waits() shouldBeGreaterThan 0
                gate.open()
                eventually("the work is over") { double.live(Live.COMMANDS) == 0L }
                double.live(Live.DEVICE) shouldBe memory + 1
                ResourceCounters.now().since(before).waits() shouldBeGreaterThan 0
            }
            eventually("all resources are released") {
                backend.trim()
                ResourceCounters.now().since(before).run { waits() == 0L && buffers() == 0L } &&
                    double.live(Live.DEVICE) == memory
            }
        }
    }

    test("a copy that fails halfway without an event waits for its stream, and releases nothing before [DEV-41]") {
        val size = 9L shl 20
        device.createStream().use { stream ->
            // slots exist now
            repeat(2) {
                pageable(size, 1).use { from ->
                    device.allocate(size).use { stream.copy(from, it); stream.synchronize() }
                }
            }
            for (function in listOf("EventCreate", "EventRecord")) {
                backend.settle()
                val before = ResourceCounters.now()
                val memory = double.live(Live.DEVICE)
                val gate = backend.gate(stream)
                val (from, there) = pageable(size, 1) to device.allocate(size)
                val taken = there.address()
                val isOpen = AtomicBoolean()
                val event = backend.functions.single { function in it }
                val calls = double.calls(event)
                double.failFrom(event, code = 2)
                val endedOpen = CompletableFuture.supplyAsync {
                    val failure = shouldThrow<DeviceException> { stream.copy(from, there) }
                    val open = isOpen.get()
                    failure.message shouldContain event
                    open
                }
                eventually("the copy requests an event") { double.calls(event) > calls }
                repeat(1_000_000) { if (!endedOpen.isDone) Thread.onSpinWait() }
                endedOpen.isDone shouldBe false
                from.close()
                there.close()
                double.live(Live.COMMANDS) shouldBeGreaterThan 0
                device.allocate(size).use { it.address() shouldNotBe taken }
                isOpen.set(true)
                gate.open()
                endedOpen.get(5, SECONDS) shouldBe true
                double.failNothing() shouldBe 0
                eventually("all resources are released") {
                    backend.trim()
                    ResourceCounters.now().since(before).run { waits() == 0L && buffers() == 0L } &&
                        double.live(Live.DEVICE) == memory
                }
            }
        }
    }

    test("a copy that fails halfway without events or stream queries keeps its memory until queries work [DEV-41]") {
        val size = 9L shl 20
        device.createStream().use { stream ->
            repeat(2) {
                pageable(size, 1).use { from ->
                    device.allocate(size).use { stream.copy(from, it); stream.synchronize() }
                }
            }
            backend.settle()
            val before = ResourceCounters.now()
            val memory = double.live(Live.DEVICE)
            val gate = backend.gate(stream)
            val (from, there) = pageable(size, 1) to device.allocate(size)
            double.capturing(events = 900, hasModes = false) {
                double.failFrom(backend.functions.single { "EventCreate" in it }, code = 2)
                shouldThrow<DeviceException> { stream.copy(from, there) }
                from.close()
                there.close()
                val refused = double.refused
                eventually("the stream is queried again", seconds = 20) { double.refused > refused + 3 }
                double.live(Live.DEVICE) shouldBe memory + 1
                ResourceCounters.now().since(before).waits() shouldBeGreaterThan 0
                gate.open()
                double.failNothing() shouldBe 0
            }
            eventually("all resources are released", seconds = 20) {
                backend.trim()
                ResourceCounters.now().since(before).run { waits() == 0L && buffers() == 0L } &&
                    double.live(Live.DEVICE) == memory
            }
        }
    }

    test("a captured stream rejects library work; its capture, and work before and after it, stay valid [DEV-60]") {
        device.createStream().use { own ->
            device.createStream().use { other ->
                for (stream in listOf(device.wrapStream(own.handle()), own)) {
                    backend.settle()
                    val before = ResourceCounters.now()
                    val (host, there, back) = listOf(pageable(1000, 1), device.allocate(1000), pageable(1000, 2))
                    val source = numbers(100)
                    val tensor = source.copyTo(device, stream).use { array ->
                        array.retainChild(0).use {
                            DLPack.VERSIONED.importTensor(DLPack.VERSIONED.exportTensor(it, stream), stream)
                        }
                    }
                    stream.copy(host, there)
                    val gate = backend.gate(other)
                    val event = other.record()
                    double.captured(own.handle()) {
                        val uses = mapOf<String, () -> Unit>(
                            "a copy in" to { stream.copy(host, there) },
                            "a copy on the device" to { stream.copy(there, there) },
                            "a copy out" to { stream.copy(there, back) },
                            "an array" to { source.copyTo(device, stream).close() },
                            "an array in its memory" to { source.copyTo(stream.memory(), other).close() },
                            "an event" to { stream.record().close() },
                            "a wait for an event" to { stream.waitFor(event) },
                            "memory" to { stream.keepAlive(there) },
                            "a thread" to stream::synchronize,
                            "a tensor" to { tensor.retain().use { DLPack.VERSIONED.exportTensor(it, stream) } },
                        )
                        for ((what, use) in uses) withClue(what) {
                            shouldThrow<IllegalStateException> { use() }.message shouldContain
                                "of $device is being captured"
                        }
                        tensor.close() // the tensor's last use is in the stream
                        journey(device, backend::gate)
                        device.hostMemory().get().trim()
                        own.handle() // works as usual
                        stream.toString() shouldContain "$device"
                    } shouldBe 0
                    gate.open()
                    stream.copy(there, back)
                    stream.synchronize()
                    back.segment().mismatch(host.segment()) shouldBe -1
                    listOf(host, there, back).forEach { it.close() }
                    source.close()
                    event.close()
                    if (stream !== own) stream.close()
                    eventually("nothing is kept: ${ResourceCounters.now().since(before)}") {
                        ResourceCounters.now().since(before).run {
                            waits() == 0L && buffers() == 0L && events() == 0L && arrays() == 0L
                        }
                    }
                    double.violation shouldBe ""
                }
            }
        }
    }

    test("a stream's memory that is closed during a capture is freed after it, and not in the graph [DEV-60]") {
        device.createStream().use { own ->
            device.wrapStream(own.handle()).use { wrapped ->
                backend.settle()
                backend.trim()
                val before = ResourceCounters.now()
                val memory = double.live(Live.DEVICE)
                val buffers = listOf(own, wrapped).map { it.memory().allocate(1000) }
                own.synchronize()
                double.captured(own.handle()) {
                    buffers.forEach { it.close() }
                    shouldThrow<IllegalStateException> { own.memory().allocate(1000) }
                    double.live(Live.DEVICE) shouldBe memory + 2
                } shouldBe 0
                eventually("both buffers are freed") {
                    backend.trim()
                    double.live(Live.DEVICE) == memory && ResourceCounters.now().since(before).buffers() == 0L
                }
                double.violation shouldBe ""
            }
        }
    }

    test(
        "the default stream rejects work while a stream that it waits for is captured, and the capture stays valid " +
            "[DEV-60]",
    ) {
        device.wrapStream(0).use { stream ->
            listOf(pageable(1000, 1), device.allocate(1000), pageable(1000, 2)).also { (host, there, back) ->
                stream.copy(host, there)
                double.capturedBlocking(0) {
                    val uses = mapOf<String, () -> Unit>(
                        "a copy in" to { stream.copy(host, there) },
                        "an event" to { stream.record().close() },
                        "a thread" to stream::synchronize,
                        "memory" to { stream.keepAlive(there) },
                    )
                    for ((what, use) in uses) withClue(what) {
                        shouldThrow<IllegalStateException> { use() }.message shouldContain
                            "of $device is being captured"
                    }
                    journey(device, backend::gate)
                }
                stream.copy(there, back)
                stream.synchronize()
                back.segment().mismatch(host.segment()) shouldBe -1
                double.violation shouldBe ""
            }.forEach { it.close() }
        }
    }

    test("a wait for an event that was recorded in a capture is rejected, and no stream joins the capture [DEV-60]") {
        device.createStream().use { own ->
            device.createStream().use { other ->
                val before = ResourceCounters.now()
                listOf(pageable(1000, 1), device.allocate(1000)).also { (host, there) ->
                    double.captured(own.handle()) {
                        for (stream in listOf(other, device.defaultStream())) {
                            val waits = mapOf<String, (SyncEvent) -> Unit>(
                                "a stream" to { stream.waitFor(it) },
                                "a thread" to { it.synchronize() },
                                "a thread with a timeout" to { it.synchronize(Duration.ofSeconds(5)) },
                                "a stage" to { event ->
                                    event.onReady().toCompletableFuture().exceptionNow().let { throw it }
                                },
                            )
                            for ((what, wait) in waits) withClue(what) {
                                device.adoptEvent(double.capturedEvent(own.handle())).use { event ->
                                    repeat(2) { // at the second query, HIP reports the event as complete
                                        shouldThrow<DeviceException> { wait(event) }.run {
                                            errno() shouldBe Errno.EINVAL
                                            message shouldContain "was recorded in a stream that was being captured"
                                        }
                                    }
                                    event.isReady shouldBe false
                                }
                            }
                            device.adoptEvent(double.capturedEvent(own.handle())).use { event ->
                                // the first query has no answer; a thread of the library receives the answer
                                double.fail(backend.words.query, code = 900)
                                val stage = event.onReady().toCompletableFuture()
                                double.failNothing() shouldBe 0
                                shouldThrow<ExecutionException> { stage.get(5, SECONDS) }
                                    .cause.shouldBeInstanceOf<DeviceException>().errno() shouldBe Errno.EINVAL
                                event.isReady shouldBe false
                            }
                            stream.copy(host, there)
                            stream.synchronize()
                        }
                    } shouldBe -1 // the query has invalidated the owner's capture
                    double.violation shouldBe ""
                    double.captured(own.handle()) {
                        device.adoptEvent(double.capturedEvent(own.handle())).close()
                    } shouldBe 1
                }.forEach { it.close() }
                eventually("nothing is kept: ${ResourceCounters.now().since(before)}") {
                    ResourceCounters.now().since(before).run { waits() == 0L && buffers() == 0L && events() == 0L }
                }
            }
        }
    }

    test("a thread that waits for an event or a stream keeps waiting while queries are rejected [DEV-24]") {
        device.createStream().use { stream ->
            val event = stream.record()
            double.capturing(events = 900) {
                val waiting = listOf<() -> Unit>(event::synchronize, stream::synchronize).map { wait ->
                    CompletableFuture.runAsync { wait() }
                }
                eventually("both queries are refused") { double.refused > 50 }
                waiting.count { it.isDone } shouldBe 0
                waiting
            }.forEach { it.get(5, SECONDS) }
            event.close()
        }
    }

    test("a thread's wait for an event that was recorded in a graph fails, and the event is not done [DEV-24]") {
        device.createStream().use { stream ->
            val event = stream.record()
            double.capturing(events = 907) {
                val error = shouldThrow<DeviceException> { event.synchronize() }
                error.errno() shouldBe Errno.EAGAIN
                error.message shouldContain "(907)"
                event.isReady shouldBe false
            }
            event.synchronize()
            event.close()
        }
    }

    test("without a function for a thread's mode, copies continue, and rejected queries are deferred [DEV-23]") {
        device.createStream().use { stream ->
            device.hostMemory().get().allocate(1000).use { pinned ->
                device.allocate(1000).use { there ->
                    double.capturing(hasModes = false) {
                        stream.copy(pinned, there)
                        stream.record().use { event ->
                            event.isReady shouldBe false
                            val ready = event.onReady().toCompletableFuture()
                            eventually("the event is queried") { double.refused > 20 }
                            ready.isDone shouldBe false
                            shouldThrow<DeviceException> { Devices.device(backend.types[1], 0).allocate(10) }
                                .message shouldContain "(900)"
                            ready
                        }
                    }.get(5, SECONDS)
                    stream.synchronize()
                }
            }
        }
    }

    test("a query with an unknown code is repeated, and only a second one is a failure that names the call [DEV-24]") {
        device.createStream().use { stream ->
            val gate = backend.gate(stream)
            val event = stream.record()
            double.fail(words.query, 1, 999)
            event.isReady shouldBe false
            double.failNothing() shouldBe 0
            for (nth in 1L..2) double.fail(words.query, nth, 999)
            shouldThrow<DeviceException> { event.isReady }.message shouldBe
                "${words.query} on $device failed: ${words.unknown}"
            double.failNothing() shouldBe 0
            gate.open()
            event.synchronize()
            event.close()
        }
    }
}
