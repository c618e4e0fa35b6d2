// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.StagedGpu
import org.arbalest.device.support.StagedGpu.Companion.filled
import org.arbalest.device.support.StagedGpu.Companion.matches
import org.arbalest.device.support.TestGpuProvider
import org.arbalest.device.tensors.DLPack
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeCall
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension
import org.arbalest.support.fake.FakeGpu
import org.arbalest.support.fake.FakeGpuDriver
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.numbers
import org.arbalest.testkit.contract.settled
import org.arbalest.testkit.contract.texts
import java.util.concurrent.atomic.AtomicInteger

/** Tests of copies through pinned memory in which a call fails, or whose end cannot be queried. */
class StagingFailureSpec : FunSpec({
    extension(StagedGpu.kept)
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val gpu by lazy { StagedGpu(0) }
    val device by lazy { gpu.device }
    val fake by lazy { gpu.fake }
    val cpu = Devices.cpu()
    val large = Staging.LARGE

    /**
     * Copies in every way: to the device, within it, back through slots and through lanes, and within main memory. Also
     * copies a batch of texts, whose ends the copy must fetch.
     */
    fun journey() {
        device.createStream().use { stream ->
            for (size in listOf(100L, 2 * large + 5)) {
                val buffers = mutableListOf(filled(size, 1))
                try {
                    repeat(2) { buffers += device.allocate(size) }
                    for (seed in 2..3) buffers += filled(size, seed)
                    buffers.zipWithNext { from, to -> stream.copy(from, to) }
                    stream.synchronize()
                    buffers.last().matches(size, 1) shouldBe true
                } finally {
                    buffers.forEach(DeviceBuffer::close)
                }
            }
            texts(100).use { source ->
                source.copyTo(device, stream).use { there ->
                    there.copyTo(cpu, stream).use { back ->
                        back.synchronize()
                        back.column("t").getString(99) shouldBe "text 99"
                    }
                }
            }
        }
    }

    test("a failing driver call is named in the error, frees no memory in use and leaks nothing [DEV-40]") {
        var failed = 0
        var inARow = 0
        var nth = 0
        repeat(2) { journey() }
        val before = settled()
        while (inARow < 3) {
            fake.failCallNumber(++nth)
            val failure = runCatching { journey() }.exceptionOrNull()
            fake.failCallNumber(Int.MAX_VALUE)
            withClue("call $nth: $failure") {
                if (failure == null) inARow++ else inARow = 0
                if (failure != null) {
                    (failure as DeviceException).message shouldContain
                        Regex("fake\\w+ on DEVICE_TYPE_1001:0 failed: FAKE_")
                    failed++
                }
                eventually("all is released: ${Held.now()}, ${gpu.staging.inUse()} slots and lanes in use") {
                    ResourceCounters.now().since(before).isZero && gpu.staging.inUse() == 0
                }
                fake.violations() shouldBe listOf()
            }
        }
        failed shouldBeGreaterThan 50
    }

    test("a failing call on a device that runs one command at a time leaks no memory and no slot [DEV-40]") {
        for (call in listOf(FakeCall.COPY, FakeCall.RECORD, FakeCall.WAIT, FakeCall.RUN_ON_HOST)) for (nth in 1..8)
            device.createStream().use { stream ->
                val before = settled()
                val size = 3 * large + 5
                val there = device.allocate(size)
                val (source, back) = filled(size, 1) to filled(size, 2)
                fake.interleave(nth)
                fake.failCall(call, nth)
                val failure = runCatching {
                    stream.copy(source, there)
                    stream.copy(there, back)
                }.exceptionOrNull()
                listOf(source, there).forEach(DeviceBuffer::close)
                stream.synchronize()
                fake.release()
                if (failure == null) back.matches(size, 1) shouldBe
                    true else (failure as DeviceException).message shouldContain "FAKE_DEVICE_LOST (46)"
                back.close()
                fake.failCall(call, Int.MAX_VALUE)
                eventually("$call $nth: all is released") {
                    ResourceCounters.now().since(before).isZero && gpu.staging.inUse() == 0
                }
                fake.violations() shouldBe listOf()
            }
    }

    test("a copy that fails halfway during a capture keeps its memory and slots until the queue is past it [DEV-41]") {
        for (size in listOf(100L, 9 * large)) for (isOut in listOf(false, true)) device.createStream().use { stream ->
            val released = AtomicInteger()
            val there = device.allocate(size)
            val host = filled(size, 1)
            val mine = DeviceBuffer.wrap(cpu, host.address(), size) { released.incrementAndGet() }
            val memory = fake.counts().allocations
            fake.hold()
            fake.capturing {
                fake.failCall(if (size == 100L) FakeCall.RECORD else FakeCall.COPY, if (size == 100L) 1 else 2)
                val thrown = shouldThrow<DeviceException> {
                    if (isOut) stream.copy(there, mine) else stream.copy(mine, there)
                }
                thrown.message shouldContain "FAKE_DEVICE_LOST (46)"
                there.close()
                mine.close()
                val used = gpu.staging.inUse()
                withClue("a copy of $size bytes, out: $isOut") {
                    used shouldBeGreaterThan 0
                    released.get() shouldBe 0
                    fake.counts().allocations shouldBe memory
                    fake.release() // the copy is over, but its end still cannot be queried
                    eventually("the end of the copy is queried") { fake.asked > 5 }
                    released.get() shouldBe 0
                    fake.counts().allocations shouldBe memory
                    gpu.staging.inUse() shouldBe used
                }
            }
            eventually("all is released") {
                released.get() == 1 && Held.now().waits() == 0L && fake.counts().allocations == memory - 1 &&
                    gpu.staging.inUse() == 0
            }
            fake.violations() shouldBe listOf()
            host.close()
        }
    }

    test("a failed batch copy keeps its source, target and slots while no event can be recorded [DEV-41]") {
        device.createStream().use { stream ->
            val source = numbers(50_000)
            val memory = fake.counts().allocations
            fake.hold()
            fake.capturing {
                fake.failEvery(FakeCall.RECORD)
                shouldThrow<DeviceException> { source.copyTo(device, stream) }.message shouldContain "fakeEventRecord"
                source.close()
                eventually("the recording of the event is tried again") { fake.refused > 3 }
                fake.counts().allocations shouldBe memory + 1
                Held.now().arrays() shouldBe 1
            }
            fake.failEvery(null)
            fake.counts().allocations shouldBe memory + 1
            fake.release()
            eventually("all is released") {
                fake.counts().allocations == memory && Held.now().run { arrays() == 0L && waits() == 0L }
            }
        }
    }

    test("an array and its slots stay in use while the end of a fetch cannot be queried [DEV-41]") {
        val there = texts(1000).use { it.copyTo(device) }
        there.synchronize()
        settled()
        for (fetch in listOf({ there.copyTo(cpu) }, { there.also { it.validate(Validation.FULL) } })) {
            fake.hold()
            fake.capturing {
                shouldThrow<DeviceException> { fetch() }.errno() shouldBe Errno.EAGAIN
                Held.now().waits() shouldBeGreaterThan 0
                gpu.staging.inUse() shouldBeGreaterThan 0
            }
            gpu.staging.inUse() shouldBeGreaterThan 0
            fake.release()
            eventually("all is released") { Held.now().waits() == 0L && gpu.staging.inUse() == 0 }
            fake.violations() shouldBe listOf()
        }
        there.close()
    }

    test("memory that a tensor's consumer releases during a capture is kept until its stream is past it [DEV-41]") {
        device.createStream().use { writer ->
            device.createStream().use { consumer ->
                val array = numbers(8).use { it.copyTo(device, writer) }.use { it.retainChild(0) }
                array.synchronize()
                settled()
                val tensor = DLPack.VERSIONED.exportTensor(array, consumer)
                fake.hold()
                device.allocate(64).use { end ->
                    filled(64, 1).use { consumer.copy(it, end) }
                    fake.capturing {
                        fake.failEvery(FakeCall.RECORD)
                        DLPack.VERSIONED.delete(tensor)
                        eventually("the recording of the event is tried again") { fake.refused > 3 }
                        Held.now().arrays() shouldBe 1
                    }
                    fake.failEvery(null)
                    Held.now().arrays() shouldBe 1
                    fake.release()
                    eventually("the array is freed") { Held.now().run { arrays() == 0L && waits() == 0L } }
                }
            }
        }
    }

    test("the runtime makes the copies if pinned memory is missing or not needed [DEV-40]") {
        for (reaches in listOf(false, true)) {
            val other = FakeDevice.of(TestGpuProvider.GPU, Devices.device(TestGpuProvider.GPU, 1).id())
            val driver = FakeGpuDriver(FakeGpu(other, DeviceType(1002), reachesPageable = reaches), isPinned = false)
            val staging = checkNotNull(Staging.of(driver))
            val queue = driver.createQueue()
            val there = driver.allocate(100, 64)
            val (source, back) = filled(100, 1) to filled(100, 2)
            if (!reaches) other.failCall(FakeCall.ALLOCATE)
            val place = staging.pageable()
            for ((to, from) in listOf(
                (Place.DEVICE to there) to (place to source.address()),
                (place to back.address()) to (Place.DEVICE to there),
            )) {
                val transfer = Transfer(driver, staging, queue, queue)
                transfer.add(to.first, to.second, from.first, from.second, 100)
                driver.destroyEvent(transfer.queue(true, false))
                transfer.release()
            }
            back.matches(100, 1) shouldBe true
            staging.slots() shouldBe 0
            driver.free(there, 100)
            driver.destroyQueue(queue)
            listOf(source, back).forEach(DeviceBuffer::close)
        }
    }

    test("a transfer that is released before it is queued leaves no slot in use [DEV-40]") {
        device.createStream().use { stream: DeviceStream ->
            filled(100, 1).use { host ->
                device.allocate(100).use { there ->
                    val driver = FakeGpuDriver(FakeGpu(fake, DeviceType(1002)), false)
                    val transfer = Transfer(driver, gpu.staging, stream.handle(), stream.handle())
                    transfer.add(Place.DEVICE, there.address(), Place.PAGEABLE, host.address(), 100)
                    transfer.add(Place.PAGEABLE, host.address(), Place.DEVICE, there.address(), 100)
                    transfer.release()
                    gpu.staging.inUse() shouldBe 0
                }
            }
        }
    }
})
