// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.settled
import java.lang.foreign.Arena
import java.nio.channels.FileChannel
import java.nio.file.Files
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/**
 * The part of the contract of every GPU backend that needs a simulator. See [gpuDriverContract], [captureContract] and
 * [givingBackContract] for the rest.
 */
fun gpuContract(backend: GpuBackend): TestFactory = funSpec {
    include(gpuMemoryContract(backend))
    include(gpuStreamContract(backend))
    include(gpuFailureContract(backend))
    include(pollingContract(backend))
    include(placeContract(backend))
}

private fun gpuMemoryContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val double = backend.double
    val cpu = Devices.cpu()

    val kinds = backend.types.map { type -> "$type" to { Devices.device(type, 0).memory() } } +
        ("shareable ${backend.types[0]}" to { device.shareableMemory().get() })
    for ((kind, memory) in kinds) {
        test("freeing $kind memory while a stream is held does not block other threads [DEV-28]") {
            device.createStream().use { held ->
                val gate = backend.gate(held)
                try {
                    memory().allocate(100_000).close()
                    backend.drainFrees(limit = 5)
                    val others = CompletableFuture.runAsync {
                        repeat(20) {
                            device.createStream().use { stream ->
                                memory().allocate(1000L + it).close()
                                numbers(100).use { it.copyTo(device, stream) }.use { there ->
                                    there.copyTo(cpu, stream).use { it.synchronize() }
                                }
                                stream.record().use { it.isReady }
                            }
                        }
                    }
                    others.get(5, SECONDS)
                    double.freeing shouldBe 0
                } finally {
                    gate.open()
                }
                held.synchronize()
            }
        }
    }

    test("kept memory above the bound is freed only when no stream has work, and trim frees all of it [DEV-28]") {
        val pinned = device.hostMemory().get()
        backend.settle()
        val bound = GpuDouble.MEMORY / 8
        device.createStream().use { stream ->
            val gate = backend.gate(stream)
            try {
                List(5) { pinned.allocate(40L shl 20) }.forEach { it.close() }
                pinned.keptBytes() shouldBe (200L shl 20)
                double.freeing shouldBe 0
                pinned.allocate(40L shl 20).use { pinned.keptBytes() shouldBe (160L shl 20) }
            } finally {
                gate.open()
            }
            eventually("no more is kept than the bound") { pinned.keptBytes() <= bound }
            pinned.trim()
            pinned.keptBytes() shouldBe 0
        }
    }

    test("kept memory is freed before an allocation of another kind on the same GPU fails [DEV-28]") {
        backend.settle()
        double.reset(memory = 1 shl 20)
        for (type in backend.types.filter { it != backend.types[1] }) {
            val memory = Devices.device(type, 0).memory()
            // two sizes of blocks, with space for one of them
            repeat(2) { memory.allocate(700_000 + 90_000L * it).close() }
        }
        backend.trim()
    }

    test("repeated allocations reuse kept memory, and do not call the driver each time [DEV-28]") {
        backend.settle()
        val pinned = double.live(Live.PINNED)
        repeat(100) { device.hostMemory().get().allocate(10_000L + it).close() }
        double.live(Live.PINNED) - pinned shouldBe 1
    }

    test("foreign memory is pinned in place, and unpinned once, after its last use and in an idle period [DEV-30]") {
        backend.settle()
        Arena.ofShared().use { arena ->
            val theirs = arena.allocate(10_000, 4096)
            for (i in 0 until 10_000L) theirs.set(java.lang.foreign.ValueLayout.JAVA_BYTE, i, (i * 7).toByte())
            val unpinned = AtomicInteger()
            device.createStream().use { stream ->
                val gate = backend.gate(stream)
                val there = device.allocate(10_000)
                try {
                    val buffer = device.pin(theirs) { unpinned.incrementAndGet() }
                    buffer.device() shouldBe Devices.device(backend.types[1], 0)
                    buffer.address() shouldBe theirs.address()
                    shouldThrow<DeviceException> {
                        device.pin(theirs.asSlice(100, 8)) { error("the memory was never pinned") }
                    }.run {
                        errno() shouldBe Errno.EINVAL
                        message shouldContain "(712), asked for 8 bytes at 0x"
                    }
                    val slice = buffer.slice(1, 9_000)
                    stream.copy(buffer, there)
                    buffer.close()
                    buffer.close()
                    slice.close()
                    double.live(Live.REGISTERED) shouldBe 1
                    unpinned.get() shouldBe 0
                } finally {
                    gate.open()
                }
                eventually("the memory is unpinned") { unpinned.get() == 1 }
                double.live(Live.REGISTERED) shouldBe 0
                there.copyTo(cpu.memory()).use { back -> back.segment().mismatch(theirs) shouldBe -1 }
                there.close()
                val gateOfTrim = backend.gate(stream)
                device.pin(theirs) { unpinned.incrementAndGet() }.close()
                double.live(Live.REGISTERED) shouldBe 1
                gateOfTrim.open()
                stream.synchronize()
                device.hostMemory().get().trim()
                eventually("the memory is unpinned again") { unpinned.get() == 2 }
            }
        }
        double.live(Live.REGISTERED) shouldBe 0
    }

    test("memory whose unpinning fails is unpinned later, and its owner is notified then [DEV-30]") {
        backend.settle()
        Arena.ofShared().use { arena ->
            val unpinned = CountDownLatch(1)
            val buffer = device.pin(arena.allocate(64)) { unpinned.countDown() }
            double.fail(backend.words.unpin, code = 2)
            double.fail(backend.words.unpin, nth = 2, code = 900)
            buffer.close()
            backend.trim() // does not throw its error
            unpinned.await(5, SECONDS) shouldBe true
            double.live(Live.REGISTERED) shouldBe 0
        }
    }

    test("memory that cannot be pinned stays unregistered, and the error has the reason [DEV-30]") {
        Arena.ofConfined().use { arena ->
            val theirs = arena.allocate(64)
            fun failure() = shouldThrow<DeviceException> { device.pin(theirs) { error("never pinned") } }
            shouldThrow<IllegalArgumentException> {
                device.pin(java.lang.foreign.MemorySegment.ofArray(ByteArray(8))) {}
            }
            shouldThrow<IllegalArgumentException> { device.pin(theirs.asSlice(0, 0)) {} }
            for (function in backend.words.pins) {
                double.fail(function)
                failure().message shouldContain
                    "$function on $device failed: ${backend.words.unknown}, asked for 64 bytes at 0x"
                double.live(Live.REGISTERED) shouldBe 0
            }
            double.shifted(true)
            failure().run {
                errno() shouldBe Errno.ENOSYS
                message shouldContain "the GPU has it at another address"
            }
            double.live(Live.REGISTERED) shouldBe 0
            shouldThrow<DeviceException> { cpu.pin(theirs) {} }.errno() shouldBe Errno.ENOSYS
        }
    }

    test("a read-only segment is not pinned, as its buffer could be written [DEV-65]") {
        val file = Files.write(Files.createTempFile("arbalest", null), ByteArray(4096))
        try {
            Arena.ofConfined().use { arena ->
                val mapped = FileChannel.open(file).use { it.map(FileChannel.MapMode.READ_ONLY, 0, 4096, arena) }
                for (theirs in listOf(mapped, arena.allocate(64).asReadOnly())) {
                    val error = shouldThrow<IllegalArgumentException> { device.pin(theirs) { error("never pinned") } }
                    error.message shouldBe "cannot pin a read-only segment of ${theirs.byteSize()} bytes: streams " +
                        "and the CPU could write to the pinned buffer; pin the writable segment, or copy the memory " +
                        "to hostMemory()"
                }
                val hidden = java.lang.foreign.MemorySegment.ofAddress(mapped.address()).reinterpret(4096)
                val refused = shouldThrow<DeviceException> { device.pin(hidden) { error("never pinned") } }
                refused.errno() shouldBe Errno.EINVAL
            }
        } finally {
            Files.delete(file)
        }
        double.live(Live.REGISTERED) shouldBe 0
    }

    test("memory: an alignment above the driver's needs one allocation, which is freed by its original address") {
        backend.settle()
        for (type in backend.types) {
            val memory = Devices.device(type, 0).memory()
            val buffers = List(20) { memory.allocate(1000L, 4096) }
            buffers.forEach { it.address() % 4096 shouldBe 0 }
            buffers.forEach { it.close() }
        }
        backend.settle()
        double.live(Live.DEVICE) shouldBe 0
        double.live(Live.MANAGED) shouldBe 0
    }

    test("a batch copy that runs out of memory leaks nothing, and the error has the free bytes [DEV-14]") {
        fun useSome() = numbers(100).use {
            it.copyTo(device).use { there -> there.copyTo(cpu).use { back -> back.synchronize() } }
        }
        useSome() // all memory that is pinned permanently is pinned now
        eventually("device memory is free") { backend.trim(); double.live(Live.DEVICE) == 0L }
        double.reset(memory = 1 shl 20)
        val held = device.allocate(1 shl 16)
        BatchBuilder.of(cpu, 100_000).use {
            it.int64("a", LongArray(100_000)).int64("b", LongArray(100_000)).build()
        }.use { large ->
            val error = shouldThrow<DeviceException> { large.copyTo(device) }
            error.errno() shouldBe Errno.ENOMEM
            error.message shouldContain
                "${backend.words.allocation} on $device failed: ${backend.words.outOfMemory}, asked for"
            error.message shouldContain "; 983040 of 1048576 bytes of the GPU are free"
        }
        useSome()
        held.close()
        eventually("device memory is freed") { backend.trim(); double.live(Live.DEVICE) == 0L }
    }
}

