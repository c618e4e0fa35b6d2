package org.arbalest.device.rocm

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.abi.DeviceType
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.gpu.HipDouble
import org.arbalest.testkit.gpu.GpuDouble.Live
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.TimeUnit.SECONDS

/** Copies from and to main memory of any kind, which must not make their caller wait. */
class RocmCopySpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)
    extension(LedgerExtension)
    extension(ValueGate.Opened)

    val device by lazy { Devices.device(DeviceType.ROCM, 0) }
    val gpu by lazy { Gpu.open(0) }
    val cpu = Devices.cpu()

    test("copy: from and to pageable memory returns at once, also behind a gate, and keeps the stream's order") {
        for (size in listOf(8L, 1000, Staging.SMALL, Staging.SMALL + 1, Staging.LARGE, 3 * Staging.LARGE + 12345)) {
            device.createStream().use { stream ->
                val first = pageable(size, 1)
                val middle = pageable(size, 2)
                val last = pageable(size, 3)
                val a = device.allocate(size)
                val b = device.allocate(size)
                val gate = ValueGate(stream)
                stream.copy(first, a)
                stream.copy(a, middle)
                stream.copy(middle, b) // must read what the copy before it writes
                stream.copy(b, last)
                last.segment().get(JAVA_BYTE, size - 1) shouldBe pattern(size - 1, 3)
                gate.open()
                stream.synchronize()
                last.segment().mismatch(first.segment()) shouldBe -1
                listOf(first, middle, last, a, b).forEach { it.close() }
            }
        }
    }

    test("copy: pinned memory goes directly, also to pinned memory; pageable memory by way of pinned slots, of which there is a limit") {
        val others = HipDouble.live(Live.PINNED) - gpu.staging.blocks()
        device.createStream().use { stream ->
            val pinned = device.hostMemory().get().allocate(100_000)
            val there = device.allocate(100_000)
            stream.copy(pinned, there)
            val second = device.hostMemory().get().allocate(100_000)
            val gate = ValueGate(stream)
            stream.copy(there, pinned)
            stream.copy(pinned, second) // returns although the stream is held
            gate.open()
            stream.synchronize()
            HipDouble.live(Live.PINNED) shouldBe others + gpu.staging.blocks() + 2
            pinned.close()
            second.close()
            there.close()
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
        (gpu.staging.slots() <= 16 + 64) shouldBe true
        eventually("only slots are left") { HipDouble.live(Live.PINNED) == others + gpu.staging.blocks() }
    }

    test("copy: when other streams hold all slots, HIP copies in its own way, and nothing hangs") {
        device.createStream().use { held ->
            device.createStream().use { free ->
                val gate = ValueGate(held)
                val sources = List(64) { pageable(100, it) }
                val targets = List(64) { device.allocate(100) }
                sources.zip(targets).forEach { (from, to) -> held.copy(from, to) }
                val mine = pageable(100, 99)
                val there = device.allocate(100)
                val back = pageable(100, 98)
                free.copy(mine, there)
                free.copy(there, back)
                free.synchronize()
                back.segment().mismatch(mine.segment()) shouldBe -1
                gate.open()
                held.synchronize()
                (sources + targets + listOf(mine, there, back)).forEach { it.close() }
            }
        }
    }

    test("copy: what a copy on one stream writes to pageable memory, one on another reads behind it, also when there are no slots left") {
        device.createStream().use { writing ->
            device.createStream().use { reading ->
                val slots = List(63) { pageable(8, it) to device.allocate(8) } // with the one below, all
                val source = device.allocate(100)
                pageable(100, 42).use { writing.copy(it, source) }
                writing.synchronize()
                val middle = pageable(100, 7)
                val target = device.allocate(100)
                val gate = ValueGate(writing)
                writing.copy(source, middle)
                writing.record().use { reading.waitFor(it) }
                slots.forEach { (from, to) -> writing.copy(from, to) }
                val copying = java.util.concurrent.CompletableFuture.runAsync { reading.copy(middle, target) }
                repeat(1_000_000) { if (!copying.isDone) Thread.onSpinWait() }
                copying.isDone shouldBe false // it has not read what is not written yet
                gate.open()
                copying.get(20, SECONDS)
                val back = pageable(100, 1)
                reading.copy(target, back)
                reading.synchronize()
                back.segment().get(JAVA_BYTE, 99) shouldBe pattern(99, 42)
                writing.synchronize()
                (slots.flatMap { it.toList() } + listOf(source, middle, target, back)).forEach { it.close() }
            }
        }
    }

    test("copy: random sizes and places between all kinds of memory, on four threads") {
        val kinds = listOf(cpu, device, Devices.device(DeviceType.ROCM, 1), Devices.device(DeviceType.ROCM_HOST, 0))
        val failures = List(4) { seed ->
            val random = kotlin.random.Random(seed)
            val failure = java.util.concurrent.atomic.AtomicReference<Throwable>()
            val thread = Thread.ofPlatform().unstarted {
                device.createStream().use { stream ->
                    repeat(60) {
                        val size = if (random.nextInt(8) == 0) random.nextLong(1, 6L shl 20) else random.nextLong(1, 200_000)
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
        failures.forEach { (thread, failure) ->
            thread.join()
            failure.get()?.let { throw it }
        }
    }
})
