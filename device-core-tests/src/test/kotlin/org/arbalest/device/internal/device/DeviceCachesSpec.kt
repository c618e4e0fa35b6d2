// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Device
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger

/** Caches of several kinds of memory of one GPU, which free blocks for each other. */
class DeviceCachesSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Returns a GPU that no other test uses, since caches live as long as the process. */
    fun gpu(id: Long): Device = DeviceImpl(DeviceType(1005), id, null)

    fun refused(errno: Int): Nothing = throw DeviceException(errno, "no memory")

    test("an allocation on a full GPU first frees other caches of that GPU, and none of other GPUs [DEV-28]") {
        val (full, kept, elsewhere) = List(3) { Counted() }
        val first = DeviceCaches.around(gpu(70), full)
        val second = DeviceCaches.around(gpu(70), kept)
        val other = DeviceCaches.around(gpu(71), elsewhere)
        for (memory in listOf(second, other)) memory.free(memory.allocate(5000, 64), 5000)
        kept.live.size shouldBe 1
        full.refusing = { if (kept.live.isNotEmpty()) refused(Errno.ENOMEM) }
        val block = first.allocate(10_000, 64)
        kept.live.size shouldBe 0
        elsewhere.live.size shouldBe 1
        first.free(block, 10_000)
        first.trim()
        other.trim()
        listOf(full, kept, elsewhere).sumOf { it.live.size } shouldBe 0
    }

    test("an allocation on a full GPU at once frees blocks that wait for an idle period [DEV-28]") {
        val (full, shared) = List(2) { Counted() }
        val first = DeviceCaches.withoutCache(gpu(72), full)
        val second = DeviceCaches.withoutCache(gpu(72), shared)
        val block = second.allocate(5000, 64)
        Counts.WAITS.increment()
        try {
            second.free(block, 5000)
            shared.live.size shouldBe 1 // no idle period
            full.refusing = { if (shared.live.isNotEmpty()) refused(Errno.ENOMEM) }
            val got = first.allocate(100, 64)
            shared.live.size shouldBe 0
            full.asked.get() shouldBe 2
            first.free(got, 100)
            full.live.size shouldBe 1
        } finally {
            Counts.WAITS.decrement()
        }
        eventually("the block is freed in an idle period") { full.live.isEmpty() }
    }

    test("an allocation is not repeated if nothing can be freed, or after another error [DEV-28]") {
        for (errno in listOf(Errno.ENOMEM, Errno.EIO)) {
            val memory = Counted()
            val allocator = DeviceCaches.withoutCache(gpu(73), memory)
            memory.refusing = { refused(errno) }
            shouldThrow<DeviceException> { allocator.allocate(100, 64) }.errno() shouldBe errno
            memory.asked.get() shouldBe 1
        }
    }

    test("an allocation error other than ENOMEM frees no cached memory [DEV-28]") {
        val (failing, kept) = List(2) { Counted() }
        val first = DeviceCaches.withoutCache(gpu(74), failing)
        val second = DeviceCaches.around(gpu(74), kept)
        second.free(second.allocate(5000, 64), 5000)
        failing.refusing = { refused(Errno.EIO) }
        shouldThrow<DeviceException> { first.allocate(100, 64) }
        kept.live.size shouldBe 1
        failing.asked.get() shouldBe 1
        second.trim()
    }
})

/** An allocator of addresses without memory. It fails if a block is freed with another size than its own. */
private class Counted : MemoryAllocator {
    val live = ConcurrentHashMap<Long, Long>()
    val asked = AtomicInteger()
    var refusing: () -> Unit = {}

    override fun isCpuAccessible() = true

    override fun cacheBytes() = 1L shl 20

    override fun allocate(bytes: Long, alignment: Long): Long {
        val address = (1L + asked.incrementAndGet()) shl 24
        refusing()
        live[address] = bytes
        return address
    }

    override fun free(address: Long, bytes: Long): Unit =
        check(live.remove(address) == bytes) { "cannot free $bytes bytes at $address: the block has another size" }
}