private fun gpuStreamContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val double = backend.double

    test("wait: a held event does not delay other events' stages, and the wait creates no stream") {
        settled()
        val streams = double.live(Live.STREAMS)
        device.createStream().use { held ->
            device.createStream().use { free ->
                val gate = backend.gate(held)
                held.record().use { late ->
                    val last = late.onReady().toCompletableFuture()
                    repeat(100) { free.record().use { it.onReady().toCompletableFuture().get(5, SECONDS) } }
                    last.isDone shouldBe false
                    gate.open()
                    last.get(5, SECONDS)
                    double.live(Live.STREAMS) shouldBe streams + 2
                }
            }
        }
    }

    test("wait: one thread completes ten thousand stages of many streams") {
        val streams = List(20) { device.createStream() }
        val gates = streams.map { backend.gate(it) }
        val stages = List(10_000) { streams[it % 20].record().use { event -> event.onReady().toCompletableFuture() } }
        stages.count { it.isDone } shouldBe 0
        gates.forEach { it.open() }
        stages.forEach { it.get(5, SECONDS) }
        streams.forEach { it.close() }
        val threads = Thread.getAllStackTraces().keys.map { it.name }.filter { it.startsWith(backend.threads) }
        (threads.filter { !it.endsWith("-watch") } - "${backend.threads}-events-1") shouldContainExactlyInAnyOrder
            listOf("${backend.threads}-frees", "${backend.threads}-events-0")
    }
}

