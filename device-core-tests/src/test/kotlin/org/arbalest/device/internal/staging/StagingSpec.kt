// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.support.StagedGpu
import org.arbalest.device.support.StagedGpu.Companion.fill
import org.arbalest.device.support.StagedGpu.Companion.filled
import org.arbalest.device.support.StagedGpu.Companion.matches
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.settled
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** Core's copies by way of pinned memory, on a device that does one command when the test says so. */
class StagingSpec : FunSpec({
    val gpu by lazy { StagedGpu(0) }
    extension(StagedGpu.kept)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { gpu.device }
    val fake by lazy { gpu.fake }
    val small = Staging.SMALL
    val large = Staging.LARGE
    val sizes = listOf(1L, 8, 1000, small - 1, small, small + 1, large - 8, large, large + 1, 2 * large, 2 * large + 1,
        5 * large + 12345)

    fun <T> onStream(block: (DeviceStream) -> T): T = device.createStream().use(block)

    /** Whether a thread is in a call of the fake's that waits. */
    fun Thread.waits() = stackTrace.any {
        it.methodName.startsWith("synchronize") && it.className.endsWith("FakeDevice")
    }

    fun thread(action: () -> Unit): Pair<Thread, CompletableFuture<Unit>> {
        val done = CompletableFuture<Unit>()
        return Thread.ofPlatform().start {
            runCatching(action).fold(done::complete, done::completeExceptionally)
        } to done
    }

    test(
        "in: the caller waits for nothing, what he has may be overwritten at once, and nothing is there before the " +
            "device does it [DEV-40]",
    ) {
        for (size in sizes) onStream { stream ->
            device.allocate(size).use { there ->
                filled(size, 1).use { source ->
                    fake.hold()
                    stream.copy(source, there)
                    source.fill(size, 2)
                    // the copies of slots, and an event
                    if (size <= 2 * large) fake.pending(stream) shouldBe ((size + large - 1) / large + 1).toInt()
                    fake.release()
                    stream.synchronize()
                    withClue(size) { gpu.matches(there, size, 1) shouldBe true }
                }
            }
        }
    }

    test(
        "slots that a closed stream's work uses are not those of the next that gets its handle, until the device is " +
            "past them [DEV-40]",
    ) {
        fake.reusesHandles = true
        try {
            val closed = device.createStream()
            fake.hold()
            val used = gpu.occupy(closed, Staging.MOST_SMALL)
            closed.close()
            onStream { next ->
                val (source, there) = filled(8, 99) to device.allocate(8)
                val (waiting, done) = thread { next.copy(source, there) }
                eventually("it waits, or has not waited") { waiting.waits() || done.isDone }
                done.isDone shouldBe false
                fake.release()
                done.get(5, SECONDS)
                next.synchronize()
                gpu.matches(there, 8, 99) shouldBe true
                used.chunked(2).forEachIndexed { i, (_, to) -> withClue(i) { gpu.matches(to, 8, i) shouldBe true } }
                (used + source + there).forEach { it.close() }
            }
        } finally {
            fake.reusesHandles = false
        }
    }

    test("out: the caller waits for nothing, and main memory is written by the queue, when it comes to that [DEV-40]") {
        for (size in sizes) onStream { stream ->
            val there = device.allocate(size)
            filled(size, 1).use { source -> stream.copy(source, there); stream.synchronize() }
            filled(size, 2).use { back ->
                fake.hold()
                stream.copy(there, back)
                withClue(size) { back.matches(size, 2) shouldBe true }
                fake.release()
                stream.synchronize()
                withClue(size) { back.matches(size, 1) shouldBe true }
            }
            there.close()
        }
    }

    test("out: the device's copy into a slot is one command, the CPU's out of it the next [DEV-40]") {
        onStream { stream ->
            val there = device.allocate(100)
            filled(100, 1).use { source -> stream.copy(source, there); stream.synchronize() }
            filled(100, 2).use { back ->
                fake.hold()
                stream.copy(there, back)
                fake.step(stream) shouldBe true
                back.matches(100, 2) shouldBe true
                fake.step(stream) shouldBe true
                back.matches(100, 1) shouldBe true
                fake.release()
                stream.synchronize()
            }
            there.close()
        }
    }

    test(
        "what the device reaches goes there directly: its own memory, and pinned memory in either direction [DEV-40]",
    ) {
        onStream { stream ->
            val places = listOf(device.memory(), device.memory(), gpu.pinned, device.memory(), gpu.pinned)
                .map { it.allocate(100_000) }
            filled(100_000, 7).use { stream.copy(it, places[0]); stream.synchronize() }
            settled()
            fake.reset()
            fake.hold()
            places.zipWithNext().take(3).forEach { (from, to) -> stream.copy(from, to) }
            stream.copy(places[3], places[4].also { check(it.isCpuAccessible) })
            gpu.staging.inUse() shouldBe 0
            fake.copies() shouldContainExactly List(4) { 100_000L }
            fake.release()
            stream.synchronize()
            places.last().matches(100_000, 7) shouldBe true
            places.forEach(DeviceBuffer::close)
        }
    }

    test("within main memory the queue copies, in its order, pinned or not [DEV-40]") {
        onStream { stream ->
            val hosts = listOf(filled(50_000, 1), gpu.pinned.allocate(50_000), filled(50_000, 2), filled(50_000, 3))
            fake.hold()
            hosts.zipWithNext { from, to -> stream.copy(from, to) }
            hosts.last().matches(50_000, 3) shouldBe true
            fake.copies().shouldBeEmpty()
            fake.release()
            stream.synchronize()
            hosts.last().matches(50_000, 1) shouldBe true
            hosts.forEach(DeviceBuffer::close)
        }
    }

    test("order: what a queued copy has yet to write to main memory is read behind it; all else is read at " +
        "once [DEV-40]") {
        onStream { stream ->
            val there = listOf(100L, 100L, 100L).map(device::allocate)
            val hosts = List(3) { filled(100, it) }
            stream.copy(hosts[0], there[0])
            fake.hold()
            stream.copy(there[0], hosts[1])
            stream.copy(hosts[1], there[1]) // what the copy before it will have written
            stream.copy(hosts[2], there[2]) // what is there now
            hosts[2].fill(100, 9)
            fake.release()
            stream.synchronize()
            gpu.matches(there[1], 100, 0) shouldBe true
            gpu.matches(there[2], 100, 2) shouldBe true
            (there + hosts).forEach(DeviceBuffer::close)
        }
    }

    test(
        "packing: the columns of a batch share slots, and gaps of less than 64 bytes are no reason for another " +
            "piece [DEV-40]",
    ) {
        for ((columns, rows) in listOf(100 to 8192, 40 to 1001, 300 to 3)) {
            BatchBuilder.of(cpu, rows).use { batch ->
                repeat(columns) { column -> batch.int64("c$column", LongArray(rows) { row -> row * 1000L + column }) }
                batch.build()
            }.use { source ->
                onStream { stream ->
                    settled()
                    fake.reset()
                    fake.hold()
                    source.copyTo(device, stream).use { there ->
                        val bytes = columns * rows * 8L
                        withClue("$columns columns of $rows rows: ${fake.copies()}") {
                            fake.copies().size.toLong() shouldBe (bytes + large - 1) / large
                        }
                        fake.release()
                        there.copyTo(cpu, stream).use { back ->
                            back.synchronize()
                            back.contentEquals(source) shouldBe true
                        }
                    }
                }
            }
        }
    }

    test("packing: sizes around a slot's, on either side, arrive whole [DEV-40]") {
        for (first in listOf(1L, 63, 64, small - 64, small - 1, small, small + 63)) onStream { stream ->
            val rows = ((first + 7) / 8).toInt()
            BatchBuilder.of(cpu, rows).use { batch ->
                repeat(3) { column -> batch.int64("c$column", LongArray(rows) { row -> row * 7L + column }) }
                batch.build()
            }.use { source ->
                source.copyTo(device, stream).use { there ->
                    there.copyTo(cpu, stream).use { back ->
                        back.synchronize()
                        withClue(first) { back.contentEquals(source) shouldBe true }
                    }
                }
            }
        }
    }

    test(
        "more than all slots hold: in and out, the caller waits for the oldest of its own slots only, and goes on " +
            "when that is back [DEV-40]",
    ) {
        val size = (Staging.MOST_LARGE + 3) * large + 77
        onStream { stream ->
            val there = device.allocate(size)
            val source = filled(size, 5)
            fake.hold()
            val (copying, done) = thread { stream.copy(source, there) }
            eventually("it waits for slots") { copying.waits() }
            gpu.staging.inUse() shouldBe Staging.MOST_LARGE
            fake.step(stream) shouldBe true
            done.isDone shouldBe false
            fake.release()
            done.get(5, SECONDS)
            stream.synchronize()
            filled(size, 6).use { back ->
                fake.interleave(1)
                stream.copy(there, back)
                stream.synchronize()
                back.matches(size, 5) shouldBe true
                fake.release()
            }
            listOf(there, source).forEach(DeviceBuffer::close)
        }
    }

    test("lanes: the device fills the ring while the CPU is busy, and no slot again before that is emptied [DEV-40]") {
        val size = 9 * large
        onStream { stream ->
            val there = device.allocate(size)
            filled(size, 5).use { source ->
                fake.interleave(1)
                stream.copy(source, there)
                stream.synchronize()
                fake.release()
            }
            settled()
            filled(size, 6).use { back ->
                fake.withoutHostFunctions {
                    stream.copy(there, back)
                    back.matches(size, 6) shouldBe true
                }
                stream.synchronize()
                back.matches(size, 5) shouldBe true
            }
            there.close()
        }
    }

    test("out of slots: one thread waits for its own stream's oldest, and that stream's only [DEV-40]") {
        onStream { stream ->
            val gate = gpu.gate(stream)
            val held = gpu.occupy(stream, Staging.MOST_SMALL)
            device.allocate(100).use { there ->
                filled(100, 3).use { source ->
                    val (copying, done) = thread { stream.copy(source, there) }
                    eventually("it waits") { copying.waits() }
                    gate.complete()
                    done.get(5, SECONDS)
                    stream.synchronize()
                    gpu.matches(there, 100, 3) shouldBe true
                }
            }
            held.forEach(DeviceBuffer::close)
        }
    }

    test(
        "out of slots on another stream: the runtime copies in its own way, in and out, and nobody waits for that " +
            "other stream [DEV-40]",
    ) {
        onStream { busy ->
            onStream { stream ->
                val gate = gpu.gate(busy)
                val held = gpu.occupy(busy, Staging.MOST_SMALL)
                device.allocate(100).use { there ->
                    val (source, back) = filled(100, 3) to filled(100, 4)
                    stream.copy(source, there)
                    stream.copy(there, back)
                    back.matches(100, 3) shouldBe true
                    listOf(source, back).forEach(DeviceBuffer::close)
                }
                gate.complete()
                busy.synchronize()
                held.forEach(DeviceBuffer::close)
            }
        }
    }

    test(
        "out of slots: what a queued copy has yet to write is copied by the runtime in its order, not before [DEV-40]",
    ) {
        onStream { busy -> onStream { writing -> onStream { reading ->
            val (first, second) = device.allocate(100) to device.allocate(100)
            filled(100, 1).use { source -> writing.copy(source, first); writing.synchronize() }
            settled()
            val gates = listOf(gpu.gate(busy), gpu.gate(writing))
            val held = gpu.occupy(busy, Staging.MOST_SMALL - 1)
            val middle = filled(100, 2)
            writing.copy(first, middle)
            writing.record().use(reading::waitFor)
            val (copying, done) = thread { reading.copy(middle, second) }
            eventually("it waits for its stream") { copying.waits() }
            gates[1].complete()
            done.get(5, SECONDS)
            reading.synchronize()
            gpu.matches(second, 100, 1) shouldBe true
            gates[0].complete()
            busy.synchronize()
            (held + listOf(first, second, middle)).forEach(DeviceBuffer::close)
        } } }
    }

    test("out of slots, two threads on one stream: a slot whose copy is not queued yet is nobody else's [DEV-40]") {
        onStream { busy ->
            onStream { stream ->
                val gate = gpu.gate(busy)
                val held = gpu.occupy(busy, Staging.MOST_SMALL - 1)
                val (first, second) = filled(100, 1) to filled(100, 2)
                val (one, two) = device.allocate(100) to device.allocate(100)
                val stop = fake.stop(FakeCall.COPY)
                val (_, copying) = thread { stream.copy(first, one) } // it has the last slot, and has filled it
                stop.awaitThread()
                // the stream is empty: a wait for it says nothing of that slot
                thread { stream.copy(second, two) }.second.get(5, SECONDS)
                stop.open()
                copying.get(5, SECONDS)
                stream.synchronize()
                gpu.matches(one, 100, 1) shouldBe true
                gpu.matches(two, 100, 2) shouldBe true
                gate.complete()
                busy.synchronize()
                (held + listOf(first, second, one, two)).forEach(DeviceBuffer::close)
            }
        }
    }

    test("out of slots, two threads on one stream and on two, some thousand copies: each arrives [DEV-40]") {
        for (streams in listOf(1, 2)) {
            val shared = List(streams) { device.createStream() }
            val threads = List(2) { number ->
                thread {
                    val stream = shared[number % streams]
                    val buffers = List(40) {
                        Triple(filled(200, 100 * number + it), device.allocate(200), cpu.allocate(200))
                    }
                    repeat(40) {
                        buffers.forEach { (from, there, back) ->
                            stream.copy(from, there)
                            stream.copy(there, back)
                        }
                        stream.synchronize()
                        buffers.forEachIndexed { i, (_, _, back) ->
                            check(back.matches(200, 100 * number + i)) { "$streams streams, thread $number, copy $i" }
                        }
                        buffers.forEach { (_, _, back) -> back.fill(200, -1) }
                    }
                    buffers.forEach { it.toList().forEach(DeviceBuffer::close) }
                }
            }
            threads.forEach { (_, done) -> done.get(HANG_SECONDS, SECONDS) }
            shared.forEach(DeviceStream::close)
        }
    }

    test(
        "a stream that is closed while its copies are held back: they are done, and slots and lanes come back [DEV-40]",
    ) {
        for (size in listOf(100L, 3 * large + 5)) {
            val there = device.allocate(size)
            val (source, back) = filled(size, 1) to filled(size, 2)
            val queues = fake.counts().queues
            fake.hold()
            device.createStream().use { stream ->
                stream.copy(source, there)
                stream.copy(there, back)
            }
            (gpu.staging.inUse() > 0) shouldBe true
            fake.release()
            eventually("the copy is done") { fake.counts().queues == queues }
            settled()
            back.matches(size, 1) shouldBe true
            listOf(there, source, back).forEach(DeviceBuffer::close)
        }
    }

    test("memory is trimmed while slots are out: they stay, and so does what they are for [DEV-40]") {
        onStream { stream ->
            val there = device.allocate(3 * large)
            val (source, back) = filled(3 * large, 1) to filled(3 * large, 2)
            fake.hold()
            stream.copy(source, there)
            stream.copy(there, back)
            val (used, slots) = gpu.staging.inUse() to gpu.staging.slots()
            device.memory().trim()
            gpu.pinned.trim()
            gpu.staging.inUse() shouldBe used
            gpu.staging.slots() shouldBe slots
            fake.release()
            stream.synchronize()
            back.matches(3 * large, 1) shouldBe true
            listOf(there, source, back).forEach(DeviceBuffer::close)
        }
    }

    test(
        "a copy that the device fails is given up: main memory is as it was, and is read at once by the next who " +
            "copies it [DEV-40]",
    ) {
        for (size in listOf(100L, 2 * large)) onStream { stream ->
            // by the stream itself: a queue that has failed stays so, a lane too
            val there = device.allocate(size)
            val back = filled(size, 2)
            fake.hold()
            fake.failNextCommand()
            stream.copy(there, back)
            fake.release()
            shouldThrow<DeviceException> { stream.synchronize() }.message shouldContain "FAKE_LAUNCH_FAILED (719)"
            settled()
            eventually("slots are back") { gpu.staging.inUse() == 0 }
            back.matches(size, 2) shouldBe true
            onStream { other ->
                fake.hold()
                other.copy(back, there)
                back.fill(size, 3)
                fake.release()
                other.synchronize()
                gpu.matches(there, size, 2) shouldBe true
            }
            listOf(there, back).forEach(DeviceBuffer::close)
        }
    }

    test(
        "more copies on the way out than there are lanes go by the queue itself, and none waits for another [DEV-40]",
    ) {
        val streams = List(6) { device.createStream() }
        val there = device.allocate(3 * large)
        filled(3 * large, 1).use { source -> streams[0].copy(source, there); streams[0].synchronize() }
        settled()
        val back = streams.map { filled(3 * large, 2) }
        fake.hold()
        streams.zip(back).take(4).forEach { (stream, to) -> stream.copy(there, to) }
        gpu.staging.inUse() shouldBeLessThanOrEqual Staging.MOST_LARGE + 4
        fake.release()
        streams.zip(back).drop(4).forEach { (stream, to) -> stream.copy(there, to) }
        streams.forEach { it.synchronize() }
        back.forEach { it.matches(3 * large, 1) shouldBe true }
        (back + there).forEach(DeviceBuffer::close)
        streams.forEach(DeviceStream::close)
    }
})

/** Ends a test that hangs, though it does much work. */
private const val HANG_SECONDS = 60L
