// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.spi.CopyBatch
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.DeviceProvider
import org.arbalest.device.spi.HostMemory
import org.arbalest.device.spi.HostStaging
import org.arbalest.device.spi.HostTask
import java.util.concurrent.ConcurrentHashMap

/**
 * Serves two fake GPUs. Their copies from and to main memory block the caller unless the memory is pinned, so core
 * copies through pinned memory.
 *
 * Each is one [FakeDevice], of the first type, with two kinds of memory, as with CUDA or ROCm. Register it like
 * [FakeProvider].
 *
 * @param type the type of the memory that the CPU cannot access
 * @param pinned the type of the main memory that the GPU can access
 */
open class FakeGpuProvider(private val type: DeviceType, private val pinned: DeviceType) : DeviceProvider {
    private val gpus = ConcurrentHashMap<Long, FakeGpu>()

    override fun types(): List<DeviceType> = listOf(type, pinned)

    override fun probe(type: DeviceType): Availability = Availability.Ready(2)

    override fun open(type: DeviceType, id: Long): DeviceDriver =
        FakeGpuDriver(gpus.computeIfAbsent(id) { FakeGpu(FakeDevice.create(this.type, id, false), pinned) },
            isPinned = type == pinned)

    override fun describe(type: DeviceType, id: Long): String = "a fake GPU, which a test controls"
}

/** The state that the drivers of a fake GPU's two kinds of memory share. */
class FakeGpu(
    val device: FakeDevice,
    private val pinned: DeviceType,
    private val reachesPageable: Boolean = false,
    private val copiesBatches: Boolean = true,
) : HostStaging {
    val memory = HostMemory(pinned, FakeAllocator(device, isCpuAccessible = true))

    private val slots = HostMemory(pinned, SlotAllocator(device))

    override fun pinnedMemory(): HostMemory = slots

    override fun runOnHost(queue: Long, task: HostTask) {
        device.mayFail(FakeCall.RUN_ON_HOST, "")
        device.runOnHost(queue, task)
    }

    override fun reachesPageable(): Boolean = reachesPageable

    override fun copiesBatches(): Boolean = copiesBatches

    fun serves(type: DeviceType, id: Long): Boolean = id == device.id && (type == device.type || type == pinned)
}

/** The memory of core's slots, which is never freed. */
class SlotAllocator(private val device: FakeDevice) : MemoryAllocator {
    override fun isCpuAccessible(): Boolean = true

    override fun allocate(bytes: Long, alignment: Long): Long {
        device.mayFail(FakeCall.ALLOCATE, "$bytes bytes")
        return device.allocateForGood(bytes, alignment)
    }

    override fun free(address: Long, bytes: Long): Unit = device.free(address, bytes)
}

/** A driver of either kind of a fake GPU's memory, with its queues. */
class FakeGpuDriver(private val gpu: FakeGpu, isPinned: Boolean) : FakeDriver(gpu.device) {
    private val own: MemoryAllocator = if (isPinned) gpu.memory.allocator()
    else FakeAllocator(gpu.device, isCpuAccessible = false)

    override fun isCpuAccessible(): Boolean = own.isCpuAccessible

    override fun allocate(bytes: Long, alignment: Long): Long = own.allocate(bytes, alignment)

    override fun free(address: Long, bytes: Long): Unit = own.free(address, bytes)

    override fun hostMemory(): HostMemory = gpu.memory

    override fun hostStaging(): HostStaging = gpu

    override fun reaches(type: DeviceType, id: Long): Boolean = gpu.serves(type, id)

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) {
        if (!gpu.reachesPageable() && (gpu.device.isPageable(to, bytes) || gpu.device.isPageable(from, bytes))) {
            gpu.device.mayFail(FakeCall.COPY, "$bytes bytes of pageable memory")
            gpu.device.copyPageable(queue, to, from, bytes)
        } else {
            super.copy(queue, to, from, bytes)
        }
    }

    /** Makes one call for all copies of the batch. */
    override fun copy(queue: Long, batch: CopyBatch) {
        gpu.device.mayFail(FakeCall.COPY, "${batch.count()} copies")
        for (i in 0 until batch.count()) gpu.device.enqueueCopy(queue, batch.to(i), batch.from(i), batch.bytes(i))
    }
}
