// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.gpu.GpuDouble
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.support.gpu.HipDouble
import org.arbalest.support.gpu.gpuContract
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import org.arbalest.testkit.contract.settled
import java.lang.foreign.ValueLayout.JAVA_INT
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** The contract of GPUs, and HIP's own behaviour: waits of threads, pools, and the last error. */
class RocmSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(gpuContract(RocmBackend(DeviceType.ROCM)))

    val device by lazy { Devices.device(DeviceType.ROCM, 0) }
    val cpu = Devices.cpu()

    test("wait: an event that other threads wait for is queried and closed without a wait") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            val event = stream.record()
            val threads = List(5) { Thread.ofPlatform().start { event.synchronize() } }
            eventually("the threads wait") { threads.all { it.state == Thread.State.TIMED_WAITING } }
            val asking = CompletableFuture.runAsync {
                repeat(2000) { event.isReady shouldBe false }
                device.createStream().use { it.waitFor(event) }
            }
            asking.get(5, SECONDS)
            event.close()
            gate.open()
            threads.forEach { it.join() }
        }
    }

    test("a foreign hipEventSynchronize blocks queries of its event, but no wait for another event [DEV-25]") {
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)
        device.createStream().use { held ->
            device.createStream().use { other ->
                val shut = List(2) { gates.shut(if (it == 0) held else other) }
                val first = held.record()
                val stuck = first.onReady().toCompletableFuture()
                // the three calls lock the event, one after the other
                val waiting = List(3) {
                    CompletableFuture.runAsync { Raw.call(synchronize, first.handle()) shouldBe 0 }
                }
                val late = List(20) { held.record() }
                val lateStages = late.map { it.onReady().toCompletableFuture() }
                val stages = List(20) { other.record().use { it.onReady().toCompletableFuture() } }
                shut[1].open()
                stages.forEach { it.get(5, SECONDS) }
                repeat(20) { other.record().use { it.onReady().toCompletableFuture().get(5, SECONDS) } }
                stuck.isDone shouldBe false
                shut[0].open()
                (lateStages + stuck + waiting).forEach { it.get(5, SECONDS) }
                (late + first).forEach { it.close() }
            }
        }
    }

    test("a library thread retries a failed change to relaxed mode, and then works during a capture [DEV-23]") {
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)
        val exchange = "hipThreadExchangeStreamCaptureMode"
        device.createStream().use { held ->
            device.createStream().use { other ->
                val shut = List(2) { gates.shut(if (it == 0) held else other) }
                val first = held.record()
                val stuck = first.onReady().toCompletableFuture()
                // the thread that goes on queries this event
                val second = other.record().use { it.onReady().toCompletableFuture() }
                val exchanges = HipDouble.calls(exchange)
                HipDouble.fail(exchange)
                // blocks the thread that queries the first event
                val waiting = CompletableFuture.runAsync { Raw.call(synchronize, first.handle()) shouldBe 0 }
                // The second exchange shows that the query in unrelaxed mode is over. That query would invalidate a
                // capture that has begun before.
                eventually("another thread goes on and retries") { HipDouble.calls(exchange) > exchanges + 1 }
                HipDouble.failNothing() shouldBe 0
                HipDouble.capturing {
                    shut[1].open()
                    second.get(5, SECONDS)
                }
                stuck.isDone shouldBe false
                shut[0].open()
                listOf(stuck, waiting).forEach { it.get(5, SECONDS) }
                first.close()
            }
        }
    }

    test("an allocation during a wait for an event does not deadlock, as it can with HIP's pools [DEV-29]") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            try {
                stream.record().use { event ->
                    val thread = Thread.ofPlatform().start { event.synchronize() }
                    eventually("the thread waits") {
                        thread.state in listOf(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                    }
                    repeat(10) { device.allocate(5000L * (it + 1)).close() }
                    gate.open()
                    thread.join()
                }
            } finally {
                gate.open()
            }
        }
        HipDouble.violation shouldBe ""
    }

    test("freed memory is reused, and HIP does not unmap and map it again [DEV-29]") {
        device.allocate(10_000).close()
        val mapped = HipDouble.mapped
        repeat(100) { device.allocate(10_000).close() }
        HipDouble.mapped shouldBe mapped
    }

    test("wait: a thread that waits for a stream does not block others that queue work in it or query it") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            try {
                val waiting = Thread.ofPlatform().start { stream.synchronize() }
                eventually("the thread waits") {
                    waiting.state in listOf(Thread.State.WAITING, Thread.State.TIMED_WAITING)
                }
                val others = CompletableFuture.runAsync {
                    numbers(100).use { it.copyTo(device, stream) }.use { there -> stream.waitFor(there) }
                    stream.record().use { it.isReady shouldBe false }
                }
                others.get(5, SECONDS)
                gate.open()
                waiting.join()
            } finally {
                gate.open()
            }
        }
    }

    test("a device has pools on request, and the simulator's pools behave like HIP's [DEV-29]") {
        val child = childOf(WithPools::class)
        io.kotest.assertions.withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("without pools a GPU has none to choose, and the error names the option [DEV-66]") {
        for (call in listOf({ Rocm.currentPool(device) }, { Rocm.usePool(device, 0) })) {
            shouldThrow<DeviceException> { call() }.run {
                errno() shouldBe Errno.ENOSYS
                message shouldContain "ROCM:0 uses no memory pools: HIP has none, or the program was started without"
                message shouldContain "-Darbalest.rocm.pools=true"
            }
        }
    }

    test("wait: a thread that waits for one event does not wait for other threads' events") {
        val held = List(40) { device.createStream() }
        val gates = held.map { gates.shut(it) }
        val events = held.map { it.record() }
        val threads = events.map { event -> Thread.ofPlatform().start { event.synchronize() } }
        val stages = events.map { it.onReady().toCompletableFuture() }
        device.createStream().use { free ->
            numbers(100).use { it.copyTo(device, free) }.use { there -> there.synchronize() }
            free.record().use { it.synchronize() }
        }
        gates.forEach { it.open() }
        threads.forEach { it.join() }
        stages.forEach { it.get(5, SECONDS) }
        events.forEach { it.close() }
        held.forEach { it.close() }
    }

    test("streams: closing a busy stream does not wait, and the stream is destroyed after its work") {
        settled()
        Frees.CALLS.drain()
        val streams = HipDouble.live(Live.STREAMS)
        val stream = device.createStream()
        val gate = gates.shut(stream)
        stream.close()
        HipDouble.live(Live.STREAMS) shouldBe streams + 1
        gate.open()
        eventually("the stream is destroyed") { HipDouble.live(Live.STREAMS) == streams }
        Frees.CALLS.drain()
    }

    test("errors: hipGetLastError returns the application's own error, and never one of the library's calls") {
        device.createStream().use { stream ->
            val fails = Raw.function("hipSetDevice", JAVA_INT)
            fun useAll() {
                numbers(100).use { it.copyTo(device, stream) }.use { there ->
                    there.copyTo(cpu, stream).use { it.synchronize() }
                }
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
})

/** A program that requests pools, which are off by default. The simulator's source gives the reasons. */
internal object WithPools {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        val device = Devices.device(DeviceType.ROCM, 0)
        check(Gpu.open(0).pool.isThere)
        val mapped = HipDouble.mapped
        repeat(10) { device.allocate(10_000).close() }
        check(HipDouble.mapped == mapped + 10) {
            "the simulator's pool must map memory again for each allocation, like HIP's pools"
        }
        val stream = device.createStream()
        val gate = gates.shut(stream)
        val event = stream.record()
        // only foreign code calls this function
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)
        val thread = Thread.ofPlatform().start { check(Raw.call(synchronize, event.handle()) == 0) }
        eventually("the thread waits") { HipDouble.synchronizing > 0 }
        device.allocate(100).close()
        check("10529" in HipDouble.violation) { "the simulator must report an allocation that may deadlock" }
        gate.open()
        thread.join()
        println("good")
    }
}
