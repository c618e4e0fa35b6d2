// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.internal.management.Management
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.contract.eventually
import java.lang.management.ManagementFactory
import java.util.concurrent.atomic.AtomicLong

/** The limit that the caches of several devices share. */
class CacheLimitSpec : FunSpec({
    val most = Management.mainMemory() / 16
    val piece = most / 8

    fun cache(id: Long, allocator: MemoryAllocator) =
        DeviceCaches.around(DeviceImpl(DeviceType.CUDA_HOST, id, null), allocator)

    fun MemoryAllocator.use(pieces: Int) = List(pieces) { allocate(piece, 256) }.forEach { free(it, piece) }

    test("caches of main memory share a limit, at which the fullest frees blocks; device memory has its own [DEV-53]") {
        val numbers = List(2) { Numbers(true) } + Numbers(false)
        val (first, second, own) = numbers.mapIndexed { i, it -> cache(90L + i, it) }
        own.use(20)
        for ((busy, idle) in listOf(first to second, second to first)) {
            idle.use(12)
            eventually("the cache is within the limit") { idle.keptBytes() <= most }
            busy.use(3)
            eventually("both caches together are within the limit") { idle.keptBytes() + busy.keptBytes() <= most }
            busy.keptBytes() shouldBe 3 * BlockCache.blockSize(piece)
            (idle.keptBytes() + busy.keptBytes() > most / 2) shouldBe true
            own.keptBytes() shouldBe 20 * BlockCache.blockSize(piece)
            eventually("blocks that left the caches are freed") {
                numbers.map { it.live.get() } == listOf(first, second, own).map { it.keptBytes() }
            }
            listOf(busy, idle).forEach { it.trim() }
        }
        own.trim()
        numbers.sumOf { it.live.get() } shouldBe 0
    }

    test("a cache that exceeds its limit during an eviction is evicted, too, without another free [DEV-53]") {
        val page = BlockCache.PAGE
        val together = CacheLimit(10 * page)
        val caches = listOf("fullest" to 100L, "held" to 100L, "shrinking" to 2L).map { (name, pages) ->
            BlockCache(Numbers(true), name, Long.MAX_VALUE, pages * page, together)
        }
        val (fullest, held, shrinking) = caches
        val blocks = List(4) { shrinking.allocate(page, 256) }
        List(10) { fullest.allocate(page, 256) }.forEach { fullest.free(it, page) }
        synchronized(held) { // blocks the evicting thread after it has measured the fullest cache
            shrinking.free(blocks[0], page)
            eventually("a thread looks for the fullest cache") {
                Thread.getAllStackTraces().any { (thread, frames) ->
                    thread.state == Thread.State.BLOCKED && frames.any { it.methodName == "evictOne" }
                }
            }
            fullest.trim()
            for (block in blocks.drop(1)) shrinking.free(block, page)
            shrinking.cachedBytes() shouldBe 4 * page
        }
        eventually("the cache is within the limit") { shrinking.cachedBytes() <= 2 * page }
        caches.forEach { it.trim() }
    }

    test(
        "the size of main memory is the machine's or the container's, or else derived from the heap's limit [DEV-53]",
    ) {
        Management.mainMemory() shouldBe
            (ManagementFactory.getOperatingSystemMXBean() as com.sun.management.OperatingSystemMXBean).totalMemorySize
        ChildJvm.run(MainMemory::class, options = listOf("--limit-modules", "java.base", "-Xmx96m"))
            .output.trim() shouldBe "4.0 times the heap's limit"
    }
})

/** An allocator of addresses without memory, which counts the allocated bytes. */
private class Numbers(private val isHost: Boolean) : MemoryAllocator {
    val live = AtomicLong()
    private val next = AtomicLong(1L shl 20)

    override fun isCpuAccessible() = isHost

    override fun cacheBytes() = Long.MAX_VALUE

    override fun allocate(bytes: Long, alignment: Long): Long {
        live.addAndGet(bytes)
        return next.getAndAdd(bytes + 4096 and -4096)
    }

    override fun free(address: Long, bytes: Long) {
        live.addAndGet(-bytes)
    }
}

internal object MainMemory {
    @JvmStatic
    fun main(@Suppress("UNUSED_PARAMETER") args: Array<String>) =
        println("${Management.mainMemory() / Runtime.getRuntime().maxMemory().toDouble()} times the heap's limit")
}
