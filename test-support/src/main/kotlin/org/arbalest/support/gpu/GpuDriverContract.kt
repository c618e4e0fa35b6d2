// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.c.ArrowDeviceArrayStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.SkipWithout
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicBoolean

/**
 * The part of the contract of every GPU backend that runs on a driver as well as on a simulator: kinds of memory,
 * waits, streams, also the threads' own. Tests that need two GPUs are skipped with a message if there is one.
 */
fun gpuDriverContract(backend: GpuBackend): TestFactory = funSpec {
    include(defaultStreamContract(backend))

    val device by lazy { backend.gpu(0) }
    val cpu = Devices.cpu()

    test(
        "pinned memory with device_id −1 is served by the first GPU, reached by the others, and exported with −1 " +
            "[DEV-16]",
    ).config(extensions = listOf(backend.twoGpus)) {
        val type = backend.types[1]
        val pinned = Devices.device(type, -1)
        pinned.isOpaque shouldBe false
        Arena.ofConfined().use { arena ->
            val out = arena.allocate(ArrowDeviceArrayStruct.LAYOUT)
            val second = backend.gpu(1)
            second.createStream().use { stream ->
                val gate = backend.gate(stream)
                val (there, field) = numbers(500).use {
                    it.copyTo(second, stream).use { there -> there.copyTo(pinned.memory(), stream) to it.field() }
                }
                there.use { CData.exportArray(it, out, CExport.DEVICE) }
                RawArrowDeviceArray.deviceId(out.address()) shouldBe -1
                RawArrowDeviceArray.deviceType(out.address()) shouldBe type.code()
                CData.importBatch(out, CImport.DEVICE.schema(field)).use { taken ->
                    taken.device() shouldBeSameInstanceAs pinned
                    taken.isReady shouldBe false
                    taken.viewOrCopyTo(second).use { it.device() shouldBe second }
                    gate.open()
                    taken.synchronize()
                    numbers(500).use { taken.column(0).toLongArray() shouldBe it.column(0).toLongArray() }
                    taken.slice(1, 2).use { CData.exportArray(it, out, CExport.DEVICE) }
                    RawArrowDeviceArray.deviceId(out.address()) shouldBe -1
                    CData.importArray(out, CImport.DEVICE.schema(field)).close()
                }
                stream.synchronize()
            }
        }
    }

    for (type in backend.types.drop(1)) {
        test("the CPU reads memory of $type after the wait, without a copy [DEV-11]")
            .config(extensions = listOf(ifThere(type))) {
                val shared = Devices.device(type, 0)
                device.createStream().use { stream ->
                    val gate = backend.gate(stream)
                    numbers(10).use { it.copyTo(shared, stream) }.use { there ->
                        there.isReady shouldBe false
                        val buffers = ResourceCounters.now()
                        val viewing = CompletableFuture.supplyAsync { there.viewOrCopyTo(cpu) }
                        gate.open()
                        viewing.get(5, SECONDS).use { view ->
                            view.synchronize()
                            (ResourceCounters.now().since(buffers).buffers() <= 0) shouldBe true
                            view.column("a").getLong(3) shouldBe 9
                        }
                    }
                }
            }
    }

    test("memory: freeing memory of any kind does not wait for the GPU") {
        device.createStream().use { stream ->
            val gate = backend.gate(stream)
            device.hostMemory().get().allocate(1000).close()
            for (type in backend.present) Devices.device(type, 0).allocate(1000).close()
            gate.open()
            stream.synchronize()
        }
    }

    test("memory: an allocation has the requested alignment") {
        for (alignment in listOf(1L, 64, 256, 512, 4096)) {
            device.memory().allocate(777, alignment).use { it.address() % alignment shouldBe 0 }
        }
    }

    test("a virtual thread that changes its OS thread takes no context or current device with it [DEV-10]") {
        for (used in backend.gpus) {
            val failures = ConcurrentLinkedQueue<Throwable>()
            val threads = List(64) { seed ->
                Thread.ofVirtual().unstarted {
                    used.createStream().use { stream ->
                        repeat(5) {
                            numbers(20_000 + seed).use { it.copyTo(used, stream) }.use { there ->
                                there.copyTo(cpu, stream).use { it.synchronize() }
                            }
                            if (backend.onDouble) backend.double.threadState shouldBe 0
                            Thread.yield()
                        }
                    }
                }.apply { setUncaughtExceptionHandler { _, e -> failures += e } }
            }
            threads.forEach { it.start() }
            threads.forEach { it.join() }
            failures.firstOrNull()?.let { throw it }
        }
    }

    test("the first call on a virtual thread keeps its OS thread between two related driver calls [DEV-10]") {
        val isOver = AtomicBoolean()
        // the creation of such an arena may wait for a lock
        val noise = List(2) { Thread.ofPlatform().start { while (!isOver.get()) Arena.ofAuto().allocate(8) } }
        val failures = ConcurrentLinkedQueue<Throwable>()
        val stream = backend.gpus.last().createStream() // not of the GPU that is current by default
        try {
            val threads = List(4_000) {
                Thread.ofVirtual().start {
                    runCatching {
                        stream.record().use { it.isReady }
                        if (backend.onDouble) backend.double.threadState shouldBe 0
                    }.onFailure { failures += it }
                }
            }
            threads.forEach { it.join() }
        } finally {
            isOver.set(true)
            noise.forEach { it.join() }
            stream.close()
        }
        failures.firstOrNull()?.let { throw it }
        if (backend.onDouble) backend.double.violation shouldBe ""
    }

    test("streams: handle 0 is wrapped as the default stream of the given GPU") {
        for (used in backend.gpus) {
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

    test("devices: two GPUs copy to each other and wait for each other's events, without pinned memory")
        .config(extensions = listOf(backend.twoGpus)) {
            backend.settle()
            val second = backend.gpu(1)
            val pinned = { if (backend.onDouble) backend.double.live(Live.PINNED) else 0 }
            device.createStream().use { one ->
                second.createStream().use { two ->
                    val gate = backend.gate(one)
                    numbers(2000).use { source ->
                        source.copyTo(device, one).use { a ->
                            val before = pinned()
                            a.copyTo(second, two).use { b ->
                                b.device() shouldBeSameInstanceAs second
                                b.isReady shouldBe false
                                pinned() shouldBe before
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

    include(threadStreamContract(backend))
}

/** The condition of tests that need two GPUs; a simulator has one if a test has set that. */
val GpuBackend.twoGpus: SkipWithout get() = SkipWithout { "one GPU".takeIf { gpus.size < 2 } }

private fun ifThere(type: DeviceType): SkipWithout = SkipWithout {
    (Devices.availability(type) as? Availability.Missing)?.reason()
}
