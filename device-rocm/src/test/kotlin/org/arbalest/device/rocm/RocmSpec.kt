package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Ledger
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.testkit.CCompiler
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import org.arbalest.testkit.gpu.GpuDouble
import org.arbalest.testkit.gpu.GpuDouble.Live
import org.arbalest.testkit.gpu.HipDouble
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit.SECONDS

/** What HIP asks for beyond the contract: current devices, host functions, waits, memory, its last error. */
class RocmSpec : FunSpec({
    extension(CCompiler.needed)
    extension(HipDouble.extension)
    extension(LedgerExtension)
    extension(gates.opened)

    val device by lazy { Devices.device(DeviceType.ROCM, 0) }
    val second by lazy { Devices.device(DeviceType.ROCM, 1) }
    val gpu by lazy { Gpu.open(0) }
    val cpu = Devices.cpu()

    test("DEV-16 pinned memory with device_id −1 is served as the first GPU's, reached by the others, and goes on with −1") {
        val pinned = Devices.device(DeviceType.ROCM_HOST, -1)
        pinned.isOpaque shouldBe false
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            val second = Devices.device(DeviceType.ROCM, 1)
            second.createStream().use { stream ->
                val gate = gates.shut(stream)
                val (there, field) = numbers(500).use { it.copyTo(second, stream).use { there -> there.copyTo(pinned.memory(), stream) to it.field() } }
                there.use { it.exportDeviceArray(out) }
                ArrowDeviceArrayStruct.deviceId(out.address()) shouldBe -1
                ArrowDeviceArrayStruct.deviceType(out.address()) shouldBe DeviceType.ROCM_HOST.code()
                DeviceArray.importDeviceArray(out, field).use { taken ->
                    taken.device() shouldBeSameInstanceAs pinned
                    taken.isReady shouldBe false
                    taken.viewOrCopyTo(second).use { it.device() shouldBe second }
                    gate.open()
                    taken.synchronize()
                    numbers(500).use { taken.column(0).toLongArray() shouldBe it.column(0).toLongArray() }
                    taken.slice(1, 2).use { it.exportDeviceArray(out) }
                    ArrowDeviceArrayStruct.deviceId(out.address()) shouldBe -1
                    DeviceArray.importDeviceArray(out, field).close()
                }
                stream.synchronize()
            }
        }
    }

    test("DEV-10 every call restores the device that was current, whatever that is") {
        fun useAll() {
            for (used in listOf(device, second)) {
                val other = if (used == device) second else device
                used.createStream().use { stream ->
                    numbers(100).use { it.copyTo(used, stream) }.use { there ->
                        there.copyTo(cpu, stream).use { back ->
                            back.synchronize()
                            back.isReady shouldBe true
                        }
                        stream.record().use { it.completion().toCompletableFuture().get(20, SECONDS) }
                        there.copyTo(other, other.defaultStream()).use { it.synchronize() }
                    }
                    stream.synchronize()
                    used.hostMemory().get().allocate(100).close()
                }
            }
        }
        for (ordinal in 0..1) {
            Raw.onDevice(ordinal) {
                useAll()
                HipDouble.currentDevice shouldBe ordinal
            }
        }
    }

    test("DEV-10 virtual threads change their OS threads while they wait for each other, and take no device along") {
        val failures = ConcurrentLinkedQueue<Throwable>()
        val threads = List(64) { seed ->
            Thread.ofVirtual().unstarted {
                second.createStream().use { stream ->
                    repeat(20) {
                        numbers(20_000 + seed).use { it.copyTo(second, stream) }.use { there -> there.copyTo(cpu, stream).use { it.synchronize() } }
                        HipDouble.currentDevice shouldBe 0
                        Thread.yield()
                    }
                }
            }.apply { setUncaughtExceptionHandler { _, e -> failures += e } }
        }
        threads.forEach { it.start() }
        threads.forEach { it.join() }
        failures.firstOrNull()?.let { throw it }
    }

    test("host functions call nothing of HIP's, whatever is done when an event is over") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            val source = numbers(500)
            val there = source.copyTo(device, stream)
            val done = checkNotNull(there.syncEvent()).use { it.completion() }.thenCompose {
                there.close()
                device.createStream().use { other -> other.record().use { it.completion() } }
            }
            source.close()
            gate.open()
            done.toCompletableFuture().get(20, SECONDS)
            stream.synchronize()
        }
        HipDouble.violation shouldBe ""
    }

    test("wait: who asks for an event that a thread waits for is answered at once, and may close it") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            val event = stream.record()
            val places = gpu.threadWaits.places()
            val threads = List(5) { Thread.ofPlatform().start { event.synchronize() } }
            eventually("some wait") { gpu.threadWaits.places() > places || threads.all { it.state == Thread.State.RUNNABLE } }
            val asking = CompletableFuture.runAsync {
                repeat(2000) { event.isDone shouldBe false }
                device.createStream().use { it.waitFor(event) }
            }
            asking.get(20, SECONDS)
            event.close()
            gate.open()
            threads.forEach { it.join() }
        }
    }

    test("wait: a thread that waits does not wait behind others' events") {
        val held = List(40) { device.createStream() }
        val gates = held.map { gates.shut(it) }
        val events = held.map { it.record() }
        val threads = events.map { event -> Thread.ofPlatform().start { event.synchronize() } }
        val stages = events.map { it.completion().toCompletableFuture() }
        device.createStream().use { free ->
            numbers(100).use { it.copyTo(device, free) }.use { there -> there.synchronize() }
            free.record().use { it.synchronize() }
        }
        gates.forEach { it.open() }
        threads.forEach { it.join() }
        stages.forEach { it.get(20, SECONDS) }
        events.forEach { it.close() }
        held.forEach { it.close() }
        (gpu.waits.lanes() <= 32) shouldBe true
    }

    test("wait: an event behind a held one is told all the same, and each gets a stream of its own, which is used again") {
        device.createStream().use { held ->
            device.createStream().use { free ->
                val gate = gates.shut(held)
                held.record().use { late ->
                    val last = late.completion().toCompletableFuture()
                    repeat(100) { free.record().use { it.completion().toCompletableFuture().get(20, SECONDS) } }
                    last.isDone shouldBe false
                    gate.open()
                    last.get(20, SECONDS)
                    (gpu.waits.lanes() <= 32) shouldBe true
                }
            }
        }
    }

    test("wait: ten thousand events at once, from many streams") {
        val streams = List(20) { device.createStream() }
        val gates = streams.map { gates.shut(it) }
        val stages = List(10_000) { streams[it % 20].record().use { event -> event.completion().toCompletableFuture() } }
        stages.count { it.isDone } shouldBe 0
        gates.forEach { it.open() }
        stages.forEach { it.get(20, SECONDS) }
        streams.forEach { it.close() }
        Thread.getAllStackTraces().keys.map { it.name }.filter { it.startsWith("arbalest-rocm") }.sorted() shouldContainExactly
            listOf("arbalest-rocm-frees", "arbalest-rocm-watch")
    }

    test("wait: streams for waits have the highest priority, so that they are in nobody's way") {
        gpu.waitPriority shouldBe -1 // as the double has it: 1 is the least
    }

    test("streams: closing one that has work to do does not wait, as destroying it would; it is destroyed when that is done") {
        val streams = HipDouble.live(Live.STREAMS)
        val lanes = gpu.waits.lanes()
        val stream = device.createStream()
        val gate = gates.shut(stream)
        stream.close()
        HipDouble.live(Live.STREAMS) shouldBe streams + 1 + (gpu.waits.lanes() - lanes)
        gate.open()
        eventually("it is destroyed") { HipDouble.live(Live.STREAMS) == streams + (gpu.waits.lanes() - lanes) }
        Frees.drain()
    }

    test("streams: the default stream, by its handle 0, is a stream to wrap, of the device that it was wrapped for") {
        for (used in listOf(device, second)) {
            used.wrapStream(0).use { stream ->
                numbers(10).use { source ->
                    source.copyTo(used, stream).use { there ->
                        there.copyTo(cpu, stream).use {
                            it.synchronize()
                            it.column("a").getLong(9) shouldBe 27
                        }
                    }
                }
            }
        }
    }

    test("streams: one of somebody else's is used, and left alone") {
        val out = Arena.ofAuto().allocate(JAVA_LONG)
        Raw.onDevice(1) { Raw.call(Raw.function("hipStreamCreateWithFlags", JAVA_LONG, JAVA_INT), out.address(), 0) shouldBe 0 }
        val foreign = out.get(JAVA_LONG, 0)
        second.wrapStream(foreign).use { stream ->
            stream.handle() shouldBe foreign
            val gate = gates.shut(stream)
            numbers(10).use { it.copyTo(second, stream) }.use { there ->
                there.isReady shouldBe false
                gate.open()
                there.copyTo(cpu, stream).use { it.synchronize() }
            }
        }
        Raw.call(Raw.function("hipStreamQuery", JAVA_LONG), foreign) shouldBe 0
        Raw.call(Raw.function("hipStreamDestroy", JAVA_LONG), foreign) shouldBe 0
    }

    test("DEV-03 an exported array's sync_event points to a hipEvent_t, which HIP answers for") {
        Arena.ofConfined().use { arena ->
            device.createStream().use { stream ->
                val gate = gates.shut(stream)
                val struct = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8)
                numbers(10).use { it.copyTo(device, stream) }.exportDeviceArray(struct)
                ArrowDeviceArrayStruct.deviceType(struct.address()) shouldBe 10
                val event = MemorySegment.ofAddress(ArrowDeviceArrayStruct.syncEvent(struct.address())).reinterpret(8).get(JAVA_LONG, 0)
                val query = Raw.function("hipEventQuery", JAVA_LONG)
                Raw.call(query, event) shouldBe Hip.NOT_READY
                gate.open()
                eventually("it completes") { Raw.call(query, event) == Hip.SUCCESS }
                DeviceArray.importDeviceArray(struct, numbers(1).use { it.schema() }).close()
            }
        }
    }

    test("memory: freed memory of a GPU does not wait for the GPU, nor does closing pinned memory") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            device.allocate(1000).close()
            device.hostMemory().get().allocate(1000).close()
            gate.open()
            stream.synchronize()
        }
    }

    test("memory: any alignment") {
        for (alignment in listOf(1L, 64, 256, 512, 4096)) {
            device.memory().allocate(777, alignment).use { it.address() % alignment shouldBe 0 }
        }
    }

    test("DEV-14 out of memory in the middle of a batch leaves nothing") {
        eventually("all is free") { HipDouble.live(Live.DEVICE) == 0L }
        HipDouble.reset(memory = 1 shl 20)
        val held = device.allocate(1 shl 16)
        cpu.batchBuilder(100_000).use { it.int64("a", LongArray(100_000)).int64("b", LongArray(100_000)).build() }.use { large ->
            val error = shouldThrow<DeviceException> { large.copyTo(device) }
            error.errno() shouldBe Errno.ENOMEM
            error.message shouldContain "hipMallocFromPoolAsync on ROCM:0 failed: hipErrorOutOfMemory (2), asked for"
            error.message shouldContain "; 983040 of the GPU's 1048576 bytes are free"
        }
        numbers(100).use { it.copyTo(device).use { there -> there.copyTo(cpu).use { back -> back.synchronize() } } }
        held.close()
        eventually("it is all freed") { HipDouble.live(Live.DEVICE) == 0L }
    }

    test("errors: what fails in us, or is asked in vain, nobody finds by hipGetLastError; what they have to find stays") {
        device.createStream().use { stream ->
            val fails = Raw.function("hipSetDevice", JAVA_INT)
            fun useAll() {
                numbers(100).use { it.copyTo(device, stream) }.use { there -> there.copyTo(cpu, stream).use { it.synchronize() } }
                pageable(100, 1).use { a -> pageable(100, 2).use { b -> stream.copy(a, b) } }
                stream.synchronize()
            }
            useAll()
            HipDouble.lastError shouldBe 0
            shouldThrow<DeviceException> { device.allocate(GpuDouble.MEMORY * 2) }
            HipDouble.lastError shouldBe 0
            Raw.call(fails, 77) shouldBe 101
            useAll()
            HipDouble.lastError shouldBe 101
            HipErrors.forget()
        }
    }

    test("devices: two GPUs copy to each other, and wait for each other's events, without main memory") {
        device.createStream().use { one ->
            second.createStream().use { two ->
                val gate = gates.shut(one)
                numbers(2000).use { source ->
                    source.copyTo(device, one).use { a ->
                        val pinned = HipDouble.live(Live.PINNED)
                        a.copyTo(second, two).use { b ->
                            b.device() shouldBeSameInstanceAs second
                            b.isReady shouldBe false
                            HipDouble.live(Live.PINNED) shouldBe pinned
                            gate.open()
                            b.copyTo(cpu, two).use { back ->
                                back.synchronize()
                                back.column("a").toLongArray() shouldBe LongArray(2000) { it * 3L }
                            }
                            b.copyTo(device, one).use { back -> back.synchronize() }
                        }
                    }
                }
            }
        }
    }

    test("DEV-11 pinned memory is the CPU's to read after the wait, without a copy") {
        val shared = Devices.device(DeviceType.ROCM_HOST, 0)
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            numbers(10).use { it.copyTo(shared, stream) }.use { there ->
                there.isReady shouldBe false
                val buffers = Ledger.now()
                val viewing = CompletableFuture.supplyAsync { there.viewOrCopyTo(cpu) }
                gate.open()
                viewing.get(20, SECONDS).use { view ->
                    view.synchronize()
                    (Ledger.now().since(buffers).buffers() <= 0) shouldBe true
                    view.column("a").getLong(3) shouldBe 9
                }
            }
        }
    }
})
