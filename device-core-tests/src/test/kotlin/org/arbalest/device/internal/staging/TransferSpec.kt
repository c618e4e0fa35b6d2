// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.spi.CopyBatch
import org.arbalest.device.spi.HostMemory
import org.arbalest.device.spi.HostStaging
import org.arbalest.device.spi.HostTask
import org.arbalest.device.spi.SynchronousDriver
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE

/** Tests of transfers in which a driver call fails after others are queued. */
class TransferSpec : FunSpec({
    fun MemorySegment.bytes() = toArray(JAVA_BYTE).toSet()

    test("queued jobs copy all their pieces even if the event behind them cannot be recorded [DEV-33]") {
        Arena.ofConfined().use { arena ->
            val driver = HeldBack(arena)
            val pieces = 40
            val (source, target) = List(2) { arena.allocate(64L * pieces) }
            source.fill(1)
            val transfer = Transfer(driver, Staging.of(driver), 0, 0)
            repeat(pieces) {
                transfer.add(Place.PAGEABLE, target.address() + 64 * it, Place.DEVICE, source.address() + 64 * it, 64)
            }
            driver.failing = "record"
            shouldThrow<DeviceException> { transfer.queue(true, false) }.errno() shouldBe Errno.ENOMEM
            driver.synchronizeQueue(0) // as the caller does before it releases the transfer
            target.bytes() shouldBe setOf<Byte>(1)
            transfer.release()
        }
    }

    test("a job that was not queued drops its pieces, and nothing is written [DEV-33]") {
        Arena.ofConfined().use { arena ->
            val driver = HeldBack(arena)
            val (source, target) = List(2) { arena.allocate(64) }
            source.fill(1)
            val transfer = Transfer(driver, Staging.of(driver), 0, 0)
            transfer.add(Place.PAGEABLE, target.address(), Place.DEVICE, source.address(), 64)
            driver.failing = "runOnHost"
            shouldThrow<DeviceException> { transfer.queue(true, false) }.errno() shouldBe Errno.ENOMEM
            driver.synchronizeQueue(0) // as the caller does before it releases the transfer
            target.bytes() shouldBe setOf<Byte>(0)
            transfer.release()
        }
    }
})

/** A device in main memory whose queue runs its work only when a thread waits for it. */
private class HeldBack(private val arena: Arena) :
    SynchronousDriver,
    HostStaging {
    private val queued = ArrayDeque<() -> Unit>()

    /** The name of the call that fails. */
    var failing = ""

    private fun queue(call: String, work: () -> Unit) {
        failIf(call)
        queued += work
    }

    private fun failIf(call: String) {
        if (call == failing) throw DeviceException(Errno.ENOMEM, "$call failed")
    }

    override fun synchronizeQueue(queue: Long) {
        while (queued.isNotEmpty()) queued.removeFirst()()
    }

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) = queue("copy") {
        MemorySegment.copy(memory(from, bytes), 0, memory(to, bytes), 0, bytes)
    }

    override fun copy(queue: Long, batch: CopyBatch) {
        val pieces = List(batch.count()) { Triple(batch.to(it), batch.from(it), batch.bytes(it)) }
        for ((to, from, bytes) in pieces) copy(queue, to, from, bytes)
    }

    override fun record(queue: Long): Long {
        failIf("record")
        return 0
    }

    override fun runOnHost(queue: Long, task: HostTask) = queue("runOnHost") { task.run() }

    override fun hostStaging() = this

    override fun pinnedMemory() = HostMemory(DeviceType.CUDA_HOST, InArena(arena))

    override fun reachesPageable() = false

    override fun copiesBatches() = true

    override fun isCpuAccessible() = true

    override fun allocate(bytes: Long, alignment: Long) = arena.allocate(bytes, alignment).address()

    override fun free(address: Long, bytes: Long) {} // the arena frees it
}

private class InArena(private val arena: Arena) : MemoryAllocator {
    override fun isCpuAccessible() = true

    override fun allocate(bytes: Long, alignment: Long) = arena.allocate(bytes, alignment).address()

    override fun free(address: Long, bytes: Long) {} // the arena frees it
}

private fun memory(address: Long, bytes: Long) = MemorySegment.ofAddress(address).reinterpret(bytes)
