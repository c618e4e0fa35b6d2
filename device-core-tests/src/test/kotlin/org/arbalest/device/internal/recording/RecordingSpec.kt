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
import jdk.jfr.consumer.RecordingFile
import jdk.jfr.consumer.RecordingStream
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
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
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.texts
import java.lang.foreign.Arena
import java.nio.file.Files
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

/** What a flight recording has of us, read back from its file. */
class RecordingSpec : FunSpec({
    extension(FakeExtension)
    extension(ResourceCountersExtension)

    test("an array that goes out, comes in and is validated: its rows, bytes, device and type") {
        val events = recorded("Import", "Export", "Validation") { crossed(numbers(1000), Validation.FULL).close() }
        for (kind in listOf("Import", "Export", "Validation")) {
            val event = events.single { it.kind == kind }
            withClue(event) {
                event.getLong("rows") shouldBe 1000
                event.getLong("bytes") shouldBeGreaterThanOrEqual 16_000 // and padding, where the memory is ours
                event.getString("device") shouldBe "CPU"
                event.getString("type") shouldBe "struct<a: int64, b: float64>"
            }
        }
        events.single { it.kind == "Import" }.getLong("bytes") shouldBe 16_000
    }

    test(
        "the bytes of what comes in are those that its buffers have to hold, but for texts: nobody looks into a " +
            "buffer for them [ARR-17]",
    ) {
        val events = recorded("Import") { crossed(texts(100)).close() }
        events.single().getLong("bytes") shouldBe 100 * 8 + 101 * 4
    }

    test("with the settings that are there if nobody says more, what takes no time is not recorded") {
        val validation: (Recording) -> Unit = { it.enable("org.arbalest.Validation").withThreshold(Duration.ZERO) }
        val quick = recordedBy(validation) { repeat(100) { crossed(numbers(10), Validation.FULL).close() } }
        quick.count { it.kind == "Validation" } shouldBe 100 // this has been recorded, of the same arrays
        quick.filter { it.kind == "Import" || it.kind == "Export" }.filter { it.duration < Duration.ofMillis(1) }
            .shouldBeEmpty()
    }

    test("a copy between devices, from where to where; and waits for events and for streams") {
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

    test("a wait is told of however it ends, with an error too") {
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        val events = recorded("Wait") {
            val failing = fake.userEvent()
            val event = Devices.device(DeviceType.EXT_DEV, 0).adoptEvent(failing.handle)
            event.use { waiting(failing::fail) { shouldThrow<DeviceException> { event.synchronize() } } }
        }
        events.map { it.getString("what") to it.getString("device") } shouldBe listOf("event" to "EXT_DEV:0")
    }

    test("the extraction of a task") {
        val extracted = recorded("Extraction") { asyncRound { it.run() } }
        extracted.map { it.getLong("rows") to it.getString("device") } shouldBe listOf(10L to "CPU")
    }

    test("how many tasks of an async stream wait, on both sides") {
        val reader = numbers(10).use { batch -> DeviceArrayReader.of(batch.schema(), List(5) { batch.retain() }) }
        val taken = Tasks()
        val stream = CData.importAsyncStream(CImport.DEVICE) {
            CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, Executor { work -> work.run() },
                CExport.DEVICE)
        }
        stream.subscribe(taken)
        val subscription = taken.subscription.get(5, SECONDS)
        subscription.request(2)
        eventually("two tasks have come") { taken.tasks.size == 2 }
        val received = Received()
        RecordingStream().use { events ->
            events.enable("org.arbalest.AsyncStream").withPeriod(Duration.ofMillis(20))
            events.onEvent("org.arbalest.AsyncStream", received)
            events.startAsync()
            // one more is requested than the subscriber asks for, and waits
            received.consumer.get(5, SECONDS) shouldBe (1L to 0L)
            received.producer.get(5, SECONDS) shouldBe (3L to 0L)
        }
        taken.tasks.forEach { it.extract().close() }
        subscription.cancel()
        stream.released().toCompletableFuture().handle { _, _ -> }.get(5, SECONDS)
    }
})

private val RecordedEvent.kind: String get() = eventType.name.removePrefix("org.arbalest.")

/** The events of these kinds, however short they were. */
private fun recorded(vararg kinds: String, action: () -> Unit): List<RecordedEvent> =
    recordedBy({ recording -> kinds.forEach { recording.enable("org.arbalest.$it").withThreshold(Duration.ZERO) } },
        action).filter { it.kind in kinds }

private fun recordedBy(settings: (Recording) -> Unit, action: () -> Unit): List<RecordedEvent> {
    val file = Files.createTempFile("arbalest", ".jfr")
    try {
        Recording().use { recording ->
            settings(recording)
            recording.start()
            action()
            recording.stop()
            recording.dump(file)
        }
        return RecordingFile.readAllEvents(file).filter { it.eventType.name.startsWith("org.arbalest.") }
    } finally {
        Files.delete(file)
    }
}

/** An array that was C's for a moment. */
private fun crossed(
    array: DeviceArray,
    level: Validation = Validation.STRUCTURAL,
): DeviceArray = Arena.ofConfined().use { arena ->
    val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
    val field = array.field()
    CData.exportArray(array, out, CExport.DEVICE)
    CData.importArray(out, CImport.DEVICE.schema(field).validation(level))
}

/** Lets the fake device go on once the action waits. */
private fun waiting(fake: FakeDevice, action: () -> Unit) = waiting(fake::release, action)

private fun waiting(release: () -> Unit, action: () -> Unit) {
    val waiting = thread { action() }
    val start = TimeSource.Monotonic.markNow()
    try {
        while (waiting.state != Thread.State.WAITING) {
            check(waiting.isAlive) { "it is over, and has not waited" }
            check(start.elapsedNow() < 5.seconds) { "it has not waited for 5 s: ${waiting.state}" }
            Thread.onSpinWait()
        }
    } finally {
        release()
        waiting.join()
    }
}

private fun asyncRound(executor: Executor) {
    val reader = numbers(10).use { batch -> DeviceArrayReader.of(batch.schema(), listOf(batch.retain())) }
    CData.importAsyncStream(CImport.DEVICE) {
        CData.exportAsyncStream(AsyncProducer.of(reader, Metadata.empty()), it, executor, CExport.DEVICE)
    }.use { stream ->
        stream.reader(1).use { all -> while (true) (all.next() ?: break).close() }
        stream.released().toCompletableFuture().get(5, SECONDS)
    }
}

/** What is queued and what is asked for of one stream, on each side. */
private class Received : (RecordedEvent) -> Unit {
    val consumer = CompletableFuture<Pair<Long, Long>>()
    val producer = CompletableFuture<Pair<Long, Long>>()

    override fun invoke(event: RecordedEvent) {
        (if (event.getString("role") == "consumer") consumer else producer)
            .complete(event.getLong("queued") to event.getLong("demand"))
    }
}

/** Keeps what it gets. */
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
        eventually("nothing is left") { Held.now().isZero }
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
