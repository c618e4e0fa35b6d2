// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
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

/**
 * What is asked of GPUs, and what HIP asks for beyond that: current devices, host functions, waits of threads, its last
 * error.
 */
class RocmSpec : FunSpec({
    extension(CCompiler.needed)
    extension(hipDouble)
    extension(ResourceCountersExtension)
    extension(gates.opened)

    include(gpuContract(RocmBackend(DeviceType.ROCM)))

    val device by lazy { Devices.device(DeviceType.ROCM, 0) }
    val cpu = Devices.cpu()

    test("wait: who asks for an event that a thread waits for is answered at once, and may close it") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            val event = stream.record()
            val threads = List(5) { Thread.ofPlatform().start { event.synchronize() } }
            eventually("they wait") { threads.all { it.state == Thread.State.TIMED_WAITING } }
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

    test(
        "somebody else who is in hipEventSynchronize, and so lets others wait who ask for the event, holds up no " +
            "wait for another [DEV-25]",
    ) {
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)
        device.createStream().use { held ->
            device.createStream().use { other ->
                val shut = List(2) { gates.shut(if (it == 0) held else other) }
                val first = held.record()
                val stuck = first.onReady().toCompletableFuture()
                // one after the other has the event
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

    test(
        "a thread of ours that could not be relaxed when it began, is when it asks again: a stage is told while " +
            "somebody captures [DEV-23]",
    ) {
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG)
        val exchange = "hipThreadExchangeStreamCaptureMode"
        device.createStream().use { held ->
            device.createStream().use { other ->
                val shut = List(2) { gates.shut(if (it == 0) held else other) }
                val first = held.record()
                val stuck = first.onReady().toCompletableFuture()
                // which the thread that goes on asks for
                val second = other.record().use { it.onReady().toCompletableFuture() }
                val exchanges = HipDouble.calls(exchange)
                HipDouble.fail(exchange)
                // lets the thread that asks wait
                val waiting = CompletableFuture.runAsync { Raw.call(synchronize, first.handle()) shouldBe 0 }
                // With the second one, what it asked while it was not relaxed is over: a capture that began before
                // would be invalidated by that.
                eventually("another thread goes on, and asks again") { HipDouble.calls(exchange) > exchanges + 1 }
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

    test("an allocation while a thread waits for an event cannot deadlock with it, as HIP's pools may [DEV-29]") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            try {
                stream.record().use { event ->
                    val thread = Thread.ofPlatform().start { event.synchronize() }
                    eventually("it waits") { thread.state in listOf(Thread.State.WAITING, Thread.State.TIMED_WAITING) }
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

    test("memory that is freed serves again, and is not HIP's to unmap and to map [DEV-29]") {
        device.allocate(10_000).close()
        val mapped = HipDouble.mapped
        repeat(100) { device.allocate(10_000).close() }
        HipDouble.mapped shouldBe mapped
    }

    test("wait: a thread that waits for a stream holds up nobody who queues something in it, or asks for it") {
        device.createStream().use { stream ->
            val gate = gates.shut(stream)
            try {
                val waiting = Thread.ofPlatform().start { stream.synchronize() }
                eventually("it waits") { waiting.state in listOf(Thread.State.WAITING, Thread.State.TIMED_WAITING) }
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

    test("pools are there where they were asked for, and work as HIP's do [DEV-29]") {
        val child = childOf(WithPools::class)
        io.kotest.assertions.withClue(child.output) { child.output.trim() shouldBe "good" }
    }

    test("wait: a thread that waits does not wait behind others' events") {
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

    test(
        "streams: closing one that has work to do does not wait, as destroying it would; it is destroyed when " +
            "that is done",
    ) {
        settled()
        Frees.CALLS.drain()
        val streams = HipDouble.live(Live.STREAMS)
        val stream = device.createStream()
        val gate = gates.shut(stream)
        stream.close()
        HipDouble.live(Live.STREAMS) shouldBe streams + 1
        gate.open()
        eventually("it is destroyed") { HipDouble.live(Live.STREAMS) == streams }
        Frees.CALLS.drain()
    }

    test(
        "errors: what fails in us, or is asked in vain, nobody finds by hipGetLastError; what they have to find stays",
    ) {
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

/** What the default is not: why is in the double. */
internal object WithPools {
    @JvmStatic
    fun main(args: Array<String>) {
        HipDouble.load()
        System.setProperty(Pool.REQUESTED, "true")
        val device = Devices.device(DeviceType.ROCM, 0)
        check(Gpu.open(0).pool.isThere)
        val mapped = HipDouble.mapped
        repeat(10) { device.allocate(10_000).close() }
        check(HipDouble.mapped == mapped + 10) { "the double's pool keeps what is freed" }
        val stream = device.createStream()
        val gate = gates.shut(stream)
        val event = stream.record()
        val synchronize = Raw.function("hipEventSynchronize", JAVA_LONG) // as others do; ours does not
        val thread = Thread.ofPlatform().start { check(Raw.call(synchronize, event.handle()) == 0) }
        eventually("it waits") { HipDouble.synchronizing > 0 }
        device.allocate(100).close()
        check("10529" in HipDouble.violation) { "the double does not see what may deadlock" }
        gate.open()
        thread.join()
        println("good")
    }
}
