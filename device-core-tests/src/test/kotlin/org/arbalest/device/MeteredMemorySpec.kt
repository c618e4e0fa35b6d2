// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.MXBeanRegistration
import org.arbalest.device.statistics.Statistics
import org.arbalest.support.ResourceCountersExtension
import java.lang.management.ManagementFactory
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference
import javax.management.ObjectName
import javax.management.openmbean.CompositeData

/**
 * Memory managers that count allocations, limit them, or call a handler before one fails, and combinations of these.
 */
class MeteredMemorySpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()

    test("a metered memory counts bytes and buffers: current, peak and total [DEV-32]") {
        val memory = cpu.memory().metered()
        val a = memory.allocate(1000)
        memory.allocate(500).close()
        memory.statistics() shouldBe MeteredMemory.Statistics(1000, 1500, 1500, 1, 2, 2, 0, Long.MAX_VALUE)
        memory.resetPeak()
        a.slice(0, 10).use { a.close() }
        memory.statistics() shouldBe MeteredMemory.Statistics(0, 1000, 1500, 0, 1, 2, 0, Long.MAX_VALUE)
        BatchBuilder.of(memory, 10).use { it.int64("a", LongArray(10)).build() }.close()
        memory.statistics().run { (currentBytes() == 0L && totalBytes() > 1500) shouldBe true }
        cpu.allocate(100).close() // not allocated from the metered memory
        memory.statistics().currentCount() shouldBe 0
    }

    test("a buffer counts as at least one byte, and with the bytes that its alignment needs [DEV-32]") {
        MemoryPool.of(cpu.memory(), 1L shl 20).use { pool -> // its blocks are aligned to 256 bytes, as on GPUs
            val memory = pool.metered()
            memory.allocate(0).close()
            memory.allocate(100, 256).close()
            memory.allocate(100, 4096).use { memory.statistics().currentBytes() shouldBe 100 + 4096 - 256 }
            memory.statistics() shouldBe MeteredMemory.Statistics(0, 3940, 1 + 100 + 3940, 0, 1, 3, 0, Long.MAX_VALUE)
        }
    }

    test("a limit is never exceeded, its error has the numbers, and closing a buffer frees space [DEV-32]") {
        val memory = cpu.memory().limited(1000)
        val a = memory.allocate(600)
        val error = shouldThrow<DeviceException> { memory.allocate(401) }
        error.errno() shouldBe Errno.ENOMEM
        error.message shouldBe
            "the limit of 1000 bytes on CPU is reached: ENOMEM, asked for 401 bytes, and 600 are in use"
        memory.allocate(400).close()
        a.close()
        memory.allocate(1000).close()
        memory.statistics().failedCount() shouldBe 1
        shouldThrow<IllegalArgumentException> { cpu.memory().limited(-1) }
    }

    test("a limit holds when several threads allocate at the same time [DEV-32]") {
        val memory = cpu.memory().limited(10_000)
        val start = CountDownLatch(1)
        val threads = Executors.newFixedThreadPool(4)
        val done = List(4) {
            threads.submit {
                start.await()
                repeat(5_000) { runCatching { memory.allocate(4_000) }.getOrNull()?.close() }
            }
        }
        start.countDown()
        done.forEach { it.get(HANG_SECONDS, SECONDS) }
        threads.shutdown()
        memory.statistics().run {
            (peakBytes() <= 10_000) shouldBe true
            currentBytes() shouldBe 0
            totalCount() + failedCount() shouldBe 20_000
        }
    }

    test("an allocation calls its out-of-memory handler once, and fails if the handler frees too little [DEV-32]") {
        val limited = cpu.memory().limited(1000)
        val held = ArrayDeque(List(2) { limited.allocate(500) })
        val asked = mutableListOf<Long>()
        val memory = limited.withOutOfMemoryHandler { bytes, failure ->
            asked += bytes
            failure.errno() shouldBe Errno.ENOMEM
            held.removeFirstOrNull()?.close()
            true
        }
        memory.allocate(300).use { asked shouldBe listOf(300L) }
        shouldThrow<DeviceException> { memory.allocate(2000) }.message shouldContain "asked for 2000 bytes"
        asked shouldBe listOf(300L, 2000L)
        held.size shouldBe 0
        val refused = limited.withOutOfMemoryHandler { _, _ -> false }
        shouldThrow<DeviceException> { refused.allocate(1001) }.errno() shouldBe Errno.ENOMEM
        shouldThrow<IllegalStateException> { limited.withOutOfMemoryHandler { _, _ -> error("no") }.allocate(1001) }
            .message shouldBe "no"
        limited.statistics().currentBytes() shouldBe 0
    }

    test("an out-of-memory handler may allocate from its own memory, and is not called for that [DEV-32]") {
        val limited = cpu.memory().limited(100)
        var asked = 0
        val same = AtomicReference<MemoryManager>()
        val memory = limited.withOutOfMemoryHandler { _, _ ->
            asked++
            same.get().allocate(50).close()
            shouldThrow<DeviceException> { same.get().allocate(200) }
            false
        }
        same.set(memory)
        repeat(2) { shouldThrow<DeviceException> { memory.allocate(101) } }
        asked shouldBe 2
    }

    test("an out-of-memory handler runs without a lock, so another thread can use the pool meanwhile [DEV-32]") {
        val limited = cpu.memory().limited(8192)
        val same = AtomicReference<MemoryPool>()
        val others = Executors.newSingleThreadExecutor()
        val pool = MemoryPool.of(
            limited.withOutOfMemoryHandler { _, _ ->
                others.submit { same.get().statistics(); same.get().trim() }.get(5, SECONDS)
                false
            },
            1 shl 20,
        )
        same.set(pool)
        pool.allocate(4096).use { shouldThrow<DeviceException> { pool.allocate(8192) } }
        pool.close()
        others.shutdown()
        limited.statistics().currentBytes() shouldBe 0
    }

    test("meters, limits and pools can be combined in any order [DEV-32]") {
        MemoryPool.of(cpu.memory().limited(1 shl 16), 1 shl 20).use { pool ->
            val memory = pool.metered()
            memory.allocate(5000).close()
            memory.allocate(6000).use { pool.statistics().hits() shouldBe 1 }
            memory.statistics().totalBytes() shouldBe 11_000
            memory.keptBytes() shouldBe 8192
            shouldThrow<DeviceException> { memory.allocate(70_000) }.message shouldContain "the limit of 65536 bytes"
            memory.trim()
            pool.keptBytes() shouldBe 0
        }
    }

    test("an MXBean reports the statistics until it is closed [DEV-32]") {
        val memory = cpu.memory().metered()
        val server = ManagementFactory.getPlatformMBeanServer()
        MXBeanRegistration.of(memory, "test").use { bean ->
            val name = ObjectName(bean.objectName())
            memory.allocate(77).use {
                (server.getAttribute(name, "Statistics") as CompositeData)["currentBytes"] shouldBe 77L
                server.getAttribute(name, "Device") shouldBe "CPU"
            }
        }
        server.queryNames(ObjectName("org.arbalest:type=MeteredMemory,*"), null).size shouldBe 0
        shouldThrow<IllegalArgumentException> { MXBeanRegistration.of(memory, "") }
    }
})

/** The seconds after which a hanging test fails; the limit is long because the test does much work. */
private const val HANG_SECONDS = 60L
