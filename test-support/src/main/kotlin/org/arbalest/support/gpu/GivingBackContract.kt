// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.lang.foreign.Arena
import java.util.HexFormat
import java.util.concurrent.atomic.AtomicInteger

/**
 * The contract of releases that are deferred or impossible, and of the end of the process, when nothing can be released
 * any more.
 */
fun givingBackContract(backend: GpuBackend): TestFactory = funSpec {
    val words = backend.words

    for (function in words.frees) {
        test("a call of $function that fails temporarily is repeated, without a leak or a log message [DEV-26]") {
            val child = backend.run(GpuProgram.FREE_FAILS_FOR_NOW, function)
            withClue(child.output) {
                child.output.trim() shouldBe "good"
                child.exitCode shouldBe 0
            }
        }

        test("a call of $function that fails permanently is logged once, and other work continues [DEV-26]") {
            val child = backend.run(GpuProgram.FREE_FAILS, function)
            withClue(child.output) {
                child.exitCode shouldBe 0
                val said = Regex("on ${backend.types[0]}\\w*:0 failed: ${Regex.escape(words.illegalAddress)}")
                    .findAll(child.output).count()
                said shouldBe 1
                child.output shouldContain "good"
            }
        }
    }

    for ((function, use) in backend.keptFrees()) {
        for (code in listOf(2, 900, 999)) {
            test("a call of $function that fails once with $code is repeated, and then notifies its owner [DEV-26]") {
                use(code)
            }
        }
    }

    test("after the runtime has ended, no completion runs, nothing is logged and no thread queries it [DEV-26]") {
        val child = backend.run(GpuProgram.RUNTIME_GONE)
        withClue(child.output) {
            child.output.trim() shouldBe "good"
            child.exitCode shouldBe 0
        }
    }
}

/**
 * Returns the calls whose objects are released while no device has work, with an action in which the call fails once.
 */
private fun GpuBackend.keptFrees(): List<Pair<String, (Int) -> Unit>> = listOf(
    words.unpin to { code ->
        settle()
        Arena.ofShared().use { arena ->
            val calls = AtomicInteger()
            val buffer = gpu(0).pin(arena.allocate(4096, 4096)) { calls.incrementAndGet() }
            double.fail(words.unpin, code = code)
            buffer.close()
            eventually("the memory is unpinned") { calls.get() == 1 }
            double.failNothing() shouldBe 0
            double.live(Live.REGISTERED) shouldBe 0
            settle()
            calls.get() shouldBe 1
        }
    },
    closing to { code ->
        SharingPeer(this).use { peer ->
            val calls = AtomicInteger()
            val message = HexFormat.of().parseHex(peer.ask("share", "0", "100"))
            val array = SharedArray.open(message) { calls.incrementAndGet() }
            double.fail(closing, code = code)
            array.close()
            eventually("the array is closed") { calls.get() == 1 }
            double.failNothing() shouldBe 0
            double.live(Live.OPENED) shouldBe 0
        }
    },
    shareableCalls.last() to { code ->
        settle()
        val before = double.live(Live.DEVICE)
        val buffer = gpu(0).shareableMemory().get().allocate(1000)
        double.fail(shareableCalls.last(), code = code)
        buffer.close()
        eventually("the buffer is freed") { double.live(Live.DEVICE) == before }
        double.failNothing() shouldBe 0
    },
)

/** The function that closes memory of another process. */
private val GpuBackend.closing: String get() = openingCalls.first { "Close" in it }

private fun use(backend: GpuBackend, function: String, fail: () -> Unit) {
    backend.double.reset(hasPools = function != backend.words.plainFree)
    backend.requestPools()
    val device = backend.gpu(0)
    val stream = device.createStream()
    repeat(2) {
        numbers(10).use { it.copyTo(device, stream) }.use { there ->
            there.copyTo(Devices.cpu(), stream).use { it.synchronize() }
        }
        device.hostMemory().get().allocate(8).close()
        device.createStream().close()
        if (it == 0) {
            eventually("no wait is pending") { ResourceCounters.now().run { waits() == 0L && buffers() == 0L } }
            backend.trim() // opens the other GPU, which also frees memory
            backend.drainFrees()
            fail()
        }
    }
    stream.close()
    eventually("all resources are released: ${ResourceCounters.now()}") {
        ResourceCounters.now().run { waits() == 0L && events() == 0L && queues() == 0L && buffers() == 0L }
    }
    backend.trim() // kept memory is freed now
    backend.drainFrees()
}

fun freeFailsForNow(backend: GpuBackend, function: String) {
    val double = backend.double
    use(backend, function) {
        for ((nth, code) in listOf(900, 999, 2).withIndex()) double.fail(function, nth + 1L, code)
    }
    val streams = if (backend.hasPool()) 2L else 0L // of both GPUs, which trim has opened
    eventually("the runtime's objects are released") {
        double.live(Live.DEVICE) == 0L && double.live(Live.STREAMS) == streams && double.live(Live.EVENTS) == 0L &&
            double.live(Live.PINNED) == backend.blocks().toLong()
    }
    check(double.failNothing() == 0)
    check(double.violation == "") { double.violation }
    println("good")
}

fun freeFails(backend: GpuBackend, function: String) {
    use(backend, function) { backend.double.fail(function, 1, 700) }
    check(backend.double.failNothing() == 0)
    println("good")
}

fun runtimeGone(backend: GpuBackend) {
    val double = backend.double
    double.load()
    val device = backend.gpu(0)
    val streams = List(2) { device.createStream() }
    val gate = backend.gate(streams[0])
    val event = streams[0].record()
    var isReady = false
    event.onReady().whenComplete { _, _ -> isReady = true }
    val there = numbers(100).use { it.copyTo(device, streams[0]) }
    there.close()
    eventually("the event is queried") { double.asked > 0 }
    double.deinitialize()
    gate.open()
    eventually("a call reaches the ended runtime") { double.asked > 0 }
    eventually("the thread that queries events has ended") {
        Thread.getAllStackTraces().keys.none { it.name == "${backend.threads}-events-0" }
    }
    check(!isReady)
    check(!event.isReady)
    event.close()
    streams.forEach { it.close() }
    device.hostMemory() // also a late call
    backend.drainFrees()
    check(ResourceCounters.now().waits() > 0)
    println("good")
}
