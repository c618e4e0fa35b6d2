// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.columns
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.pageable
import org.arbalest.testkit.contract.pattern
import org.arbalest.testkit.contract.settled
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference
import kotlin.random.Random

/**
 * A backend, on a simulator or on a driver, that copies from and to pageable memory through pinned slots of two sizes.
 */
interface StagingBackend : Backend {
    /** The simulator of the runtime; throws if the tests run on a driver. */
    val double: GpuDouble

    /** Whether it runs on the simulator. Tests that need a simulator are skipped on a driver. */
    val onDouble: Boolean get() = true

    /** The other devices that the device copies from and to: a second GPU, pinned and managed memory. */
    val others: List<Device>

    /** The sizes of a small slot and of a large one, in bytes. */
    val slotSizes: Pair<Long, Long>

    /** The greatest numbers of small slots and of large ones. */
    val mostSlots: Pair<Int, Int>

    /** Returns the present number of slots of both sizes. */
    fun slots(): Int

    /** Returns the number of allocations that contain the slots. */
    fun blocks(): Int

    /** The function of the runtime that copies many pieces; null if it has none. */
    val batchCopy: String?

    /** Whether the backend calls that function for this device. */
    val copiesBatches: Boolean get() = batchCopy != null

    /** Whether the device itself reads pageable memory, so that a copy needs no slots. */
    val reachesPageable: Boolean get() = false

    /** All functions of the runtime that the backend calls. */
    val functions: Set<String>

    /** The function that makes the device current. */
    val change: String

    /** Waits until the backend's own thread has freed all memory that it received before. */
    fun drainFrees()

    /** Waits like the other `drainFrees`, for at most [limit] seconds: a longer wait is a fault. */
    fun drainFrees(limit: Long) {
        CompletableFuture.runAsync { drainFrees() }.get(limit, SECONDS)
    }

    /** Releases the memory that is kept for all GPUs; call it only when nothing is queued. */
    fun trim()

    /**
     * Waits until no release is in progress, so that later numbers of [GpuDouble.live] can be compared with the present
     * ones.
     */
    fun settle() {
        settled()
        drainFrees()
        trim()
    }
}

/** Skips tests of registered memory, and of batches that may have such memory, if it has two addresses. */
val StagingBackend.batchesCopied: SkipWithout get() =
    SkipWithout { "the GPU has registered memory at another address".takeIf { batchCopy != null && !copiesBatches } }

private val StagingBackend.slotsNeeded: SkipWithout get() =
    SkipWithout { "copies need no slots on this machine".takeIf { reachesPageable } }

