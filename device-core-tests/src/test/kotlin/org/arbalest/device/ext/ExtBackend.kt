// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ext

import org.arbalest.device.Availability
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.spi.DeviceProvider
import org.arbalest.device.spi.SynchronousDriver
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicLong

/**
 * An application's own backend, registered in META-INF/services. WEBGPU 0 uses malloc; WEBGPU 1 is not accessible by
 * the CPU.
 */
class ExtProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(DeviceType.WEBGPU)

    override fun probe(type: DeviceType): Availability = Availability.Ready(2)

    override fun open(type: DeviceType, id: Long): DeviceDriver {
        ExtMemory.opened += id
        return if (id == 0L) MallocDriver else PhantomDriver
    }
}

/** The allocations of the two drivers, and the number that may still succeed. */
object ExtMemory {
    val opened = ConcurrentLinkedQueue<Long>()

    /** The sizes of the live allocations, by address. */
    val live = ConcurrentHashMap<Long, Long>()

    /** Frees of an address that was never allocated, or with another size. */
    val wrongFrees = ConcurrentLinkedQueue<String>()

    /** The number of allocations that still succeed. */
    val room = AtomicInteger(Int.MAX_VALUE)

    internal fun allocated(address: Long, bytes: Long): Long {
        check(live.put(address, bytes) == null) { "the address was allocated twice" }
        return address
    }

    internal fun take(bytes: Long) {
        if (room.getAndDecrement() <= 0)
            throw DeviceException(Errno.ENOMEM, "extAlloc on WEBGPU failed: ENOMEM, asked for $bytes bytes")
    }

    internal fun freed(address: Long, bytes: Long) {
        val size = live.remove(address)
        if (size != bytes) wrongFrees += "$bytes bytes at $address, of which $size were live"
    }
}

private object MallocDriver : SynchronousDriver {
    private val linker = Linker.nativeLinker()
    private val alignedAlloc = linker.downcallHandle(
        linker.defaultLookup().findOrThrow("aligned_alloc"), FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG),
    )
    private val free =
        linker.downcallHandle(linker.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(JAVA_LONG))

    override fun isCpuAccessible() = true

    override fun allocate(bytes: Long, alignment: Long): Long {
        ExtMemory.take(bytes)
        val rounded = (bytes + alignment - 1) / alignment * alignment
        return ExtMemory.allocated(alignedAlloc.invoke(alignment, rounded) as Long, bytes)
    }

    override fun free(address: Long, bytes: Long) {
        ExtMemory.freed(address, bytes)
        free.invoke(address)
    }

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long) {
        val all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE)
        MemorySegment.copy(all, from, all, to, bytes)
    }
}

/** Memory at addresses that no current CPU supports: an access kills the process. */
private object PhantomDriver : SynchronousDriver {
    private val next = AtomicLong(PHANTOM)

    override fun isCpuAccessible() = false

    override fun allocate(bytes: Long, alignment: Long): Long {
        ExtMemory.take(bytes)
        check(alignment == 64L) { "the default alignment is 64, not $alignment" }
        return ExtMemory.allocated(next.getAndAdd((bytes + alignment - 1) / alignment * alignment), bytes)
    }

    override fun free(address: Long, bytes: Long) = ExtMemory.freed(address, bytes)

    override fun copy(queue: Long, to: Long, from: Long, bytes: Long): Unit =
        throw DeviceException(Errno.EIO, "extCopy on WEBGPU:1 failed")
}

/** An address that is not canonical on x86-64 and arm64. */
const val PHANTOM: Long = 0x5A00_0000_0000_0000

/** A provider whose constructor fails. */
class ThrowingProvider : DeviceProvider {
    init {
        error("no driver today")
    }

    override fun types(): List<DeviceType> = listOf(DeviceType.METAL)

    override fun probe(type: DeviceType): Availability = error("the library must not probe this provider")

    override fun open(type: DeviceType, id: Long): DeviceDriver = error("the library must not open this provider")
}

/** A provider that needs a class that is missing. */
class UnlinkedProvider : DeviceProvider {
    init {
        throw NoClassDefFoundError("com/example/vulkan/Runtime")
    }

    override fun types(): List<DeviceType> = listOf(DeviceType.VULKAN)

    override fun probe(type: DeviceType): Availability = error("the library must not probe this provider")

    override fun open(type: DeviceType, id: Long): DeviceDriver = error("the library must not open this provider")
}

/** A provider that fails to list its types. */
class TypelessProvider : DeviceProvider {
    override fun types(): List<DeviceType> = throw ExceptionInInitializerError("types of TypelessProvider")

    override fun probe(type: DeviceType): Availability = error("the library must not probe this provider")

    override fun open(type: DeviceType, id: Long): DeviceDriver = error("the library must not open this provider")
}

/** A provider that fails to look for its driver (VPI), or reports that it is missing (ONEAPI). */
class LostProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(DeviceType.VPI, DeviceType.ONEAPI)

    override fun probe(type: DeviceType): Availability =
        if (type == DeviceType.VPI) throw UnsatisfiedLinkError("libvpi.so.3")
        else Availability.Missing("libze_loader.so.1 was not found")

    override fun open(type: DeviceType, id: Long): DeviceDriver = error("the library must not open this provider")
}

/** A provider that reports that it is ready, and then fails to open its device. */
class FailingProvider : DeviceProvider {
    override fun types(): List<DeviceType> = listOf(DeviceType.HEXAGON)

    override fun probe(type: DeviceType): Availability = Availability.Ready(1)

    override fun open(type: DeviceType, id: Long): DeviceDriver =
        throw DeviceException(Errno.EIO, "hexOpen on HEXAGON:$id failed: HEX_BUSY (7)")
}