private fun gpuFailureContract(backend: GpuBackend): TestFactory = funSpec {
    val words = backend.words

    test("a failed GPU fails all waiting threads and stages, and all later calls [DEV-06]") {
        val device = backend.gpu(1)
        val streams = List(2) { device.createStream() }
        val gate = backend.gate(streams[0])
        val held = streams[0].record()
        val other = streams[1].also { it.waitFor(held) }.record()
        val stages = listOf(held, other).map { it.onReady().toCompletableFuture() }
        val waiting = Thread.ofPlatform().unstarted { held.synchronize() }
        var thrown: Throwable? = null
        waiting.setUncaughtExceptionHandler { _, e -> thrown = e }
        waiting.start()
        backend.double.die(1)
        for (stage in stages) {
            val failure = shouldThrow<ExecutionException> { stage.get(5, SECONDS) }
                .cause.shouldBeInstanceOf<DeviceException>()
            failure.message shouldBe "${words.query} on $device failed: ${words.illegalAddress}"
        }
        waiting.join()
        thrown.shouldBeInstanceOf<DeviceException>()
        for (use in listOf<() -> Unit>(
            { held.isReady },
            { held.synchronize() },
            { streams[1].synchronize() },
            { streams[0].record() },
            { device.allocate(8) },
        )) {
            shouldThrow<DeviceException> { use() }.message shouldContain words.illegalAddress
        }
        backend.gpu(0).createStream().use { it.synchronize() }
        eventually("the queued work is dropped") { backend.double.live(Live.COMMANDS) == 0L }
        backend.double.reset() // so that the objects of this test can be released
        gate.open()
        held.close()
        other.close()
        streams.forEach { it.close() }
    }
}

/** The contract of every provider of GPUs. */
fun gpuProviderContract(backend: GpuBackend): TestFactory = funSpec {
    fun inChild(program: GpuProgram) {
        val child = backend.run(program)
        withClue(child.output) {
            child.output.trim() shouldBe "good"
            child.exitCode shouldBe 0
        }
    }

    test("a GPU that does not exist is unavailable [DEV-09]") {
        shouldThrow<DeviceException> { backend.gpu(77) }.message shouldContain "${backend.types[0]}:77 is unavailable"
    }

    test("without pools, memory comes from synchronous functions, and freeing it does not wait for the GPU") {
        inChild(GpuProgram.WITHOUT_POOLS)
    }

    test("a GPU that appears later is found, and so is a driver that is installed later [DEV-18]") {
        inChild(GpuProgram.COMES_LATER)
    }

    test(
        "a stream's memory is allocated and freed in the stream's order, outside graphs, and other streams' copies " +
            "wait for it [DEV-31, DEV-60]",
    ) {
        inChild(GpuProgram.IN_STREAM_ORDER)
    }

    test("JVM exit: a process with open arrays, pending stages and waiting daemon threads ends normally") {
        inChild(GpuProgram.LEAVES_ALL_OPEN)
    }
}