/** The contract of copies from and to main memory of any kind, which must not block their caller. */
fun stagedCopyContract(backend: StagingBackend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val double by lazy { backend.double } // only where the tests run on it
    val cpu = Devices.cpu()
    val (small, large) = backend.slotSizes
    val (mostSmall, mostLarge) = backend.mostSlots

    test("copy: a copy from or to pageable memory returns at once, also in a held stream, and keeps the order") {
        for (size in listOf(8L, 1000, small, small + 1, large, 3 * large + 12345)) {
            device.createStream().use { stream ->
                val first = pageable(size, 1)
                val middle = pageable(size, 2)
                val last = pageable(size, 3)
                val a = device.allocate(size)
                val b = device.allocate(size)
                val gate = backend.gate(stream)
                stream.copy(first, a)
                stream.copy(a, middle)
                stream.copy(middle, b) // must read the bytes that the copy before it writes
                stream.copy(b, last)
                last.segment().get(JAVA_BYTE, size - 1) shouldBe pattern(size - 1, 3)
                gate?.open()
                stream.synchronize()
                last.segment().mismatch(first.segment()) shouldBe -1
                listOf(first, middle, last, a, b).forEach { it.close() }
            }
        }
    }

    test("copy: a copy within main memory, pinned or pageable, returns at once") {
        device.createStream().use { stream ->
            val hosts = listOf(pageable(100_000, 1)) + List(2) { device.hostMemory().get().allocate(100_000) } +
                List(2) { pageable(100_000, 2) }
            val gate = backend.gate(stream)
            hosts.zipWithNext { from, to -> stream.copy(from, to) }
            hosts.last().segment().get(JAVA_BYTE, 99) shouldBe pattern(99, 2)
            gate?.open()
            stream.synchronize()
            hosts.last().segment().mismatch(hosts.first().segment()) shouldBe -1
            hosts.forEach { it.close() }
        }
    }

    if (backend.onDouble)
        test("copy: pinned memory is copied directly, pageable memory through a limited number of pinned slots") {
            backend.settle()
            val others = double.live(Live.PINNED) - backend.blocks()
            device.createStream().use { stream ->
                device.hostMemory().get().allocate(100_000).use { pinned ->
                    device.allocate(100_000).use { there ->
                        stream.copy(pinned, there)
                        stream.copy(there, pinned)
                        stream.synchronize()
                        double.live(Live.PINNED) shouldBe others + backend.blocks() + 1
                    }
                }
            }
            device.createStream().use { stream ->
                val source = pageable(200L shl 20, 7)
                val there = device.allocate(source.size())
                val back = pageable(source.size(), 8)
                stream.copy(source, there)
                stream.copy(there, back)
                stream.synchronize()
                back.segment().mismatch(source.segment()) shouldBe -1
                listOf(source, there, back).forEach { it.close() }
            }
            (backend.slots() <= mostSmall + mostLarge) shouldBe true
            backend.trim()
            eventually("only slots stay pinned") { double.live(Live.PINNED) == others + backend.blocks() }
        }

    test("copy: if other streams hold all slots, the runtime copies without slots, and nothing hangs") {
        device.createStream().use { free ->
            val held = HeldCopies(backend, List(mostSmall) { pageable(100, it) to device.allocate(100) })
            val mine = pageable(100, 99)
            val there = device.allocate(100)
            val back = pageable(100, 98)
            free.copy(mine, there)
            free.copy(there, back)
            free.synchronize()
            back.segment().mismatch(mine.segment()) shouldBe -1
            held.close()
            listOf(mine, there, back).forEach { it.close() }
        }
    }

    test("copy: a copy reads pageable memory after another stream's copy has written it, also without slots") {
        device.createStream().use { writing ->
            device.createStream().use { reading ->
                val source = device.allocate(100)
                pageable(100, 42).use { writing.copy(it, source) }
                writing.synchronize()
                backend.settle() // its slot is free again
                val middle = pageable(100, 7)
                val target = device.allocate(100)
                val gate = backend.gate(writing)
                writing.copy(source, middle)
                writing.record().use { reading.waitFor(it) }
                // with the slot above, all slots
                val held = HeldCopies(backend, List(mostSmall - 1) { pageable(8, it) to device.allocate(8) })
                val copying = CompletableFuture.runAsync { reading.copy(middle, target) }
                repeat(1_000_000) { if (!copying.isDone) Thread.onSpinWait() }
                if (!backend.reachesPageable) copying.isDone shouldBe false // the bytes are not written yet
                gate?.open()
                copying.get(5, SECONDS)
                val back = pageable(100, 1)
                reading.copy(target, back)
                reading.synchronize()
                back.segment().get(JAVA_BYTE, 99) shouldBe pattern(99, 42)
                writing.synchronize()
                held.close()
                listOf(source, middle, target, back).forEach { it.close() }
            }
        }
    }

    test("copy: a source is read after the events that the stream waits for, also if its writer is unknown [DEV-50]") {
        val pinned = device.hostMemory().get().allocate(1000)
        val asOthersSeeIt = DeviceBuffer.wrap(cpu, pinned.address(), 1000) {} // so that the writer is unknown
        val (written, target) = List(2) { device.allocate(1000) }
        pageable(1000, 5).use { device.defaultStream().run { copy(it, written); synchronize() } }
        device.createStream().use { writer ->
            device.createStream().use { reader ->
                val gate = checkNotNull(backend.gate(writer))
                writer.copy(written, pinned)
                writer.record().use { reader.waitFor(it) }
                reader.copy(asOthersSeeIt, target)
                gate.open()
                reader.synchronize()
                target.copyTo(cpu.memory()).use { copy ->
                    pageable(1000, 5).use { copy.segment().mismatch(it.segment()) shouldBe -1 }
                }
            }
            val gate = checkNotNull(backend.gate(writer))
            pageable(1000, 6).use { device.defaultStream().run { copy(it, written); synchronize() } }
            writer.copy(written, pinned)
            writer.copy(asOthersSeeIt, target) // the owner of the handle may have queued work that writes there
            gate.open()
            writer.synchronize()
            target.copyTo(cpu.memory()).use { copy ->
                pageable(1000, 6).use { copy.segment().mismatch(it.segment()) shouldBe -1 }
            }
        }
        listOf(asOthersSeeIt, pinned, written, target).forEach { it.close() }
    }

    if (backend.onDouble) test(
        "copy: the device fills further slots while the CPU has not emptied the first, and the call returns [DEV-33]",
    ).config(extensions = listOf(backend.slotsNeeded)) {
        device.createStream().use { stream ->
            val size = 7 * large + 12345
            val there = device.allocate(size)
            pageable(size, 3).use { stream.copy(it, there) }
            stream.synchronize()
            val back = pageable(size, 4)
            double.withoutHostFunctions {
                val done = double.copiesDone
                stream.copy(there, back)
                eventually("the device has filled some slots") { double.copiesDone - done >= 2 }
                back.segment().get(JAVA_BYTE, 0) shouldBe pattern(0, 4)
            }
            stream.synchronize()
            pageable(size, 3).use { back.segment().mismatch(it.segment()) shouldBe -1 }
            listOf(there, back).forEach { it.close() }
        }
    }

    if (backend.onDouble)
        test("copy: a copy to the device does not wait for an unrelated copy from the device [DEV-33]") {
            device.createStream().use { leaving ->
                device.createStream().use { coming ->
                    val size = 3 * large
                    val there = device.allocate(size)
                    pageable(size, 3).use { leaving.copy(it, there) }
                    leaving.synchronize()
                    val back = pageable(size, 4)
                    val other = pageable(size, 5)
                    val target = device.allocate(size)
                    double.withoutHostFunctions {
                        leaving.copy(there, back)
                        coming.copy(other, target)
                        coming.synchronize()
                    }
                    leaving.copy(target, back)
                    leaving.synchronize()
                    back.segment().mismatch(other.segment()) shouldBe -1
                    listOf(there, back, other, target).forEach { it.close() }
                }
            }
        }

    if (backend.onDouble) test(
        "copy: 100 columns of 64 KiB, pinned or not, need at most 12 runtime calls and 2 device changes [DEV-34]",
    ).config(extensions = listOf(backend.batchesCopied)) {
        for (memory in listOf(cpu.memory(), device.hostMemory().get())) {
            BatchBuilder.of(memory, COLUMN_ROWS).use { batch ->
                repeat(100) { column ->
                    batch.int64("c$column", LongArray(COLUMN_ROWS) { row -> row * 1000L + column })
                }
                batch.build()
            }.use { source ->
                device.createStream().use { stream ->
                    repeat(2) { source.copyTo(device, stream).use { it.synchronize() } } // slots exist now
                    backend.settle()
                    fun counted(copy: () -> RecordBatch): RecordBatch {
                        // another thread destroys the event, unless the copy is complete
                        val gate = backend.gate(stream)
                        val before = backend.functions.associateWith(double::callsHere)
                        val copied = copy()
                        val calls = before.mapValues { (name, count) -> double.callsHere(name) - count }
                            .filterValues { it > 0 }
                        withClue("to ${copied.device()}, from or to ${memory.device()}: $calls") {
                            calls.values.sum() shouldBeLessThanOrEqual 12
                            (calls[backend.change] ?: 0) shouldBeLessThanOrEqual 2
                        }
                        gate?.open()
                        copied.synchronize()
                        return copied
                    }
                    counted { source.copyTo(device, stream) }.use { there ->
                        MemoryPool.of(memory, 64L shl 20).use { pool ->
                            repeat(2) { there.copyTo(pool, stream).use { it.synchronize() } }
                            backend.settle()
                            counted { there.copyTo(pool, stream) }.use { back ->
                                back.column(99).toLongArray() shouldBe source.column(99).toLongArray()
                            }
                        }
                    }
                }
            }
        }
    }

    if (backend.onDouble) test(
        "copy: repeated copies allocate no memory of the runtime, which may wait for all queued work [DEV-61]",
    ) {
        device.createStream().use { held ->
            device.createStream().use { free ->
                fun once() {
                    for (size in listOf(1000L, 3 * large + 1)) {
                        pageable(size, 1).use { from ->
                            pageable(size, 2).use { to ->
                                device.allocate(size).use { there ->
                                    free.copy(from, there)
                                    free.copy(there, to)
                                    free.synchronize()
                                    to.segment().mismatch(from.segment()) shouldBe -1
                                }
                            }
                        }
                    }
                    for (memory in backend.others.map { it.memory() } + device.hostMemory().get())
                        memory.allocate(10_000).close()
                    columns(3).use { it.copyTo(device, free) }.use { there ->
                        there.copyTo(cpu, free).use { it.synchronize() }
                    }
                    eventually("no wait is pending") { Held.now().waits() == 0L }
                }
                repeat(3) { once() }
                val gate = checkNotNull(backend.gate(held))
                double.allocationsWait(true)
                try {
                    CompletableFuture.runAsync { repeat(10) { once() } }.get(5, SECONDS)
                } finally {
                    double.allocationsWait(false)
                    gate.open()
                }
                held.synchronize()
            }
        }
    }

    if (backend.onDouble)
        test("copy: during a copy of 3 ms all threads, the poller included, make few runtime calls [DEV-34]") {
            BatchBuilder.of(device.hostMemory().get(), COLUMN_ROWS).use { batch ->
                repeat(100) { column ->
                    batch.int64("c$column", LongArray(COLUMN_ROWS) { row -> row * 1000L + column })
                }
                batch.build()
            }.use { source ->
                device.createStream().use { stream ->
                    repeat(2) { source.copyTo(device, stream).use { it.synchronize() } }
                    backend.settle()
                    val most = 5
                    val calls = List(most) {
                        val gate = checkNotNull(backend.gate(stream))
                        val before = double.calls()
                        source.copyTo(device, stream).use { there ->
                            val ready = checkNotNull(there.syncEvent()).use { it.onReady().toCompletableFuture() }
                            val start = System.nanoTime()
                            // the time of the device's copy
                            while (System.nanoTime() - start < 3_000_000) Thread.onSpinWait()
                            val calls = double.calls() - before
                            gate.open()
                            ready.get(5, SECONDS)
                            calls
                        }
                    }
                    // a machine may delay a single copy for a long time
                    withClue("by all threads: $calls") { calls.sorted()[most / 2] shouldBeLessThanOrEqual MOST_CALLS }
                }
            }
        }

    if (backend.onDouble) test(
        "copy: the error of a failed batch copy names the function and first piece [DEV-14]",
    ).config(extensions = listOf(backend.batchesCopied)) {
        val function = backend.batchCopy
        if (function != null) {
            columns(20, device.hostMemory().get()).use { source ->
                double.fail(function)
                shouldThrow<DeviceException> { source.copyTo(device) }.message shouldContain
                    Regex("$function on $device failed: .* \\(999\\), asked for 20 copies, the first of 80000 " +
                        "bytes from 0x")
                source.copyTo(device).use { there ->
                    there.copyTo(cpu).use { back -> back.synchronize(); back.contentEquals(source) shouldBe true }
                }
            }
        }
    }

    // From the device, each piece is a call if the runtime cannot copy many in one.
    if (backend.onDouble && backend.batchCopy != null)
        test(
            "copy: the runtime calls for text columns do not grow with their number [DEV-34]",
        ).config(extensions = listOf(backend.batchesCopied)) {
            fun calls(columns: Int): Long = BatchBuilder.of(cpu, 10).use { batch ->
                repeat(columns) { column -> batch.utf8("c$column", List(10) { "text $column.$it" }) }
                batch.build()
            }.use { source ->
                device.createStream().use { stream ->
                    source.copyTo(device, stream).use { it.synchronize() }
                    backend.settle()
                    val before = double.callsHere()
                    source.copyTo(device, stream).use { there ->
                        val coming = double.callsHere() - before
                        there.synchronize() // otherwise the copy back may have to wait for it
                        val between = double.callsHere()
                        there.copyTo(cpu, stream).use { back ->
                            val calls = coming + double.callsHere() - between
                            back.synchronize()
                            back.column(columns - 1).getString(9) shouldBe "text ${columns - 1}.9"
                            calls
                        }
                    }
                }
            }
            val few = calls(10)
            withClue("of 10 columns $few") { calls(1000) shouldBeLessThanOrEqual few + 8 }
        }

    for (hasOneThread in listOf(false, true).filter { backend.onDouble || !it }) test(
        "copy: four threads copy random sizes between all kinds of memory" +
            if (hasOneThread) ", with one thread for all host functions" else "",
    ) {
        if (hasOneThread) double.oneHostThread()
        val kinds = listOf(cpu, device) + backend.others
        val threads = List(4) { seed ->
            val random = Random(seed)
            val failure = AtomicReference<Throwable>()
            val thread = Thread.ofPlatform().unstarted {
                device.createStream().use { stream ->
                    repeat(60) {
                        val size = if (random.nextInt(8) == 0) random.nextLong(1, 6L shl 20)
                        else random.nextLong(1, 200_000)
                        val source = pageable(size, it)
                        val chain = List(random.nextInt(1, 5)) { kinds[random.nextInt(kinds.size)].allocate(size) }
                        (listOf(source) + chain).zipWithNext { from, to -> stream.copy(from, to) }
                        val end = pageable(size, it + 1)
                        stream.copy(chain.last(), end)
                        chain.forEach { buffer -> buffer.close() }
                        stream.synchronize()
                        end.segment().mismatch(source.segment()) shouldBe -1
                        source.close()
                        end.close()
                    }
                }
            }
            thread.setUncaughtExceptionHandler { _, e -> failure.set(e) }
            thread.start()
            thread to failure
        }
        threads.forEach { (thread, failure) ->
            thread.join()
            failure.get()?.let { throw it }
        }
    }
}

/** The limit for all threads while a copy takes 3 ms; a thread that polls without a pause would make thousands. */
private const val MOST_CALLS = 600L

/** Rows of eight bytes each: 64 KiB. */
private const val COLUMN_ROWS = 8192

/**
 * Copies that are queued and held, by more than one stream, because a single stream does not hold as many. Closing lets
 * them continue.
 */
private class HeldCopies(
    backend: StagingBackend,
    private val copies: List<Pair<DeviceBuffer, DeviceBuffer>>,
) : AutoCloseable {
    private val streams = List(HOLDING) { backend.device.createStream() }
    private val gates = streams.map { backend.gate(it) }

    init {
        copies.forEachIndexed { i, (from, to) -> streams[i % HOLDING].copy(from, to) }
    }

    override fun close() {
        gates.forEach { it?.open() }
        for (stream in streams) {
            stream.synchronize()
            stream.close()
        }
        copies.forEach { (from, to) ->
            from.close()
            to.close()
        }
    }

    private companion object {
        /** A CUDA stream took 56 such copies: see queue.c. */
        const val HOLDING = 4
    }
}
