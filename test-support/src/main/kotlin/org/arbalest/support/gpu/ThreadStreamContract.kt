// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.tensors.DLPack
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.pageable
import org.arbalest.testkit.contract.pattern
import org.arbalest.testkit.contract.settled
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS

/** `CU_STREAM_PER_THREAD` and `hipStreamPerThread`. */
private const val PER_THREAD = 2L

/**
 * The contract of the per-thread default stream, whose handle is another stream on each OS thread. It runs on a driver
 * as well as on a simulator.
 */
fun threadStreamContract(backend: GpuBackend): TestFactory = funSpec {
    val device by lazy { backend.gpu(0) }

    fun column(there: Device = device): DeviceArray = numbers(65_536).use { it.copyTo(there) }.use {
        it.synchronize()
        it.retainChild(0)
    }

    /** Gives the library an opportunity to free what it wrongly regards as unused. */
    fun deleteInOtherStream() {
        device.createStream().use { DLPack.VERSIONED.delete(DLPack.VERSIONED.exportTensor(column(), it)) }
        eventually("the tensor of the other stream is freed") { Held.now().waits() <= 1 }
    }

    for (isRefused in listOf(false, true).filter { backend.onDouble || !it }) {
        val but = if (isRefused) ", even if the driver refuses the event at first" else ""
        test("a tensor that another thread deletes stays until the per-thread stream's work is done$but [DEV-63]") {
            onThread("consumer") {
                val array = column()
                val before = settled()
                device.wrapStream(PER_THREAD).use { consumer ->
                    val gate = backend.gate(consumer)
                    val tensor = DLPack.VERSIONED.exportTensor(array, consumer)
                    onThread("deleter") {
                        if (isRefused) {
                            backend.double.fail(backend.functions.single { it.endsWith("EventRecord") }, code = 800)
                        }
                        DLPack.VERSIONED.delete(tensor)
                        if (isRefused) backend.double.failNothing() shouldBe 0
                    }
                    repeat(20) { deleteInOtherStream() }
                    ResourceCounters.now().since(before).arrays() shouldBe 0
                    gate.open()
                    eventually("the memory is freed") { ResourceCounters.now().since(before).arrays() == -1L }
                }
            }
        }
    }

    if (backend.onDouble)
        test("a tensor that another thread deletes is released if the GPU has failed for good [DEV-06]")
            .config(extensions = listOf(backend.twoGpus)) {
                val failing = backend.gpu(1)
                onThread("consumer") {
                    column(failing).use { array ->
                        val before = settled()
                        failing.wrapStream(PER_THREAD).use { consumer ->
                            val tensor = DLPack.VERSIONED.exportTensor(array.retain(), consumer)
                            backend.double.die(1)
                            onThread("deleter") { DLPack.VERSIONED.delete(tensor) }
                            eventually("the tensor is released") {
                                val more = ResourceCounters.now().since(before)
                                more.exports() == 0L && more.arrays() == 0L && more.waits() == 0L
                            }
                        }
                        backend.double.reset() // so that the memory can be freed
                    }
                }
            }

    test("a tensor that its own thread deletes waits for no other thread's stream [DEV-63]") {
        device.wrapStream(PER_THREAD).use { other ->
            val gate = backend.gate(other)
            onThread("consumer") {
                val array = column()
                val before = settled()
                device.wrapStream(PER_THREAD).use { DLPack.VERSIONED.delete(DLPack.VERSIONED.exportTensor(array, it)) }
                eventually("the memory is freed") { ResourceCounters.now().since(before).arrays() == -1L }
            }
            gate.open()
            other.synchronize()
        }
    }

    test("only its own thread uses a per-thread stream, and the error names both threads [DEV-63]") {
        val calls = listOf<(DeviceStream) -> Unit>({ it.handle() }, { it.record() }, { it.synchronize() },
            { it.memory() }, { stream -> numbers(10).use { it.copyTo(device, stream) } })
        onThread("owner") {
            device.wrapStream(PER_THREAD).use { stream ->
                stream.handle() shouldBe PER_THREAD
                onThread("other") {
                    for (call in calls) {
                        shouldThrow<IllegalStateException> { call(stream) }.message shouldContain
                            "is the default stream of the thread owner, and on the thread other the same handle is " +
                            "another stream"
                    }
                }
                shouldThrow<DeviceException> { stream.memory() }.errno() shouldBe Errno.ENOSYS
            }
        }
    }

    test("a virtual thread wraps no per-thread stream, since it changes its OS thread [DEV-63]") {
        val failure = CompletableFuture<Throwable?>()
        Thread.ofVirtual().start {
            failure.complete(runCatching { device.wrapStream(PER_THREAD) }.exceptionOrNull())
        }
        (failure.get(5, SECONDS) as IllegalStateException).message shouldContain "call this on a platform thread"
    }

    test("threads copy in their per-thread streams at once, and none waits for another's work [DEV-63]") {
        val most = backend.slotSizes.second * backend.mostSlots.second
        device.wrapStream(PER_THREAD).use { held ->
            val gate = backend.gate(held)
            pageable(most, 1).use { source ->
                device.allocate(most).use { there ->
                    held.copy(source, there) // uses all slots
                    CompletableFuture.supplyAsync { onThread("second") { copiesBackAndForth(device) } }
                        .get(10, SECONDS)
                    gate.open()
                    held.synchronize()
                    there.copyTo(Devices.cpu().memory()).use { back ->
                        val bytes = back.segment()
                        for (i in 0 until most step 4099) bytes.get(JAVA_BYTE, i) shouldBe pattern(i, 1)
                    }
                }
            }
        }
    }
}

private fun copiesBackAndForth(device: Device) {
    val size = 9L shl 20
    device.wrapStream(PER_THREAD).use { stream ->
        pageable(size, 2).use { source ->
            device.allocate(size).use { there ->
                Devices.cpu().allocate(size).use { back ->
                    stream.copy(source, there)
                    stream.copy(there, back)
                    stream.synchronize()
                    back.segment().mismatch(source.segment()) shouldBe -1
                }
            }
        }
    }
}

/** Runs a block on a new platform thread, waits for its end, and throws what it throws. */
private fun onThread(name: String, block: () -> Unit) {
    var failure: Throwable? = null
    Thread.ofPlatform().name(name).start { failure = runCatching(block).exceptionOrNull() }.join()
    failure?.let { throw it }
}
