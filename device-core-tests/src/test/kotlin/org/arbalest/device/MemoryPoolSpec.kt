// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.maps.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.random.Random

class MemoryPoolSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** An allocator of main memory that records live allocations and has a limit of [room] bytes. */
    class Counted(private val room: Long = Long.MAX_VALUE) : MemoryAllocator {
        val live = ConcurrentHashMap<Long, Pair<Long, DeviceBuffer>>()
        private val cpu = Devices.cpu().memory()

        override fun isCpuAccessible() = true

        override fun allocate(bytes: Long, alignment: Long): Long {
            val used = live.values.sumOf { it.first }
            if (used + bytes > room)
                throw DeviceException(Errno.ENOMEM, "counted: cannot allocate $bytes bytes, $used of $room are in use")
            val buffer = cpu.allocate(bytes, alignment)
            live[buffer.address()] = bytes to buffer
            return buffer.address()
        }

        override fun free(address: Long, bytes: Long) {
            val (size, buffer) = live.remove(address) ?: error("cannot free $address: it is not a live allocation")
            check(size == bytes) { "the caller freed $bytes bytes, but allocated $size" }
            buffer.close()
        }
    }

    fun pool(limit: Long, source: Counted = Counted()) =
        MemoryPool.of(MemoryManager.of(Devices.cpu(), source), limit) to source

    test("a pool serves freed memory again without an allocation on the device") {
        val (pool, source) = pool(1 shl 20)
        val first = pool.allocate(10_000).use { it.address() }
        pool.allocate(9_000).use { it.address() shouldBe first }
        pool.allocate(100).use { it.size() shouldBe 100 }
        pool.statistics().run {
            hits() shouldBe 1
            misses() shouldBe 2
            liveBytes() shouldBe 0
            cachedBytes() shouldBe 12_288 + 4_096
            peakBytes() shouldBe 12_288
            limitBytes() shouldBe (1 shl 20)
        }
        source.live.size shouldBe 2
        pool.trim()
        pool.statistics().cachedBytes() shouldBe 0
        pool.statistics().evictions() shouldBe 2
        source.live.shouldBeEmpty()
        pool.close()
    }

    test("a full pool rejects an allocation with the numbers, until a buffer is closed") {
        val (pool, _) = pool(8192)
        val a = pool.allocate(4096)
        val b = pool.allocate(1)
        val error = shouldThrow<DeviceException> { pool.allocate(5000) }
        error.errno() shouldBe Errno.ENOMEM
        error.message shouldContain
            "pool of 8192 bytes on CPU is full: ENOMEM, asked for 5000 bytes, and 8192 are in use"
        a.close()
        b.close()
        pool.allocate(8000).close() // the pool frees its cached blocks for this one
        pool.statistics().evictions() shouldBe 2
        pool.close()
    }

    test("a pool frees its cached memory when the device has no more") {
        val (pool, source) = pool(1 shl 20, Counted(room = 40_960))
        pool.allocate(30_000).close()
        pool.allocate(40_000).use { source.live.size shouldBe 1 }
        shouldThrow<DeviceException> { pool.allocate(50_000) }.message shouldContain "counted"
        pool.statistics().liveBytes() shouldBe 0
        pool.close()
        source.live.shouldBeEmpty()
    }

    test("a closed pool caches nothing, and its open buffers stay valid") {
        val (pool, source) = pool(1 shl 20)
        val buffer = pool.allocate(64)
        pool.close()
        buffer.segment().fill(1)
        shouldThrow<IllegalStateException> { pool.allocate(1) }.message shouldContain "closed"
        buffer.close()
        source.live.shouldBeEmpty()
        pool.close()
    }

    test("an array that is built in a pool returns its memory when its last reference is closed") {
        val (pool, source) = pool(1 shl 20)
        repeat(3) {
            BatchBuilder.of(pool, 1000).use {
                it.int64("id", LongArray(1000)).utf8("text", List(1000) { i -> "row $i" }).build()
            }.use { batch ->
                batch.retain().close()
                batch.column("text").getString(999) shouldBe "row 999"
                batch.copyTo(pool, Devices.cpu().defaultStream()).use {
                    it.column("text").getString(7) shouldBe "row 7"
                }
            }
        }
        pool.statistics().liveBytes() shouldBe 0
        (pool.statistics().hits() > 5) shouldBe true
        pool.close()
        source.live.shouldBeEmpty()
    }

    test("a block is never smaller than the request, and at most a page or a quarter larger") {
        val random = Random(7)
        val (pool, _) = pool(1 shl 26)
        repeat(2_000) {
            val bytes = 1 + random.nextLong(1L shl random.nextInt(1, 25))
            pool.allocate(bytes).use {
                val size = pool.statistics().liveBytes()
                (size >= bytes) shouldBe true
                size - bytes shouldBeLessThanOrEqual maxOf(4095, bytes / 4)
            }
        }
        pool.close()
    }

    test("the statistics of a pool are right after threads allocate and free at random") {
        val (pool, source) = pool(1 shl 22)
        val threads = Executors.newFixedThreadPool(4)
        val done = List(4) { seed ->
            threads.submit {
                val random = Random(seed)
                val held = ArrayDeque<DeviceBuffer>()
                repeat(5_000) {
                    if (held.size > 8 || (held.isNotEmpty() && random.nextBoolean())) {
                        held.removeFirst().close()
                    } else {
                        held += pool.allocate(random.nextLong(1, 60_000)).also { it.segment().fill(seed.toByte()) }
                    }
                }
                held.forEach { it.close() }
            }
        }
        done.forEach { it.get(HANG_SECONDS, SECONDS) }
        threads.shutdown()
        pool.statistics().run {
            liveBytes() shouldBe 0
            cachedBytes() shouldBe source.live.values.sumOf { it.first }
        }
        pool.close()
        source.live.shouldBeEmpty()
    }

    test("a pool rejects another pool as its source, too small a limit, and invalid allocations") {
        val (pool, _) = pool(4096)
        shouldThrow<IllegalArgumentException> { MemoryPool.of(pool, 4096) }.message shouldContain "is a pool already"
        shouldThrow<IllegalArgumentException> { pool(4095) }.message shouldContain "at least 4096"
        shouldThrow<IllegalArgumentException> { pool.allocate(-1) }.message shouldContain "not negative"
        shouldThrow<IllegalArgumentException> { pool.allocate(1, 3) }.message shouldContain "power of two"
        pool.close()
    }

    test("a pool requests no more alignment than its source has, and aligns blocks itself [DEV-32]") {
        val asked = mutableListOf<Long>()
        val source = Counted()
        val modest = object : MemoryAllocator {
            override fun isCpuAccessible() = true

            override fun alignment() = 16L

            override fun allocate(bytes: Long, alignment: Long): Long =
                source.allocate(bytes, alignment).also { asked += alignment }

            override fun free(address: Long, bytes: Long) = source.free(address, bytes)
        }
        MemoryPool.of(MemoryManager.of(Devices.cpu(), modest), 1 shl 20).use { pool ->
            for (alignment in listOf(1L, 64L, 256L, 4096L)) pool.allocate(1000, alignment).use {
                it.address() % alignment shouldBe 0
            }
        }
        asked.max() shouldBeLessThanOrEqual 16
    }
})

/** The seconds after which a hanging test fails; the limit is long because the test does much work. */
private const val HANG_SECONDS = 60L
