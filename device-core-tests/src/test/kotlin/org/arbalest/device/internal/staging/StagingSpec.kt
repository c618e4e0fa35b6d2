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

/** Tests of core's copies through pinned memory, on a device that runs one command when the test says so. */
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

    /** Returns whether the thread is in a call of the fake that waits. */
    fun Thread.waits() = stackTrace.any {
        it.methodName.startsWith("synchronize") && it.className.endsWith("FakeDevice")
    }

    fun thread(action: () -> Unit): Pair<Thread, CompletableFuture<Unit>> {
        val done = CompletableFuture<Unit>()
        return Thread.ofPlatform().start {
            runCatching(action).fold(done::complete, done::completeExceptionally)
        } to done
    }

    test("a copy to the device returns at once, its source may change, and the device writes later [DEV-40]") {
        for (size in sizes) onStream { stream ->
            device.allocate(size).use { there ->
                filled(size, 1).use { source ->
                    fake.hold()
                    stream.copy(source, there)
                    source.fill(size, 2)
                    // one copy for each slot, and an event
                    if (size <= 2 * large) fake.pending(stream) shouldBe ((size + large - 1) / large + 1).toInt()
                    fake.release()
                    stream.synchronize()
                    withClue(size) { gpu.matches(there, size, 1) shouldBe true }
                }
            }
        }
    }

    test("a new stream with a closed stream's handle does not get slots that are still in use [DEV-40]") {
        fake.reusesHandles = true
        try {
            val closed = device.createStream()
            fake.hold()
            val used = gpu.occupy(closed, Staging.MOST_SMALL)
            closed.close()
            onStream { next ->
                val (source, there) = filled(8, 99) to device.allocate(8)
                val (waiting, done) = thread { next.copy(source, there) }
                eventually("the copy waits or is done") { waiting.waits() || done.isDone }
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

    test("a copy from the device returns at once, and the queue writes main memory later [DEV-40]") {
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

    test("the device copies into a slot in one command, and the CPU out of it in the next [DEV-40]") {
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

    test("a copy within the device, or between it and pinned memory, uses no slot [DEV-40]") {
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

    test("a copy within main memory runs in the queue's order, whether pinned or not [DEV-40]") {
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

    test("memory that a queued copy writes is read after that copy, and other memory at once [DEV-40]") {
        onStream { stream ->
            val there = listOf(100L, 100L, 100L).map(device::allocate)
            val hosts = List(3) { filled(100, it) }
            stream.copy(hosts[0], there[0])
            fake.hold()
            stream.copy(there[0], hosts[1])
            stream.copy(hosts[1], there[1]) // reads the bytes that the previous copy writes
            stream.copy(hosts[2], there[2]) // reads the present bytes
            hosts[2].fill(100, 9)
            fake.release()
            stream.synchronize()
            gpu.matches(there[1], 100, 0) shouldBe true
            gpu.matches(there[2], 100, 2) shouldBe true
            (there + hosts).forEach(DeviceBuffer::close)
        }
    }

    test("the columns of a batch share slots, and gaps below 64 bytes do not split a copy [DEV-40]") {
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

    test("batches with columns slightly smaller or larger than a slot arrive whole [DEV-40]") {
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

    test("a copy larger than all slots waits only for the oldest of its own slots, in both directions [DEV-40]") {
        val size = (Staging.MOST_LARGE + 3) * large + 77
        onStream { stream ->
            val there = device.allocate(size)
            val source = filled(size, 5)
            fake.hold()
            val (copying, done) = thread { stream.copy(source, there) }
            eventually("the copy waits for slots") { copying.waits() }
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

    test("the device fills a lane while the CPU is busy, and reuses no slot before it is emptied [DEV-40]") {
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

    test("a copy without a free slot waits only for the oldest slot of its own stream [DEV-40]") {
        onStream { stream ->
            val gate = gpu.gate(stream)
            val held = gpu.occupy(stream, Staging.MOST_SMALL)
            device.allocate(100).use { there ->
                filled(100, 3).use { source ->
                    val (copying, done) = thread { stream.copy(source, there) }
                    eventually("the copy waits") { copying.waits() }
                    gate.complete()
                    done.get(5, SECONDS)
                    stream.synchronize()
                    gpu.matches(there, 100, 3) shouldBe true
                }
            }
            held.forEach(DeviceBuffer::close)
        }
    }

    test("a copy does not wait for another stream's slots; the runtime makes it instead [DEV-40]") {
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

    test("without a free slot, the runtime reads pending bytes only after the copy that writes them [DEV-40]") {
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
            eventually("the copy waits for its stream") { copying.waits() }
            gates[1].complete()
            done.get(5, SECONDS)
            reading.synchronize()
            gpu.matches(second, 100, 1) shouldBe true
            gates[0].complete()
            busy.synchronize()
            (held + listOf(first, second, middle)).forEach(DeviceBuffer::close)
        } } }
    }

    test("a slot whose copy is not queued yet is not given to another thread [DEV-40]") {
        onStream { busy ->
            onStream { stream ->
                val gate = gpu.gate(busy)
                val held = gpu.occupy(busy, Staging.MOST_SMALL - 1)
                val (first, second) = filled(100, 1) to filled(100, 2)
                val (one, two) = device.allocate(100) to device.allocate(100)
                val stop = fake.stop(FakeCall.COPY)
                val (_, copying) = thread { stream.copy(first, one) } // takes and fills the last slot
                stop.awaitThread()
                // the stream is empty, so waiting for it does not free that slot
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

    test("thousands of copies by two threads, on one stream or on two, all arrive [DEV-40]") {
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

    test("a stream that is closed completes its copies, and its slots and lanes are released [DEV-40]") {
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

    test("trimming memory keeps the slots that are in use, and their copies arrive [DEV-40]") {
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

    test("a copy that the device fails leaves main memory unchanged, and the next copy reads it at once [DEV-40]") {
        for (size in listOf(100L, 2 * large)) onStream { stream ->
            // small enough for the stream itself: a failed queue stays failed, and so does a lane
            val there = device.allocate(size)
            val back = filled(size, 2)
            fake.hold()
            fake.failNextCommand()
            stream.copy(there, back)
            fake.release()
            shouldThrow<DeviceException> { stream.synchronize() }.message shouldContain "FAKE_LAUNCH_FAILED (719)"
            settled()
            eventually("all slots are released") { gpu.staging.inUse() == 0 }
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

    test("copies from the device that find no lane use the queue itself, and wait for no other copy [DEV-40]") {
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

/** The limit for a test that hangs. It is long because the test does much work. */
private const val HANG_SECONDS = 60L
