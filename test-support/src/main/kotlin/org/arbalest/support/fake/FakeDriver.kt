// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.fake

import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.spi.Completion
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.HostMemory

/**
 * The driver between core and the fake device: one call for each function, without state. An example for authors of
 * backends.
 */
open class FakeDriver(private val device: FakeDevice) : DeviceDriver {
    private val memory = FakeAllocator(device, isCpuAccessible = device.isCpuAccessible)
    private val host = if (device.isCpuAccessible) null
    else HostMemory(device.type, FakeAllocator(device, isCpuAccessible = true))

    override fun isCpuAccessible(): Boolean = memory.isCpuAccessible

    override fun allocate(bytes: Long, alignment: Long): Long = memory.allocate(bytes, alignment)

    override fun free(address: Long, bytes: Long): Unit = memory.free(address, bytes)

    override fun hostMemory(): HostMemory? = host

    override fun map(address: Long, bytes: Long): Long = device.map(address, bytes)

    override fun unmap(address: Long, bytes: Long): Unit = device.unmap(address)

    override fun createQueue(): Long {
        device.mayFail(FakeCall.CREATE_QUEUE, "")
        return device.createQueue()
    }

    override fun destroyQueue(queue: Long): Unit = device.destroyQueue(queue)

    override fun synchronizeQueue(queue: Long): Unit = device.synchronizeQueue(queue)

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) {
        device.mayFail(FakeCall.COPY, "$bytes bytes")
        device.enqueueCopy(queue, to, from, bytes)
    }

    override fun record(queue: Long): Long {
        device.mayFail(FakeCall.RECORD, "")
        return device.record(queue)
    }

    override fun destroyEvent(event: Long): Unit = device.destroyEvent(event)

    override fun waitFor(queue: Long, event: Long) {
        device.mayFail(FakeCall.WAIT, "")
        device.enqueueWait(queue, event)
    }

    override fun isReady(event: Long): Boolean {
        device.mayFail(FakeCall.QUERY, "")
        return device.isReady(event)
    }

    override fun synchronizeEvent(event: Long): Unit = device.synchronizeEvent(event)

    override fun onComplete(event: Long, completion: Completion) {
        device.mayFail(FakeCall.CALLBACK, "")
        device.onComplete(event) { completion.complete() }
    }

    override fun checkEvent(event: Long) {
        if (!device.isEvent(event))
            throw DeviceException(Errno.EINVAL,
                "its sync_event points to $event, which is not an event of ${device.name}")
    }
}

/** The fake device's memory, accessible to the CPU or not. */
class FakeAllocator(private val device: FakeDevice, private val isCpuAccessible: Boolean) : MemoryAllocator {
    override fun isCpuAccessible(): Boolean = isCpuAccessible

    override fun allocate(bytes: Long, alignment: Long): Long {
        device.mayFail(FakeCall.ALLOCATE, "$bytes bytes")
        if (bytes > FakeDevice.LARGEST_ALLOCATION) {
            throw DeviceException(
                Errno.ENOMEM,
                "fakeAlloc on ${device.name} failed: FAKE_OUT_OF_MEMORY (2), asked for $bytes bytes, and the largest " +
                    "allocation is " +
                    FakeDevice.LARGEST_ALLOCATION,
            )
        }
        return device.allocate(bytes, alignment, isCpuAccessible)
    }

    override fun free(address: Long, bytes: Long): Unit = device.free(address, bytes)
}
