// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.abi.Errno
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.spi.Answer
import org.arbalest.device.spi.MemoryAllocator
import org.arbalest.device.spi.SynchronousDriver
import org.arbalest.testkit.LedgerExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

/** Streams that others capture into graphs, and events that they record there. */
class CapturesSpec : FunSpec({
    extension(LedgerExtension)

    test("DEV-60 memory in a stream's order that is closed during a capture is freed after it, once, and the stream stays until then") {
        val driver = Captured()
        val stream = DeviceImpl(DeviceType(1005), 0, driver).createStream()
        val buffers = List(2) { stream.memory().allocate(100) }
        stream.handle()
        driver.isCaptured = true
        buffers.forEach { it.close() }
        stream.close()
        val asked = driver.asked.get()
        eventually("it is asked for again") { driver.asked.get() > asked + 4 }
        driver.freed.size shouldBe 0
        driver.destroyed.get() shouldBe 0
        driver.isCaptured = false
        eventually("all is given back") { driver.freed.size == 2 && driver.destroyed.get() == 1 }
        driver.freed.sorted() shouldContainExactly listOf(1000L, 2000L)
    }

    test("DEV-60 memory in a stream's order is freed at once where nobody has the stream's handle, or where it cannot be asked whether that is captured") {
        val driver = Captured()
        DeviceImpl(DeviceType(1005), 0, driver).createStream().use { stream ->
            val (first, second) = List(2) { stream.memory().allocate(100) }
            driver.isCaptured = true
            first.close()
            driver.freed.toList() shouldContainExactly listOf(1000L)
            driver.asked.get() shouldBe 0
            stream.handle()
            driver.isGone = true
            second.close()
            driver.freed.size shouldBe 2
        }
    }

    test("DEV-60 an event that was recorded in a graph is refused by whoever is to wait for it, whatever is told the second time, until it is done") {
        val driver = Captured()
        withPoint(driver, isOurs = false) { point, letWait ->
            driver.answers += listOf(Answer.CAPTURED, Answer.NOT_READY, Answer.CANNOT_TELL)
            repeat(3) {
                shouldThrow<DeviceException> { letWait() }.run {
                    errno() shouldBe Errno.EINVAL
                    message shouldContain "the event 0x4d of ${point.device} was recorded in a stream that was being captured"
                }
            }
            shouldThrow<DeviceException> { point.synchronize() }.errno() shouldBe Errno.EINVAL
            driver.answers += listOf(Answer.NOT_READY, Answer.CAPTURED, Answer.DONE)
            point.isDone shouldBe false
            point.isSeenDone shouldBe false
            point.isDone shouldBe true
            letWait()
            point.synchronize()
            driver.answers.size shouldBe 0
        }
    }

    test("DEV-24 an event of ours, which was recorded in no graph, is asked for again, whatever is told") {
        val driver = Captured()
        withPoint(driver, isOurs = true) { point, letWait ->
            driver.answers += listOf(Answer.CAPTURED, Answer.DONE)
            shouldThrow<IllegalStateException> { letWait() }.message shouldBe "a queue waits"
            point.isDone shouldBe true
        }
    }
})

private fun withPoint(driver: Captured, isOurs: Boolean, block: (EventPoint, () -> Unit) -> Unit) {
    val device = DeviceImpl(DeviceType(1005), 0, driver)
    val cell = NativeHeap.allocate(8)
    NativeHeap.putLong(cell, 0x4d)
    val keeper = DeviceQueue(device, driver, 0, DeviceQueue.Kind.BORROWED)
    val point = EventPoint(device, driver, cell, isOurs)
    block(point) { point.letWait(driver, device, 0, keeper) }
    keeper.release()
    NativeHeap.free(cell)
}

private class Captured : SynchronousDriver {
    @Volatile
    var isCaptured = false

    @Volatile
    var isGone = false
    val asked = AtomicInteger()
    val destroyed = AtomicInteger()
    val freed = ConcurrentLinkedQueue<Long>()
    val answers = ConcurrentLinkedQueue<Answer>()
    private val next = AtomicInteger()

    override fun isCpuAccessible() = false

    override fun isCaptured(queue: Long): Boolean {
        asked.incrementAndGet()
        if (isGone) throw DeviceException(Errno.EIO, "the runtime is gone")
        return isCaptured
    }

    override fun ask(event: Long): Answer = answers.remove()

    override fun waitFor(queue: Long, event: Long) = error("a queue waits")

    override fun destroyQueue(queue: Long) {
        destroyed.incrementAndGet()
    }

    override fun orderedBy(queue: Long): MemoryAllocator = object : MemoryAllocator {
        override fun isCpuAccessible() = false

        override fun allocate(bytes: Long, alignment: Long): Long = 1000L * next.incrementAndGet()

        override fun free(address: Long, bytes: Long) {
            freed += address
        }
    }

    override fun allocate(bytes: Long, alignment: Long): Long = error("nothing is allocated")

    override fun free(address: Long, bytes: Long) = error("nothing is freed")

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) = error("nothing is copied")
}
