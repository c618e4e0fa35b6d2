// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.DeviceProvider
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.MINUTES
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread

/** Devices that appear late, with a clock and a provider of this test. */
class OpenDevicesSpec : FunSpec({
    val type = DeviceType.VULKAN

    class Provider(var devices: Int = 0, private val type: DeviceType = DeviceType.VULKAN) : DeviceProvider {
        var probes = 0
        val opened = mutableListOf<Long>()
        var onProbe: () -> Unit = {}
        var onOpen: (Long) -> Unit = {}

        override fun types() = listOf(type)

        override fun probe(type: DeviceType): Availability {
            probes++
            onProbe()
            return if (devices == 0) Availability.Missing("not yet") else Availability.Ready(devices)
        }

        override fun open(type: DeviceType, id: Long): DeviceDriver {
            opened += id
            onOpen(id)
            return CpuProvider().open(DeviceType.CPU, -1)
        }
    }

    class Fixture(devices: Int = 0) {
        val clock = AtomicLong(Long.MAX_VALUE - 5) // it wraps
        val provider = Provider(devices)
        val table = OpenDevices(mapOf(type to provider), clock::get)

        fun later(nanos: Long) {
            clock.addAndGet(nanos)
        }
    }

    test("a new array finds a missing device after the pause, and older arrays keep their opaque device [DEV-18]") {
        with(Fixture()) {
            val missing = table.find(type, 0)
            missing.isOpaque shouldBe true
            provider.devices = 1
            later(OpenDevices.SHORTEST_PAUSE - 1)
            table.find(type, 0) shouldBeSameInstanceAs missing
            provider.probes shouldBe 1
            later(1)
            val found = table.find(type, 0)
            found.isOpaque shouldBe false
            missing.isOpaque shouldBe true
            repeat(3) {
                later(MINUTES.toNanos(5))
                table.find(type, 0) shouldBeSameInstanceAs found
                table.want(type, 0) shouldBeSameInstanceAs found
            }
            provider.probes shouldBe 2
            provider.opened shouldContainExactly listOf(0L)
        }
    }

    test("the pause doubles up to a minute while a device is missing, for any number of arrays and ids [DEV-18]") {
        with(Fixture()) {
            val start = clock.get()
            val asked = mutableListOf<Long>()
            provider.onProbe = {
                asked += MILLISECONDS.convert(clock.get() - start, java.util.concurrent.TimeUnit.NANOSECONDS) / 1000
            }
            repeat(3000) {
                repeat(3) { id -> table.find(type, id.toLong()) }
                later(MILLISECONDS.toNanos(100))
            }
            asked shouldContainExactly listOf(0L, 1, 3, 7, 15, 31, 63, 123, 183, 243)
        }
    }

    test("an explicit request for a device probes at once, and later arrays find the device [DEV-18]") {
        with(Fixture()) {
            val missing = table.find(type, 0)
            table.want(type, 0) shouldBeSameInstanceAs missing
            provider.devices = 1
            val found = table.want(type, 0)
            found.isOpaque shouldBe false
            table.find(type, 0) shouldBeSameInstanceAs found
            provider.probes shouldBe 3
        }
    }

    test("a second device that appears later is found, and the first is not opened again [DEV-18]") {
        with(Fixture(1)) {
            val first = table.find(type, 0)
            table.find(type, 1).isOpaque shouldBe true
            provider.devices = 2
            later(SECONDS.toNanos(1))
            table.find(type, 1).isOpaque shouldBe false
            table.find(type, 0) shouldBeSameInstanceAs first
            provider.opened shouldContainExactly listOf(0L, 1L)
        }
    }

    test("more missing devices than the library remembers are all found when they appear [DEV-18]") {
        with(Fixture()) {
            for (id in 0L until 1000) table.find(type, id).isOpaque shouldBe true
            provider.probes shouldBe 1
            provider.devices = 1000
            later(SECONDS.toNanos(1))
            for (id in 999L downTo 0) table.find(type, id).isOpaque shouldBe false
            for (id in 0L until 1000) table.find(type, id).id() shouldBe id
            provider.opened.size shouldBe 1000
        }
    }

    test("a device that fails to open is opaque to arrays, which try again; an explicit request throws [DEV-18]") {
        with(Fixture(2)) {
            val failure = DeviceException(Errno.EIO, "out of order")
            provider.onOpen = { if (it == 0L) throw failure }
            val broken = table.find(type, 0)
            broken.isOpaque shouldBe true
            later(OpenDevices.SHORTEST_PAUSE - 1)
            table.find(type, 0) shouldBeSameInstanceAs broken
            provider.opened shouldContainExactly listOf(0L)
            later(1)
            table.find(type, 0) shouldBeSameInstanceAs broken
            provider.opened shouldContainExactly listOf(0L, 0L)
            later(2 * OpenDevices.SHORTEST_PAUSE - 1)
            table.find(type, 0) shouldBeSameInstanceAs broken
            provider.opened shouldContainExactly listOf(0L, 0L)
            shouldThrow<DeviceException> { table.want(type, 0) } shouldBeSameInstanceAs failure
            table.find(type, 1).isOpaque shouldBe false // another device
            provider.onOpen = {}
            later(1)
            table.find(type, 0) shouldBeSameInstanceAs broken // the explicit request was the last try
            later(4 * OpenDevices.SHORTEST_PAUSE)
            table.find(type, 0).isOpaque shouldBe false
            provider.opened shouldContainExactly listOf(0L, 0L, 0L, 1L, 0L)
            provider.probes shouldBe 1
        }
    }

    test("devices of one backend are found while another backend's probe blocks [DEV-18]") {
        val other = DeviceType.METAL
        val (slow, quick) = Provider(1) to Provider(1, other)
        val table = OpenDevices(mapOf(type to slow, other to quick), System::nanoTime)
        val (asking, goOn) = CountDownLatch(1) to CountDownLatch(1)
        slow.onProbe = {
            asking.countDown()
            goOn.await()
        }
        val threads = Executor { thread(isDaemon = true, block = it::run) } // the common pool may have only one thread
        val first = CompletableFuture.supplyAsync({ table.find(type, 0) }, threads)
        try {
            asking.await(5, SECONDS) shouldBe true
            val found = CompletableFuture.supplyAsync({ table.find(other, 0) to table.want(other, 0) }, threads)
                .get(5, SECONDS)
            found.first.isOpaque shouldBe false
            found.second shouldBeSameInstanceAs found.first
        } finally {
            goOn.countDown()
        }
        first.get(5, SECONDS).isOpaque shouldBe false
        table.find(other, 0) shouldBeSameInstanceAs table.want(other, 0)
    }

    test("a device without a backend stays opaque, and no provider is probed [DEV-09]") {
        with(Fixture()) {
            val opaque = table.find(DeviceType(42), 0)
            later(MINUTES.toNanos(10))
            table.find(DeviceType(42), 0) shouldBeSameInstanceAs opaque
            table.want(DeviceType(42), 0) shouldBeSameInstanceAs opaque
            provider.probes shouldBe 0
        }
    }

    for (count in listOf(-1, Int.MIN_VALUE, DeviceRegistry.MOST_DEVICES + 1, Int.MAX_VALUE)) {
        test("a backend that reports $count devices counts as missing, and the reason names the number [DEV-13]") {
            with(Fixture(count)) {
                table.find(type, 0).isOpaque shouldBe true
                table.want(type, 0).isOpaque shouldBe true
                provider.opened.shouldBeEmpty()
                val reason = DeviceRegistry.probe(provider, type).shouldBeInstanceOf<Availability.Missing>().reason()
                reason shouldContain "Provider returned an impossible number of devices of VULKAN: $count"
                shouldThrow<DeviceException> { table.find(type, 0).allocate(1) }.message shouldContain reason
            }
        }
    }

    test("a backend may report the greatest permitted number of devices [DEV-13]") {
        with(Fixture(DeviceRegistry.MOST_DEVICES)) {
            table.find(type, DeviceRegistry.MOST_DEVICES - 1L).isOpaque shouldBe false
            table.find(type, DeviceRegistry.MOST_DEVICES.toLong()).isOpaque shouldBe true
        }
    }

    test("a backend that returns null from its probe or instead of a driver counts as missing [DEV-13]") {
        val silent = object : DeviceProvider by Provider(1) {
            override fun probe(type: DeviceType): Availability = nothing()
        }
        DeviceRegistry.probe(silent, type).shouldBeInstanceOf<Availability.Missing>().reason() shouldContain
            "failed to probe VULKAN"
        val empty = object : DeviceProvider by Provider(1) {
            override fun open(type: DeviceType, id: Long): DeviceDriver = nothing()
        }
        val table = OpenDevices(mapOf(type to empty), System::nanoTime)
        shouldThrow<DeviceException> { table.want(type, 0) }.message shouldContain "failed to open VULKAN:0"
    }

    test("calls on a device that is missing, or failed to open, fail with the current reason [DEV-14]") {
        with(Fixture()) {
            fun reason(device: Device) = shouldThrow<DeviceException> { device.createStream() }
                .also { it.errno() shouldBe Errno.ENOSYS }.message
            val early = table.find(type, 0)
            reason(early) shouldBe
                "VULKAN:0 is unavailable, because not yet, so nothing can be allocated or queued on it"
            provider.devices = 1
            provider.onOpen = { throw DeviceException(Errno.EIO, "vkOpen on VULKAN:0 failed: VK_BUSY (7)") }
            later(OpenDevices.SHORTEST_PAUSE)
            table.find(type, 0) shouldBeSameInstanceAs early
            reason(early) shouldContain "VULKAN:0 is unavailable, because vkOpen on VULKAN:0 failed: VK_BUSY (7), so"
            reason(table.find(type, 1)) shouldContain
                "VULKAN:1 is unavailable, because its backend has only 1, so"
            provider.onOpen = {}
            later(OpenDevices.LONGEST_PAUSE)
            table.find(type, 0).isOpaque shouldBe false
            reason(early) shouldContain "VK_BUSY (7)" // the old handle keeps its reason
        }
    }

    test("a slow probe delays arrays neither on open devices nor on the probed device [DEV-18]") {
        with(Fixture(1)) {
            val found = table.find(type, 0)
            val missing = table.find(type, 1)
            later(SECONDS.toNanos(1))
            val (asking, goOn) = CountDownLatch(1) to CountDownLatch(1)
            provider.onProbe = {
                asking.countDown()
                goOn.await()
            }
            val other = thread { table.find(type, 1) }
            try {
                asking.await(5, SECONDS) shouldBe true
                val (one, two) = CompletableFuture.supplyAsync { table.find(type, 0) to table.find(type, 1) }
                    .get(5, SECONDS)
                one shouldBeSameInstanceAs found
                two shouldBeSameInstanceAs missing
            } finally {
                goOn.countDown()
                other.join()
            }
        }
    }
})

/** Returns null, as Java code may where Kotlin code may not. */
@Suppress("UNCHECKED_CAST")
private fun <T> nothing(): T = null as T
