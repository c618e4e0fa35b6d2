// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.recording

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import jdk.jfr.FlightRecorder
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordedEvent
import jdk.jfr.consumer.RecordingStream
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.Validation
import org.arbalest.device.async.AsyncProducer
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.Metadata
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.recordedBy
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executor
import java.util.concurrent.Flow
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Tests of the library's flight recorder events, which are read back from the recording's file. */
class RecordingSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    test("the events of an import, an export and a validation have the array's rows, bytes, device and type") {
        val events = recorded("Import", "Export", "Validation") { crossed(numbers(1000), Validation.FULL).close() }
        for (kind in listOf("Import", "Export", "Validation")) {
            val event = events.single { it.kind == kind }
            withClue(event) {
                event.getLong("rows") shouldBe 1000
                event.getLong("bytes") shouldBeGreaterThanOrEqual 16_000 // plus the padding of the library's own memory
                event.getString("device") shouldBe "CPU"
                event.getString("type") shouldBe "struct<a: int64, b: float64>"
            }
        }
        events.single { it.kind == "Import" }.getLong("bytes") shouldBe 16_000
    }

    test("an import event counts the bytes that the buffers must have, without the data of texts [ARR-17]") {
        val events = recorded("Import") { crossed(texts(100)).close() }
        events.single().getLong("bytes") shouldBe 100 * 8 + 101 * 4
    }

    test("the default settings do not record imports and exports that take less than a millisecond") {
        val validation: (Recording) -> Unit = { it.enable("org.arbalest.Validation").withThreshold(Duration.ZERO) }
        val quick = recordedBy(validation) { repeat(100) { crossed(numbers(10), Validation.FULL).close() } }
        quick.count { it.kind == "Validation" } shouldBe 100 // shows that these arrays cause events
        quick.filter { it.kind == "Import" || it.kind == "Export" }.filter { it.duration < Duration.ofMillis(1) }
            .shouldBeEmpty()
    }

    test("a copy event names both devices, and a wait event names an event or a stream") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        val events = recorded("Copy", "Wait") {
            device.createStream().use { stream ->
                fake.hold()
                numbers(20).use { it.copyTo(device, stream) }.use { there ->
                    waiting(fake) { there.synchronize() }
                    fake.hold()
                    numbers(20).use { it.copyTo(device, stream) }.use { waiting(fake) { stream.synchronize() } }
                }
            }
        }
        val copies = events.filter { it.kind == "Copy" }
        copies.size shouldBe 2
        copies.map { listOf(it.getString("from"), it.getString("device"), it.getLong("rows")) }.distinct() shouldBe
            listOf(listOf("CPU", "EXT_DEV:0", 20L))
        events.filter { it.kind == "Wait" }.map {
            it.getString("what") to it.getString("device")
        } shouldContainExactlyInAnyOrder
            listOf("event" to "EXT_DEV:0", "stream" to "EXT_DEV:0")
    }

    test("a wait that ends with an error is recorded too") {
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        val events = recorded("Wait") {
            val failing = fake.userEvent()
            val event = Devices.device(DeviceType.EXT_DEV, 0).adoptEvent(failing.handle)
            event.use { waiting(failing::fail) { shouldThrow<DeviceException> { event.synchronize() } } }
        }
        events.map { it.getString("what") to it.getString("device") } shouldBe listOf("event" to "EXT_DEV:0")
    }

    test("the extraction of a task is recorded") {
        val extracted = recorded("Extraction") { asyncRound { it.run() } }
        extracted.map { it.getLong("rows") to it.getString("device") } shouldBe listOf(10L to "CPU")
    }

    test("a periodic event has the queue length and the demand of an async stream, on both sides") {
        val reader = numbers(10).use { batch -> RecordBatchReader.of(batch.schema(), List(5) { batch.retain() }) }
        val taken = Tasks()
        val stream = CData.importAsyncStream(CImport.DEVICE) {
            CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, Executor { work -> work.run() },
                CExport.DEVICE)
        }
        stream.subscribe(taken)
        val subscription = taken.subscription.get(5, SECONDS)
        subscription.request(2)
        eventually("two tasks arrive") { taken.tasks.size == 2 }
        val received = Received()
        RecordingStream().use { events ->
            events.enable("org.arbalest.AsyncStream").withPeriod(Duration.ofMillis(20))
            events.onEvent("org.arbalest.AsyncStream", received)
            events.startAsync()
            // the consumer requests one task more than its subscriber, and that task waits
            received.consumer.get(5, SECONDS) shouldBe (1L to 0L)
            received.producer.get(5, SECONDS) shouldBe (3L to 0L)
        }
        taken.tasks.forEach { it.extract().close() }
        subscription.cancel()
        stream.released().toCompletableFuture().handle { _, _ -> }.get(5, SECONDS)
    }
})

