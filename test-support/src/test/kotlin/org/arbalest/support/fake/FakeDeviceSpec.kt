// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.ValueLayout.JAVA_BYTE

/** The errors that the fake device detects. */
class FakeDeviceSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()
    val device by lazy { Devices.device(DeviceType.EXT_DEV, 0) }
    val fake by lazy { device.let { FakeDevice.of(DeviceType.EXT_DEV, 0) } }

    /** The one sentence that the fake has to say. */
    fun violation(): String = fake.violations().single().also { fake.reset() }

    test("the fake sees memory that is read before its writer has completed") {
        device.createStream().use { one ->
            device.createStream().use { two ->
                device.allocate(8).use { a ->
                    device.allocate(8).use { b ->
                        cpu.allocate(8).use { source ->
                            fake.hold()
                            one.copy(source, a)
                            two.copy(a, b)
                            fake.step(two) shouldBe true
                            fake.pending(one) shouldBe 2 // the copy, and the event that core recorded behind it
                            violation() shouldContain "before its writer was done"
                        }
                    }
                }
            }
        }
    }

    test("the fake sees memory that is freed under queued work, and with another size, and twice") {
        val driver = FakeDriver(fake)
        val queue = driver.createQueue()
        val address = driver.allocate(64, 64)
        fake.hold()
        val other = driver.allocate(64, 64)
        driver.copy(queue, address, other, 64)
        driver.free(address, 64)
        violation() shouldContain "while a queued command needs"
        driver.free(other, 32)
        violation() shouldContain "64 bytes at 0x5a"
        driver.free(other, 64)
        violation() shouldContain "which are not allocated"
        driver.destroyQueue(queue)
    }

    test("the fake sees queues and events that are none, and maps that are not open") {
        val driver = FakeDriver(fake)
        shouldThrow<DeviceException> { driver.record(99) }.message shouldContain
            "99 is no queue of EXT_DEV:0: FAKE_INVALID_HANDLE (400)"
        violation() shouldContain "no queue"
        shouldThrow<DeviceException> { driver.isReady(99) }
        violation() shouldContain "no event"
        driver.destroyEvent(99)
        violation() shouldContain "an unknown event was destroyed"
        driver.unmap(99, 1)
        violation() shouldContain "unmapped"
    }

    test("the fake's memory is out of the CPU's reach, and new memory is poison") {
        device.allocate(16).use { buffer ->
            (buffer.address() ushr 52) shouldBe 0x5A0L + (buffer.address() ushr 52 and 0xF)
            buffer.copyTo(cpu.memory()).use {
                it.segment().toArray(JAVA_BYTE).toSet() shouldBe setOf(FakeMemory.POISON)
            }
        }
    }
})
