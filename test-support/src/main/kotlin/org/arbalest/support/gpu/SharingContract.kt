// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.longs.shouldBeGreaterThan
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryPool
import org.arbalest.device.sharing.SharedArray
import org.arbalest.support.gpu.GpuDouble.Live
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import java.util.HexFormat
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/**
 * The contract of two processes that share arrays of a GPU, on its simulator, which uses shared memory.
 *
 * @param kills the number of processes that are killed at a random point
 */
fun sharingContract(backend: GpuBackend, kills: Int = Integer.getInteger("arbalest.kills", 6)): TestFactory = funSpec {
    include(sharedArrayContract(backend))
    include(sharingMessageContract(backend))
    include(arrayLinkContract(backend, kills))
}

fun GpuBackend.share(rows: Int): DeviceArray = numbers(rows).use { toShareable(it, gpu(0)) }

fun GpuBackend.hasNothingLeft() {
    eventually("nothing is open and nothing allocated: ${double.live(Live.OPENED)}, ${double.live(Live.DEVICE)}") {
        settle()
        listOf(Live.OPENED, Live.DEVICE, Live.RESERVED, Live.POOLS).all { double.live(it) == 0L }
    }
}

private fun sharedArrayContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }
    val double = backend.double

    test("a process opens another's shared array without a copy, for many layouts and slices [IPC-01]") {
        SharingPeer(backend).use { peer ->
            for ((rows, from, count) in listOf(
                Triple(100, 0L, 100L), Triple(100, 13L, 50L), Triple(8, 8L, 0L), Triple(0, 0L, 0L),
            )) {
                val source = manyLayouts(rows).use { all -> all.slice(from, count) }
                val there = manyLayouts(rows).use { backend.toShareable(it, device) }.use { it.slice(from, count) }
                there.synchronize()
                backend.settle()
                val before = double.live(Live.DEVICE)
                SharedArray.of(there).use { shared ->
                    there.close()
                    peer.open("x", shared.message()) shouldBe "$device $count true"
                    peer.ask("read", "x") shouldBe "${source.rows(1000)}"
                    if (rows > 0) peer.ask("live") shouldStartWith "1 0 false"
                    double.live(Live.DEVICE) shouldBe before
                    peer.ask("close", "x") shouldBe "closed"
                }
                source.close()
            }
            peer.ask("live") shouldBe "0 0 true"
        }
        backend.hasNothingLeft()
    }

    test("the allocation of several shared arrays is opened once, and each array closes separately [IPC-01]") {
        SharingPeer(backend).use { peer ->
            MemoryPool.of(backend.shareable(device), 64L shl 20).use { pool ->
                numbers(1000).use { it.copyTo(pool, device.defaultStream()) }.use { whole ->
                    whole.synchronize()
                    val halves = listOf(whole.slice(0, 500), whole.slice(500, 500)).map { half ->
                        half.use { SharedArray.of(it) }
                    }
                    halves.forEachIndexed { i, half -> peer.open("$i", half.message()) shouldBe "$device 500 true" }
                    peer.ask("live") shouldStartWith "1 0 false"
                    peer.ask("close", "0") shouldBe "closed"
                    peer.ask("live") shouldStartWith "1 0 false"
                    peer.ask("read", "1") shouldContain "a=${3 * 500}"
                    peer.ask("close", "1") shouldBe "closed"
                    peer.ask("live") shouldBe "0 0 true"
                    peer.open("again", halves[1].message()) shouldBe "$device 500 true"
                    peer.ask("close", "again") shouldBe "closed"
                    halves.forEach { it.close() }
                }
            }
        }
        backend.hasNothingLeft()
    }

    test("another process's memory stays open while a stream is held, and reopens without a runtime call [DEV-28]") {
        SharingPeer(backend).use { peer ->
            val message = HexFormat.of().parseHex(peer.ask("share", "0", "100"))
            val closed = AtomicInteger()
            device.createStream().use { held ->
                val gate = backend.gate(held)
                try {
                    SharedArray.open(message) { closed.incrementAndGet() }.close()
                    CompletableFuture.runAsync {
                        device.createStream().use { stream -> numbers(100).use { it.copyTo(device, stream) }.close() }
                    }.get(5, SECONDS)
                    closed.get() shouldBe 0 // the array is open, so its owner may not free it
                    SharedArray.open(message) { closed.incrementAndGet() }.close() // without a call of the runtime
                    eventually("the first owner is notified") { closed.get() == 1 }
                    double.live(Live.OPENED) shouldBe 1
                } finally {
                    gate.open()
                }
                held.synchronize()
            }
            eventually("the memory is closed") { closed.get() == 2 }
            double.live(Live.OPENED) shouldBe 0
        }
        backend.hasNothingLeft()
    }

    test("another process's memory is closed without an idle period if much of it waits for one [DEV-28]") {
        SharingPeer(backend).use { peer ->
            val messages = List(65) { HexFormat.of().parseHex(peer.ask("share", "0", "100")) }
            val closed = AtomicInteger()
            device.createStream().use { held ->
                val gate = backend.gate(held)
                val before = closings(backend)
                try {
                    for (message in messages) SharedArray.open(message) { closed.incrementAndGet() }.close()
                    eventually("the runtime closes an array") { closings(backend) > before }
                } finally {
                    gate.open()
                }
                held.synchronize()
            }
            eventually("all arrays are closed") { closed.get() == messages.size }
        }
        backend.hasNothingLeft()
    }

    test(
        "the other process's device waits for an unready array; without shared events the sharing process waits " +
            "[IPC-02]",
    ) {
        SharingPeer(backend).use { peer ->
            device.createStream().use { stream ->
                val gate = backend.gate(stream)
                val there = numbers(100).use { it.copyTo(backend.shareable(device), stream) }
                if (!backend.sharesEvents) gate.open()
                val shared = there.use { SharedArray.of(it) }
                peer.open("x", shared.message()) shouldBe "$device 100 ${!backend.sharesEvents}"
                if (backend.sharesEvents) {
                    peer.ask("queue", "x") shouldBe "queued false"
                    gate.open()
                }
                peer.ask("read", "x") shouldContain "a=297"
                peer.ask("close", "x") shouldBe "closed"
                shared.close()
            }
            peer.ask("live") shouldBe "0 0 true"
        }
        backend.hasNothingLeft()
    }

    test("shared memory lives until its SharedArray closes, and the simulator reports an early close [IPC-03]") {
        SharingPeer(backend).use { peer ->
            val shared = backend.share(100).use { SharedArray.of(it) }
            backend.settle()
            double.live(Live.DEVICE) shouldBe 1
            peer.open("x", shared.message()) shouldBe "$device 100 true"
            shared.close()
            shared.close()
            shared.isOpen shouldBe false
            backend.settle()
            if (backend.isSharedForGood) {
                peer.ask("read", "x") shouldContain "a=297"
            } else {
                double.violation shouldContain "were freed that process"
            }
            peer.ask("close", "x") shouldBe "closed"
            if (!backend.isSharedForGood) double.reset()
        }
        backend.hasNothingLeft()
    }

    test(
        "memory that is freed or of a killed process cannot be opened; an array that was open stays readable " +
            "[IPC-03]",
    ) {
        SharingPeer(backend).use { peer ->
            val message = backend.share(100).use { array -> SharedArray.of(array).use { it.message() } }
            backend.hasNothingLeft()
            peer.open("x", message) shouldStartWith "${Errno.EINVAL} "
            peer.ask("live") shouldBe "0 0 true"
        }
        val peer = SharingPeer(backend)
        val message = HexFormat.of().parseHex(peer.ask("share", "0", "200"))
        val closed = AtomicInteger()
        val array = SharedArray.open(message) { closed.incrementAndGet() }
        double.live(Live.OPENED) shouldBe 1
        peer.kill()
        array.copyTo(Devices.cpu()).use {
            it.synchronize()
            it.asRecordBatch().column("a").getLong(199) shouldBe 3 * 199
        }
        array.close()
        backend.hasNothingLeft()
        eventually("another thread notifies the owner") { closed.get() == 1 }
        shouldThrow<DeviceException> { SharedArray.open(message) { closed.incrementAndGet() } }
            .errno() shouldBe Errno.EINVAL
        closed.get() shouldBe 2
    }

    test("a failed call while an array is shared, opened or closed leaks nothing [IPC-03]") {
        fun failEach(call: String, settle: () -> Unit, what: () -> Unit) {
            for (nth in 1L..20L) {
                double.fail(call, nth)
                val failure = runCatching(what).exceptionOrNull()
                settle()
                if (double.failNothing() != 0) {
                    failure.shouldBeNull()
                    return withClue(call) { nth shouldBeGreaterThan 1 }
                }
                if (failure != null && failure !is DeviceException) throw failure
            }
            error("$call is called more than 20 times; raise the limit of this test")
        }
        device.createStream().use { stream ->
            val gate = backend.gate(stream)
            val unready = numbers(100).use { it.copyTo(backend.shareable(device), stream) }
            if (!backend.sharesEvents) gate.open()
            unready.use { array ->
                for (call in backend.sharingCalls)
                    failEach(call, { backend.drainFrees() }) { SharedArray.of(array).close() }
            }
            if (backend.sharesEvents) gate.open()
            stream.synchronize()
        }
        backend.hasNothingLeft()
        SharingPeer(backend).use { peer ->
            val message = HexFormat.of().parseHex(peer.ask("share", "0", "200"))
            val calls = AtomicInteger()
            val opened = AtomicInteger()
            for (call in backend.openingCalls) {
                failEach(call, { backend.settle() }) {
                    opened.incrementAndGet()
                    SharedArray.open(message) { calls.incrementAndGet() }.use { it.length() shouldBe 200 }
                }
            }
            SharedArray.open(message) { calls.incrementAndGet() }.close()
            backend.hasNothingLeft()
            // one more than the number of opened arrays
            eventually("each open, also a failed one, is notified") { calls.get() == opened.get() + 1 }
        }
        backend.hasNothingLeft()
    }

    test("a failed call while shareable memory is allocated leaks nothing [IPC-03]") {
        for (call in backend.shareableCalls) {
            for (nth in 1L..20L) {
                double.fail(call, nth)
                val failure = runCatching { device.shareableMemory().get().allocate(100).close() }.exceptionOrNull()
                backend.settle()
                if (double.failNothing() != 0) {
                    failure.shouldBeNull()
                    withClue(call) { nth shouldBeGreaterThan 1 }
                    break
                }
                if (failure != null && failure !is DeviceException) throw failure
            }
            backend.hasNothingLeft()
        }
    }

    test("memory that cannot be shared is rejected, not copied, and the error names the memory to use [IPC-04]") {
        numbers(10).use { host ->
            shouldThrow<DeviceException> { SharedArray.of(host) }.errno() shouldBe Errno.ENOSYS
            host.copyTo(Devices.device(backend.types[1], 0)).use { pinned ->
                shouldThrow<DeviceException> { SharedArray.of(pinned) }.message shouldContain
                    "shares no memory of that kind"
            }
            Devices.cpu().shareableMemory().isEmpty shouldBe true
        }
        if (backend.hasPool()) {
            numbers(10).use { it.copyTo(device) }.use { pooled ->
                pooled.synchronize()
                val error = shouldThrow<DeviceException> { SharedArray.of(pooled) }
                error.errno() shouldBe Errno.EINVAL
                error.message shouldContain "copy it to the device's shareableMemory()"
                pooled.isOpen shouldBe true
            }
        }
        shouldThrow<DeviceException> { device.shareableMemory().get().allocate(4 * GpuDouble.MEMORY) }
            .errno() shouldBe Errno.ENOMEM
        device.shareableMemory().get().allocate(10, 4096).use { it.address() % 4096 shouldBe 0 }
        backend.hasNothingLeft()
    }

    test("a process cannot open an array that it shares itself [IPC-04]") {
        val closed = AtomicInteger()
        backend.share(10).use { array ->
            SharedArray.of(array).use { shared ->
                val error = shouldThrow<DeviceException> {
                    SharedArray.open(shared.message()) { closed.incrementAndGet() }
                }
                error.errno() shouldBe Errno.EINVAL
                error.message shouldContain "from this process"
                closed.get() shouldBe 1
            }
        }
        backend.hasNothingLeft()
    }

    test("a GPU is found by its UUID in any order of GPUs, and a hidden GPU is rejected [IPC-05]") {
        val shared = backend.share(100).use { SharedArray.of(it) }
        SharingPeer(backend, mapOf(backend.visibility to "1,0")).use { peer ->
            peer.open("x", shared.message()) shouldBe "${backend.types[0]}:1 100 true"
            peer.ask("read", "x") shouldContain "a=297"
            peer.ask("close", "x") shouldBe "closed"
            peer.ask("live") shouldBe "0 0 true"
        }
        SharingPeer(backend, mapOf(backend.visibility to "1")).use { peer ->
            val uuid = device.identity().uuid()
            peer.open("x", shared.message()) shouldStartWith
                "${Errno.ENOSYS} no device of ${backend.types[0]} has the UUID $uuid"
            peer.ask("live") shouldBe "0 0 true"
        }
        shared.close()
        backend.hasNothingLeft()
    }

    test("devices are found by their UUID and by their PCI bus id [IPC-05]") {
        val type = backend.types[0]
        for (ordinal in 0..1) {
            val identity = backend.gpu(ordinal).identity()
            identity.uuid()!!.toString() shouldStartWith "61726261-6c65-7374-2d64-6f75626c65a$ordinal"
            identity.pciBusId() shouldBe "0000:3${"bc"[ordinal]}:00.0"
            for (kind in backend.types) {
                Devices.device(kind, identity.uuid()!!) shouldBe Devices.device(kind, ordinal.toLong())
                Devices.device(kind, ordinal.toLong()).identity() shouldBe identity
            }
            for (text in listOf("0000:3b:00.0", "3B:00.0", "00000000:3B:00.0", "3b:0")) { // nvidia-smi writes 8 digits
                Devices.deviceAt(
                    type, text.replace("3b", "3${"bc"[ordinal]}").replace("3B", "3${"BC"[ordinal]}"),
                ) shouldBe backend.gpu(ordinal)
            }
        }
        val error = shouldThrow<DeviceException> { Devices.device(type, UUID(1, 2)) }
        error.errno() shouldBe Errno.ENOSYS
        error.message shouldContain
            "no device of $type has the UUID 00000000-0000-0001-0000-000000000002; there are $type:0 (61726261"
        for (text in listOf("nowhere", "0001:3b:00.0", "3b:01.0", "3b:00.1", "")) {
            shouldThrow<DeviceException> { Devices.deviceAt(type, text) }.message shouldStartWith
                "no device of $type has the PCI bus id $text; there are $type:0 (61726261"
        }
        shouldThrow<DeviceException> { Devices.deviceAt(DeviceType.CPU, "3b:00.0") }.message shouldContain
            "no UUID is known, on no PCI bus"
        Devices.cpu().identity().uuid().shouldBeNull()
    }
}

/** Returns the number of calls that close memory of another process. */
private fun closings(backend: GpuBackend): Long =
    backend.openingCalls.filter { call -> listOf("Close", "Unmap", "MemFree").any { it in call } }
        .sumOf { backend.double.calls(it) }