private val RecordedEvent.kind: String get() = eventType.name.removePrefix("org.arbalest.")

/** Returns the recorded events of these kinds, including the shortest ones. */
private fun recorded(vararg kinds: String, action: () -> Unit): List<RecordedEvent> =
    recordedBy({ recording -> kinds.forEach { recording.enable("org.arbalest.$it").withThreshold(Duration.ZERO) } },
        action).filter { it.kind in kinds }

/** Exports the array to C and imports it again. */
private fun crossed(
    array: DeviceArray,
    level: Validation = Validation.STRUCTURAL,
): DeviceArray = Arena.ofConfined().use { arena ->
    val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
    val field = array.field()
    CData.exportArray(array, out, CExport.DEVICE)
    CData.importArray(out, CImport.DEVICE.schema(field).validation(level))
}

/** Runs the action in a thread, and lets the fake device continue when the action waits. */
private fun waiting(fake: FakeDevice, action: () -> Unit) = waiting(fake::release, action)

private fun waiting(release: () -> Unit, action: () -> Unit) {
    val waiting = thread { action() }
    val start = TimeSource.Monotonic.markNow()
    try {
        while (waiting.state != Thread.State.WAITING) {
            check(waiting.isAlive) { "the action ended without waiting" }
            check(start.elapsedNow() < 5.seconds) { "no wait within 5 s: the thread is ${waiting.state}" }
            Thread.onSpinWait()
        }
    } finally {
        release()
        waiting.join()
    }
}

private fun asyncRound(executor: Executor) {
    val reader = numbers(10).use { batch -> RecordBatchReader.of(batch.schema(), listOf(batch.retain())) }
    CData.importAsyncStream(CImport.DEVICE) {
        CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, executor, CExport.DEVICE)
    }.use { stream ->
        stream.reader(1).use { all -> while (true) (all.next() ?: break).close() }
        stream.released().toCompletableFuture().get(5, SECONDS)
    }
}

/** The queue length and the demand of one stream, on each side. */
private class Received : (RecordedEvent) -> Unit {
    val consumer = CompletableFuture<Pair<Long, Long>>()
    val producer = CompletableFuture<Pair<Long, Long>>()

    override fun invoke(event: RecordedEvent) {
        (if (event.getString("role") == "consumer") consumer else producer)
            .complete(event.getLong("queued") to event.getLong("demand"))
    }
}

/** A subscriber that keeps its subscription and its tasks. */
private class Tasks : Flow.Subscriber<AsyncTask> {
    val subscription = CompletableFuture<Flow.Subscription>()
    val tasks = CopyOnWriteArrayList<AsyncTask>()

    override fun onSubscribe(s: Flow.Subscription) {
        subscription.complete(s)
    }

    override fun onNext(task: AsyncTask) {
        tasks += task
    }

    override fun onError(t: Throwable) = Unit

    override fun onComplete() = Unit
}

internal object RecordedLeak {
    private fun leak() {
        BatchBuilder.of(Devices.cpu(), 1).use { it.int32("n", intArrayOf(1)).build() }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val seen = CompletableFuture<RecordedEvent>()
        RecordingStream().use { stream ->
            stream.enable("org.arbalest.Leak")
            stream.onEvent("org.arbalest.Leak") { seen.complete(it) }
            stream.startAsync()
            leak()
            var rounds = 0
            do System.gc() while (runCatching { seen.get(100, MILLISECONDS) }.isFailure && ++rounds < 200)
            val leak = seen.getNow(null) ?: error("no leak was recorded")
            println("recorded: ${leak.getString("what")}")
            println("made: ${leak.getString("made")}")
        }
    }
}

internal object WithoutModules {
    @JvmStatic
    fun main(args: Array<String>) {
        BatchBuilder.of(Devices.cpu(), 3).use { it.int64("n", longArrayOf(1, 2, 3)).build() }.use { batch ->
            crossed(batch.retain(), Validation.FULL).use { back ->
                val modules = listOf("jdk.jfr", "java.management").map {
                    "$it: ${ModuleLayer.boot().findModule(it).isPresent}"
                }
                println("${back.length()} rows, ${modules.joinToString()}")
            }
            asyncRound { it.run() }
        }
        println(runCatching { ResourceCounters.registerMXBean() }.exceptionOrNull())
        eventually("everything is released") { Held.now().isZero }
    }
}

internal object WithoutRecorder {
    @JvmStatic
    fun main(args: Array<String>) {
        crossed(numbers(3)).close()
        asyncRound { it.run() }
        println("recorder: ${FlightRecorder.isInitialized()}")
    }
}
